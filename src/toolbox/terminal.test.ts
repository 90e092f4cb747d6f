import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { isRunning, uniqueSeconds } from '../environments/conformance/bench.ts';
import { calling, withAgent } from '../../test/support/agent-fixture.ts';
import type { JsonObject } from '../base/index.ts';
import { terminalTool } from './terminal.ts';
import { createToolFixture, errorOf } from './tools.fixture.ts';

describe('terminal', () => {
  it('returns the output, and a note about the end only if needed', async () => {
    await using fixture = await createToolFixture();
    expect(await fixture.run('terminal', { command: 'echo hello' })).toEqual({ status: 'ok', content: 'hello' });
    expect((await fixture.run('terminal', { command: 'true' })).content).toBe('(no output)');
    expect((await fixture.run('terminal', { command: 'echo out; echo err >&2; exit 4' })).content).toBe(
      'out\nerr\n[exit code 4]',
    );
    expect((await fixture.run('terminal', { command: 'echo abc | grep x' })).content).toBe('[exit code 1: no match]');
    expect((await fixture.run('terminal', { command: 'no-such-program-here' })).content).toContain(
      '[exit code 127: command not found]',
    );
    expect((await fixture.run('terminal', { command: 'kill -SEGV $$' })).content).toBe('[killed by SIGSEGV]');
    expect(fixture.progress.join('')).toContain('hello\n');
  });

  verifies('OBS-4', 'redacts secrets in live output, also across chunks', async () => {
    await using fixture = await createToolFixture();
    const waiting = 'until [ -e continue ]; do sleep 0.01; done';
    const command = `echo begun; printf ghp_a1B2c3D4; ${waiting}; printf 'e5F6g7H8i9\\nPASSWORD=hunter2hunter2\\n'`;
    const running = fixture.run('terminal', { command });
    await expect.poll(() => fixture.progress.length).toBeGreaterThan(0);
    await fixture.put('continue', '');
    const { content } = await running;
    expect(content).toBe('begun\n«secret removed»\nPASSWORD=«secret removed»');
    expect(fixture.progress.join('')).toBe(`${content}\n`);
    expect(fixture.progress.length).toBeGreaterThan(1);
  });

  verifies(
    'LOOP-12',
    'counts a failing command as a failed call, but not an exit code that means "no match"',
    async () => {
      await using fixture = await createToolFixture();
      const run = async (command: string) => fixture.run('terminal', { command });
      expect(await run('echo out; exit 4')).toEqual({ status: 'error', content: 'out\n[exit code 4]' });
      expect((await run('no-such-program-here')).status).toBe('error');
      expect((await run('kill -SEGV $$')).status).toBe('error');
      expect((await run('exit 4 || true')).status).toBe('error');
      expect((await run('false || true')).status).toBe('ok');
      expect((await run('echo abc | grep x')).status).toBe('ok');
      expect((await run('grep x no-such-file')).status).toBe('error');
    },
  );

  verifies('LOOP-12', 'stops the turn when the same command keeps failing in the same way', async () => {
    await withAgent(
      () => calling('terminal', { command: 'echo "1 test failed"; exit 1' }),
      async ({ agent, store }) => {
        const result = await agent.runConversation({ userMessage: 'make the tests pass' });
        expect(result).toMatchObject({ exitReason: 'repetition_stopped', toolCalls: 5 });
        const messages = await store.getConversation(agent.sessionId);
        const [first, , third] = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
        expect(first).toBe('1 test failed\n[exit code 1]');
        expect(third).toContain('failed 3 times with the same error');
      },
      { toolList: [terminalTool] },
    );
  });

  it('kills a command that times out, and says so', async () => {
    await using fixture = await createToolFixture();
    const { status, content } = await fixture.run('terminal', { command: 'echo begun; sleep 60', timeout: 1 });
    expect(status).toBe('error');
    expect(content).toMatch(/^begun\n\[timed out after 1 s/);
  });

  it('runs in workdir, and rejects a missing directory', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('sub/x.txt', '');
    expect((await fixture.run('terminal', { command: 'ls', workdir: 'sub' })).content).toBe('x.txt');
    expect(errorOf(await fixture.run('terminal', { command: 'ls', workdir: 'none' }))).toContain(
      'none does not exist. Nothing was run.',
    );
    expect(errorOf(await fixture.run('terminal', { command: 'ls', workdir: 'sub/x.txt' }))).toContain(
      'x.txt is not a directory. Nothing was run.',
    );
  });

  it('says that the working directory was deleted, and runs elsewhere on request', async () => {
    await using fixture = await createToolFixture();
    await fixture.run('terminal', { command: 'mkdir gone && cd gone' });
    await fixture.run('terminal', { command: 'rmdir ../gone' });
    const refused = errorOf(await fixture.run('terminal', { command: 'ls' }));
    expect(refused).toMatch(/^The working directory \S+gone no longer exists\. Nothing was run\. Set workdir/);
    expect((await fixture.run('terminal', { command: 'echo here', workdir: fixture.folder })).content).toMatch(/^here/);
  });

  verifies('TOOL-7', 'describes binary zeros instead of sending thousands of them', async () => {
    await using fixture = await createToolFixture();
    const { content } = await fixture.run('terminal', {
      command: "echo first; head -c 20000 /dev/zero; printf 'a\\0b\\001\\t'; echo last",
    });
    expect(content).toBe('first\n[20,000 NUL characters]a␀b␁\tlast');
    const many = await fixture.run('terminal', { command: 'head -c 9000000 /dev/zero' });
    expect(JSON.stringify(many.content).length).toBeLessThan(1_000);
  });

  it('returns the output so far on an interrupt', async () => {
    await using fixture = await createToolFixture();
    const abort = new AbortController();
    const outcome = fixture.run('terminal', { command: 'echo begun; touch begun; sleep 60' }, abort.signal);
    while (!(await readFile(join(fixture.folder, 'begun')).catch(() => undefined)))
      await new Promise((resolve) => setTimeout(resolve, 5));
    abort.abort();
    expect(await outcome).toEqual({
      status: 'interrupted',
      content: 'begun\n[interrupted by the user; the command and its child processes were killed]',
    });
  });

  it('keeps the beginning and the end of long output', async () => {
    await using fixture = await createToolFixture();
    const { content } = await fixture.run('terminal', {
      command: 'echo first; yes 12345678 | head -c 200000; echo last',
    });
    expect(content.length).toBeLessThan(50_200);
    expect(content).toMatch(/^first/);
    expect(content).toMatch(/last\n\[truncated: 50,000 of 200,011 characters shown; the full output was not saved]$/);
    expect(content).toContain('characters omitted');
  });

  verifies('TOOLX-6', 'saves long output in full to a private file that the notice names', async () => {
    await using other = await createToolFixture();
    const spillFolder = join(other.root, 'spill');
    await using fixture = await createToolFixture({ set: { spillFolder } });
    await fixture.run('terminal', { command: 'seq 1 100' });
    await expect(readdir(spillFolder)).rejects.toThrow('ENOENT');
    const { status, content } = await fixture.run('terminal', { command: 'seq 1 100000; exit 3' });
    expect(status).toBe('error');
    const [file = ''] = await readdir(join(spillFolder, 's'));
    const path = join(spillFolder, 's', file);
    const notice = `[truncated: 50,000 of 588,895 characters shown; full output saved to ${path}; read it with read_file]`;
    expect(content.endsWith(`\n100000\n${notice}\n[exit code 3]`)).toBe(true);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).toBe(Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join(''));
    expect((await fixture.run('read_file', { path, offset: 70_000, limit: 1 })).content).toMatch(/^70000\|70000\n/);
  });

  verifies('TOOLX-6', 'truncates long output once, also for a small context window', async () => {
    await using other = await createToolFixture();
    const spillFolder = join(other.root, 'a-folder-with-a-rather-long-name'.repeat(5));
    await using fixture = await createToolFixture({ contextLength: 8000, set: { spillFolder } });
    for (const command of ['seq 1 20000; exit 3', 'seq 1 20000', 'seq 1 20000 | tr "\\n" "\\""']) {
      const { content } = await fixture.run('terminal', { command });
      expect(content.length).toBeLessThanOrEqual(4800);
      expect(content.match(/characters omitted/g)).toHaveLength(1);
    }
    const files = await readdir(join(spillFolder, 's'));
    expect(files).toHaveLength(3);
    for (const file of files) expect((await stat(join(spillFolder, 's', file))).size).toBe(108_894);
  });

  it('explains exit codes, and questions a success that a filter reports', async () => {
    await using fixture = await createToolFixture();
    const run = async (command: string) => (await fixture.run('terminal', { command })).content;
    expect(await run('echo a > a; echo b > b; diff -q a b')).toContain('[exit code 1: the files differ]');
    expect(await run('touch f; ./f')).toContain('[exit code 126: not executable]');
    expect(await run('(kill -KILL $BASHPID); exit 137')).toContain('[exit code 137: killed by SIGKILL');
    expect(await run('export LOST=1; kill -KILL $$')).toBe(
      '[killed by SIGKILL; possible causes: the command itself, another process, or the system running out of memory. Variables set by this command are lost.]',
    );
    expect(await run('echo "<$LOST>"')).toBe('<>');
    expect(await run('exit 143')).toBe('[exit code 143: killed by SIGTERM]');
    expect(await run('timeout 0.01 sleep 5')).toBe('[exit code 124: timed out]');
    const masked = '[exit code 0 is the exit code of tail; the command before the pipe may have failed]';
    expect(await run('(echo "2 tests failed"; exit 1) 2>&1 | tail -5')).toBe(`2 tests failed\n${masked}`);
    expect(await run('(echo "2 tests passed"; exit 1) | tail -5')).toBe('2 tests passed');
    expect(await run('echo "| tail: failed"')).toBe('| tail: failed');
  });

  it('reports the working directory only when it has changed', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('sub/x.txt', '');
    const run = async (args: JsonObject) => (await fixture.run('terminal', args)).content;
    expect(await run({ command: 'cd sub' })).toBe(
      `[the working directory is now ${join(fixture.folder, 'sub')}, also for the file tools]`,
    );
    expect(await run({ command: 'ls' })).toBe('x.txt');
    expect(await run({ command: 'cd /', workdir: fixture.folder })).toBe('(no output)');
  });

  verifies('TOOL-6', 'rejects commands that belong in the background, with advice', async () => {
    await using fixture = await createToolFixture();
    const refused = async (args: JsonObject) => errorOf(await fixture.run('terminal', args));
    expect(await refused({ command: 'sleep 1', timeout: 601 })).toContain(
      'timeout 601 exceeds the maximum of 600 s. Nothing was run.',
    );
    expect(await refused({ command: 'sleep 1 &' })).toContain('background: true');
    expect(await refused({ command: 'npm run dev' })).toContain('background: true');
    expect((await fixture.run('terminal', { command: 'cat', timeout: 600 })).content).toBe('(no output)');
  });

  verifies('TOOL-6', 'reports processes that a command left running, and adopts them', async () => {
    await using fixture = await createToolFixture();
    const seconds = uniqueSeconds();
    const { content } = await fixture.run('terminal', { command: `sleep ${seconds} & echo begun` });
    const [, pid, id = ''] =
      /^begun\n\[the command left a process running: pid (\d+) \(sleep [\d.]+\)\. It is now background process (proc_\w+); manage it with the process tool]$/.exec(
        content,
      ) ?? [];
    const list = await fixture.run('process', { action: 'list' });
    expect(list.content).toBe(`${id} (pid ${pid}), running: sleep ${seconds} & echo begun`);
    const submit = await fixture.run('process', { action: 'submit', session_id: id, data: 'x' });
    expect(errorOf(submit)).toContain('the command that started it exited');
    const kill = await fixture.run('process', { action: 'kill', session_id: id });
    expect(kill.content).toContain('Killed the process and its child processes');
    expect(isRunning(`sleep ${seconds}`)).toBe(false);
    expect((await fixture.run('terminal', { command: 'sleep 0.01 & wait' })).content).toBe('(no output)');
  });

  verifies('TOOL-6', 'runs in a pseudo-terminal of 80 columns on request', async () => {
    await using fixture = await createToolFixture();
    const run = async (args: JsonObject, signal?: AbortSignal) =>
      fixture.run('terminal', { pty: true, ...args }, signal);
    const size = await run({ command: '[ -t 1 ] && printf "\\033[31mred\\033[0m\\n"; stty size; exit 4' });
    expect(size).toEqual({ status: 'error', content: 'red\n24 80\n[exit code 4]' });
    const late = await run({ command: 'echo begun; sleep 60', timeout: 1 });
    expect(late.content).toBe(
      'begun\n[timed out after 1 s; the command and its child processes were killed. Use a longer timeout (at most 600) or background: true.]',
    );
    const long = await run({ command: 'seq 1 30000' });
    expect(long.content).toMatch(/^1\n2\n/);
    expect(long.content).toMatch(
      /\n29999\n30000\n\[truncated: 50,000 of 168,894 characters shown; the full output was not saved]$/,
    );
    const abort = new AbortController();
    const outcome = run({ command: 'touch begun; sleep 60' }, abort.signal);
    while (!(await readFile(join(fixture.folder, 'begun')).catch(() => undefined)))
      await new Promise((resolve) => setTimeout(resolve, 5));
    abort.abort();
    expect((await outcome).status).toBe('interrupted');
  });

  it('times out after three minutes by default', async () => {
    await using fixture = await createToolFixture();
    const [prepared] = await fixture.tools.prepare([{ id: '1', name: 'terminal', arguments: '{"command":"ls"}' }]);
    expect(prepared).toMatchObject({ args: { command: 'ls', timeout: 180 } });
  });

  verifies(['APPR-1', 'APPR-3'], 'denies a dangerous command if no user is available', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('keep/x.txt', 'x');
    const outcome = await fixture.run('terminal', { command: 'rm -rf keep' });
    expect(outcome.status).toBe('denied');
    expect(errorOf(outcome)).toContain('recursive delete');
    expect(errorOf(outcome)).toContain('another way');
    expect(await fixture.get('keep/x.txt')).toBe('x');
    expect(fixture.asked).toMatchObject([
      { toolName: 'terminal', subject: 'rm -rf keep', reasons: [{ rule: 'recursive delete' }] },
    ]);
  });

  verifies('APPR-3', 'keeps an approval for the session', async () => {
    await using fixture = await createToolFixture({ answers: ['session'] });
    expect((await fixture.run('terminal', { command: 'rm -rf a' })).status).toBe('ok');
    expect((await fixture.run('terminal', { command: 'rm -rf b' })).status).toBe('ok');
    expect(fixture.asked).toHaveLength(1);
    expect([...fixture.state.approvedRules]).toEqual(['recursive delete']);
  });

  verifies('APPR-2', 'applies only the hard block with approvals off', async () => {
    await using fixture = await createToolFixture({ guard: { mode: 'off' } });
    await fixture.put('x/y.txt', '');
    expect((await fixture.run('terminal', { command: 'rm -rf x' })).status).toBe('ok');
    const outcome = await fixture.run('terminal', { command: `rm -rf ${fixture.home}`, workdir: '/' });
    expect(outcome.status).toBe('denied');
    expect(errorOf(outcome)).toContain(
      'Blocked: this would wipe the system or the home directory. Nothing was run. This operation is blocked in every mode',
    );
    expect(fixture.asked).toEqual([]);
  });
});
