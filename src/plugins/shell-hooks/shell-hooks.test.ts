import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { HermesError } from '../../base/index.ts';
import type { ShellHookSettings } from '../../config/index.ts';
import { HOOK_EVENTS, type HookEvent } from '../../contracts/index.ts';
import { processStartTime } from '../../util/index.ts';
import { usePlugins } from '../plugins.fixture.ts';
import { createTurnHooks } from '../turn-hooks.ts';
import { allowHooks, hookState, revokeHooks } from './hook-consent.ts';
import { readAnswer } from './shell-hooks.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';

const fixture = usePlugins();
afterEach(() => vi.unstubAllEnvs());

const CALL = {
  callId: 'c',
  toolName: 'terminal',
  args: { command: 'ls' },
  sessionId: 's',
  taskId: 't',
  readOnly: false,
  signal: new AbortController().signal,
};
const TURN = { sessionId: 's', taskId: 't', userMessage: 'hi', provider: 'p', model: 'm', isFirstTurn: true };

function hookOf(event: HookEvent, command: string, more: Partial<ShellHookSettings> = {}): ShellHookSettings {
  return { event, command, timeoutSeconds: 20, key: `hooks.${event}[0]`, ...more };
}

/** Allowed hooks, created as Hermes does. */
async function allowed(...hooks: ShellHookSettings[]) {
  await allowHooks(fixture.home, hooks, fixture.project);
  return fixture.open({}, { hooks });
}

async function script(name: string, text: string): Promise<string> {
  const file = await fixture.write(name, `#!/bin/sh\n${text}\n`);
  await chmod(file, 0o700);
  return file;
}

/** The type of the result, or the class of the error. */
function kindOf(read: () => unknown): unknown {
  try {
    return typeof read();
  } catch (thrown) {
    return (thrown as Error).constructor;
  }
}

describe('shell hooks', () => {
  verifies(
    'SURF-9',
    'get JSON on stdin and may block a call, with JSON in either format or with exit code 2',
    async () => {
      const seen = join(fixture.home, 'seen.json');
      const ways = [
        `cat > ${seen}; echo '{"action":"block","message":"not today"}'`,
        `echo '{"decision":"block","reason":"not today"}'`,
        `echo '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"not today"}}'`,
        'echo "not today" >&2; exit 2',
      ];
      for (const command of ways) {
        const set = await allowed(hookOf('pre_tool_call', command));
        expect([command, await set.hooks()[0]?.preToolCall?.(CALL)]).toEqual([command, { block: 'not today' }]);
      }
      expect(JSON.parse(await readFile(seen, 'utf8'))).toEqual({
        hook_event_name: 'pre_tool_call',
        session_id: 's',
        cwd: fixture.project,
        tool_name: 'terminal',
        tool_input: { command: 'ls' },
        extra: { call_id: 'c', task_id: 't' },
      });
      const quiet = await allowed(hookOf('pre_tool_call', 'true'), hookOf('pre_tool_call', 'echo "{}"'));
      for (const hook of quiet.hooks()) expect(await hook.preToolCall?.(CALL)).toBeUndefined();
    },
  );

  it('may add to a message and change a result, and are called at every other event', async () => {
    const log = join(fixture.home, 'log');
    const others = ['post_tool_call', 'post_llm_call', 'pre_api_request', 'post_api_request'] as const;
    const sessions = ['on_session_start', 'on_session_end'] as const;
    const set = await allowed(
      hookOf('pre_llm_call', `echo '{"context":"It rains."}'`),
      hookOf('transform_tool_result', `echo '{"content":"shorter"}'`),
      ...[...others, ...sessions].map((event) => hookOf(event, `cat >> ${log}`)),
    );
    const hooks = createTurnHooks(set.hooks);
    expect(await hooks.beforeTurn(TURN)).toBe('It rains.');
    for (const hook of set.hooks()) {
      await hook.postToolCall?.(CALL, { status: 'ok', content: 'done' });
    }
    expect(await set.hooks()[1]?.transformToolResult?.(CALL, 'a long result')).toBe('shorter');
    const request = { sessionId: 's', taskId: 't', provider: 'p', model: 'm', messages: 3 };
    await hooks.beforeRequest(request);
    hooks.afterRequest(request, { status: 'error', durationMs: 5, kind: 'overloaded', message: 'busy' });
    await hooks.settled(20_000);
    hooks.afterTurn({ sessionId: 's', taskId: 't', userMessage: 'hi', answer: 'yes', exitReason: 'completed' });
    await hooks.settled(20_000);
    hooks.sessionStarted({ sessionId: 's', source: 'cli' });
    await hooks.settled(20_000);
    hooks.sessionEnded({ sessionId: 's', source: 'cli', reason: 'user_exit' });
    await hooks.settled(20_000);
    const lines = (await readFile(log, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { extra: object });
    expect(lines).toMatchObject([
      { hook_event_name: 'post_tool_call', extra: { status: 'ok', result: 'done' } },
      { hook_event_name: 'pre_api_request', extra: { messages: 3 } },
      { hook_event_name: 'post_api_request', extra: { error: { kind: 'overloaded' } } },
      { hook_event_name: 'post_llm_call', extra: { answer: 'yes', exit_reason: 'completed' } },
      { hook_event_name: 'on_session_start', extra: { source: 'cli' } },
      { hook_event_name: 'on_session_end', extra: { reason: 'user_exit' } },
    ]);
    expect(fixture.log).toEqual([]);
  });

  it('run for tools whose whole name matches their expression', async () => {
    const set = await allowed(hookOf('pre_tool_call', 'exit 2', { matcher: 'term.*|patch' }));
    const ask = (toolName: string) => set.hooks()[0]?.preToolCall?.({ ...CALL, toolName });
    expect([await ask('terminal'), await ask('patch'), await ask('dispatch'), await ask('read_file')]).toEqual([
      { block: expect.stringContaining('A user-defined hook') },
      { block: expect.anything() },
      undefined,
      undefined,
    ]);
  });

  verifies('SURF-9', 'run only once allowed, and not after the command or one of its files changed', async () => {
    const file = await script('hook.sh', 'exit 2');
    const hook = hookOf('pre_tool_call', `${file} --strict`);
    const run = async () => (await fixture.open({}, { hooks: [hook] })).hooks()[0]?.preToolCall?.(CALL);
    const waiting = await fixture.open({}, { hooks: [hook] });
    expect(await waiting.hooks()[0]?.preToolCall?.(CALL)).toBeUndefined();
    expect(waiting.warnings()).toEqual([
      expect.stringMatching(/hooks\.pre_tool_call\[0\] is not run: it was not allowed yet\..*hermes hooks allow/),
    ]);
    await allowHooks(fixture.home, [hook], fixture.project);
    expect(await run()).toEqual({ block: expect.anything() });
    // A plugin set that was opened earlier notices both the consent and the change.
    expect(await waiting.hooks()[0]?.preToolCall?.(CALL)).toEqual({ block: expect.anything() });
    await writeFile(file, '#!/bin/sh\nexit 2 # changed\n');
    expect(await hookState(fixture.home, hook, fixture.project)).toBe('changed');
    expect(await waiting.hooks()[0]?.preToolCall?.(CALL)).toBeUndefined();
    await allowHooks(fixture.home, [hook], fixture.project);
    expect(await run()).toEqual({ block: expect.anything() });
    expect(await hookState(fixture.home, { ...hook, command: `${file} --lax` }, fixture.project)).toBe('new');
    expect(await hookState(fixture.home, { ...hook, event: 'post_tool_call' }, fixture.project)).toBe('new');
    await revokeHooks(fixture.home, [hook]);
    expect(await run()).toBeUndefined();
    await fixture.write('home/allowed-hooks.json', '{"hooks":"all"}');
    expect(await hookState(fixture.home, hook, fixture.project)).toBe('new');
  });

  it('do not run another file with the same relative path in another working directory', async () => {
    await fixture.write('project/check.sh', 'exit 0');
    const hook = hookOf('pre_tool_call', 'sh ./check.sh');
    await allowHooks(fixture.home, [hook], fixture.project);
    expect(await hookState(fixture.home, hook, fixture.project)).toBe('allowed');
    await fixture.write('elsewhere/check.sh', 'rm -rf /');
    expect(await hookState(fixture.home, hook, join(fixture.project, '../elsewhere'))).toBe('changed');
    // `plain` is a script only because an interpreter runs it; `notes` is only written to.
    const plain = await fixture.write('plain', 'exit 0');
    const notes = await fixture.write('notes', 'one');
    const reading = hookOf('post_tool_call', `/bin/bash -u ${plain} >> ${notes}`);
    await allowHooks(fixture.home, [reading], fixture.project);
    await writeFile(notes, 'two');
    expect(await hookState(fixture.home, reading, fixture.project)).toBe('allowed');
    await writeFile(plain, 'exit 1');
    expect(await hookState(fixture.home, reading, fixture.project)).toBe('changed');
  });

  verifies(
    'SURF-9',
    'are killed with all their processes on timeout, and get no secrets from the environment',
    async () => {
      vi.stubEnv('SOME_API_KEY', 'sk-abcdefghijklmnopqrstuvwxyz');
      const [alive, variables] = [join(fixture.home, 'pid'), join(fixture.home, 'env')];
      const set = await allowed(
        hookOf('pre_tool_call', `sleep 300 & echo $! > ${alive}; wait`, { timeoutSeconds: 0.5 }),
        hookOf('pre_tool_call', `env > ${variables}`),
        hookOf('pre_tool_call', 'echo no json'),
        hookOf('pre_tool_call', 'echo broken >&2; exit 7'),
        hookOf('pre_tool_call', 'yes', { key: 'flood' }),
      );
      for (const hook of set.hooks()) expect(await hook.preToolCall?.(CALL)).toBeUndefined();
      const pid = Number(await readFile(alive, 'utf8'));
      await waitUntil(() => expect(processStartTime(pid)).toBe(''));
      expect(await readFile(variables, 'utf8')).not.toContain('sk-abc');
      expect(fixture.log).toEqual([
        expect.stringContaining('timed out after 0.5 s'),
        expect.stringContaining('not a JSON object'),
        expect.stringMatching(/code 7: broken/),
        expect.stringMatching(/"hook":"flood".*exceeded 1 MB/),
      ]);
    },
  );

  verifies('SURF-9', 'return their output when they exit, even if a background process keeps running', async () => {
    const [alive, apart] = [join(fixture.home, 'pid'), join(fixture.home, 'apart')];
    const block = `echo '{"action":"block","message":"not today"}'`;
    const set = await allowed(
      hookOf('pre_tool_call', `sleep 300 & echo $! > ${alive}; ${block}`),
      // One child in a separate process group, which exists before the hook exits, and one child that never stops
      // writing.
      hookOf(
        'pre_tool_call',
        `setsid sh -c 'echo $$ > ${apart}; exec sleep 300' & until [ -s ${apart} ]; do sleep 0.01; done; ${block}`,
      ),
      hookOf('pre_tool_call', `(while sleep 0.05; do echo again >&2; done) & ${block}`, { timeoutSeconds: 1 }),
    );
    for (const hook of set.hooks()) expect(await hook.preToolCall?.(CALL)).toEqual({ block: 'not today' });
    expect(fixture.log).toEqual([]);
    const pid = Number(await readFile(alive, 'utf8'));
    await waitUntil(() => expect(processStartTime(pid)).toBe(''));
    const other = await waitUntil(async () => {
      const text = await readFile(apart, 'utf8');
      expect(text).toMatch(/\d\n/);
      return Number(text);
    });
    process.kill(other);
  });

  it('are killed when Hermes exits', async () => {
    const alive = join(fixture.home, 'pid');
    const set = await allowed(hookOf('pre_tool_call', `echo $$ > ${alive}; exec sleep 300`));
    const running = set.hooks()[0]?.preToolCall?.(CALL);
    const pid = await waitUntil(async () => {
      const text = await readFile(alive, 'utf8');
      expect(text).toMatch(/\d\n/);
      return Number(text);
    });
    set.close();
    expect(await running).toBeUndefined();
    await waitUntil(() => expect(processStartTime(pid)).toBe(''));
  });

  it('are killed by an interrupt', async () => {
    const interrupt = new AbortController();
    const begun = join(fixture.home, 'begun');
    const set = await allowed(hookOf('pre_tool_call', `touch ${begun}; exec sleep 300`));
    const running = set.hooks()[0]?.preToolCall?.({ ...CALL, signal: interrupt.signal });
    await waitUntil(() => readFile(begun));
    interrupt.abort();
    expect(await running).toBeUndefined();
  });

  it('may print anything', () => {
    const events = Object.keys(HOOK_EVENTS) as HookEvent[];
    const output = fc.oneof(fc.string(), fc.json());
    fc.assert(
      fc.property(
        fc.constantFrom(...events),
        output,
        fc.string(),
        fc.integer({ min: -1, max: 255 }),
        (event, text, errors, code) => {
          const read = () => readAnswer(event, { code, output: text, errors });
          expect(['undefined', 'string', 'object', HermesError]).toContain(kindOf(read));
        },
      ),
    );
  });
});
