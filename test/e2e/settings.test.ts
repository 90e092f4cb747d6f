import { existsSync } from 'node:fs';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { API_MODES } from '../../src/contracts/index.ts';
import { type ProviderScript, type Reply } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { lastLine, useCliFixture } from '../support/cli-fixture.ts';
import { dose, fullDoseOnly } from '../support/dose.ts';
import { fastClock, runHermes } from '../support/run-hermes.ts';
import { startTerminal } from '../support/terminal.ts';

// Tests each setting and flag through the real command: it must change the behaviour, not only be parsed.

const cli = useCliFixture();
const { configure } = cli;
const hermes = (...args: string[]) => runHermes(args, { home: cli.home });
const openTerminal = (...args: string[]) => startTerminal(cli.home, args);
const calling = (command: string): Reply => ({ toolCalls: [{ name: 'terminal', arguments: { command } }] });
/** Calls a tool in every step, and writes a summary when it has to. */
const restless: ProviderScript = (request) =>
  request.rawBody.includes('"tool_choice":"none"') ? { text: 'So far.' } : calling(`echo ${request.number}`);

describe('limits', () => {
  verifies('LOOP-3', 'agent.max_turns limits the steps, and --max-turns overrides it', async () => {
    await configure('agent:\n  max_turns: 3\n');
    cli.server.setScript(restless);
    expect(await hermes('-z', 'go')).toMatchObject({ exitCode: 4, stdout: 'So far.\n' });
    // The last request asks for the summary.
    expect(cli.server.requests).toHaveLength(3 + 1);
    await hermes('--max-turns', '1', '-z', 'go');
    expect(cli.server.requests).toHaveLength(4 + 1 + 1);
  });

  it('limits.session_tokens ends the turn that exceeds it', async () => {
    await configure('limits:\n  session_tokens: 1000\n');
    cli.server.setScript((request) => ({ ...calling(`echo ${request.number}`), usage: { input: 590, output: 10 } }));
    const { exitCode, stdout } = await hermes('--json', '-q', 'go');
    expect(exitCode).toBe(4);
    expect(lastLine(stdout)).toMatchObject({
      exit_reason: 'limit_reached',
      api_calls: 2,
      error: { message: expect.stringContaining('session_tokens') },
    });
  });

  it('limits.turn_seconds ends a turn that takes too long', async () => {
    await configure('limits:\n  turn_seconds: 0.3\n');
    cli.server.setScript(() => ({ text: 'slow', fault: { type: 'stall', afterEvents: 1 } }));
    const { exitCode, stdout } = await hermes('--json', '-q', 'go');
    expect(exitCode).toBe(4);
    expect(lastLine(stdout)).toMatchObject({
      exit_reason: 'limit_reached',
      error: { message: expect.stringContaining('turn_seconds') },
    });
  });

  verifies('CALL-2', 'agent.stream_stale_timeout aborts a silent stream and retries', async () => {
    await configure('agent:\n  stream_stale_timeout: 1\n');
    cli.server.setScript([{ text: 'silent', fault: { type: 'stall', afterEvents: 1 } }, { text: 'Here I am.' }]);
    const run = await runHermes(['-z', 'go'], { home: cli.home, clock: fastClock });
    expect(run).toMatchObject({ exitCode: 0, stdout: 'Here I am.\n' });
    expect(cli.server.requests).toHaveLength(2);
  });
});

describe('models', () => {
  for (const mode of API_MODES) {
    verifies('CALL-1', `model.api_mode and custom_providers[].api_mode select ${mode}`, async () => {
      const baseUrl = `base_url: ${cli.server.baseUrl(mode)}`;
      const named = `custom_providers:\n  - { name: lab, model: lab-model, api_mode: ${mode}, ${baseUrl} }\n`;
      const main = `model: { provider: custom, default: main-model, api_mode: ${mode}, ${baseUrl} }\n`;
      await cli.home.write('config.yaml', main + named);
      expect(await hermes('-z', 'hi')).toMatchObject({ exitCode: 0, stdout: 'ok\n' });
      expect(await hermes('--provider', 'lab', '-z', 'hi')).toMatchObject({ exitCode: 0, stdout: 'ok\n' });
      expect(cli.server.requests.map(({ apiMode, model }) => [apiMode, model])).toEqual([
        [mode, 'main-model'],
        [mode, 'lab-model'],
      ]);
    });
  }

  it('model.context_length limits tool results, and the full text is saved to a file', async () => {
    await configure('  context_length: 8000\n');
    cli.server.setScript([calling('seq 1 4000'), { text: 'done' }]);
    await hermes('-z', 'go');
    const result = cli.server.requests[1]?.toolResults[0]?.content ?? '';
    expect(result.length).toBeLessThan(8000);
    const [file = ''] = new RegExp(`${cli.home.path}\\S+\\.txt`).exec(result) ?? [];
    expect(await readFile(file, 'utf8')).toContain('\n2000\n');
    expect((await stat(file)).mode & 0o077).toBe(0);
  });

  for (const key of ['fallback_model', 'fallback_providers']) {
    verifies('CALL-6', `${key} continues when the model fails`, async () => {
      const entry = `{ provider: custom, model: second-model, base_url: ${cli.server.url}/v1, api_key: other-key }`;
      await configure(key === 'fallback_model' ? `${key}: ${entry}\n` : `${key}:\n  - ${entry}\n`);
      cli.server.setScript((request) =>
        request.model === 'second-model' ? { text: 'second' } : { fault: { type: 'status', status: 401 } },
      );
      expect(await hermes('-z', 'hi')).toMatchObject({ exitCode: 0, stdout: 'second\n' });
      expect(cli.server.requests.at(-1)?.headers['authorization']).toBe('Bearer other-key');
      const shown = await hermes('-q', 'hi');
      expect(`${shown.stdout}${shown.stderr}`.match(/switching to custom\/second-model/g)).toHaveLength(1);
    });
  }
});

describe('output and questions', () => {
  const INCOMPLETE = 'fallback_model:\n  provider: custom\n';

  verifies('SURF-13', '-z prints only the final text to stdout, whatever the warnings', async () => {
    await configure(INCOMPLETE);
    cli.server.setScript([{ text: 'I look.', ...calling('echo hi') }, { text: 'Done.' }]);
    const { stdout, stderr } = await hermes('-z', 'go');
    expect(stdout).toBe('Done.\n');
    expect(stderr).toContain('fallback_model is ignored');
  });

  verifies('SURF-1', '--quiet prints nothing to stderr', async () => {
    await configure(INCOMPLETE);
    cli.server.setScript(restless);
    for (const form of ['-q', '-z']) {
      const { exitCode, stderr } = await hermes('--quiet', '--max-turns', '1', form, 'go');
      expect([form, exitCode, stderr]).toEqual([form, 4, '']);
    }
  });

  verifies('APPR-3', 'dangerous commands are denied when unattended, and --yolo allows them', async () => {
    await configure();
    const precious = join(cli.home.workspace, 'precious');
    await mkdir(precious);
    cli.server.setScript(({ toolResults }) => (toolResults.length === 0 ? calling('rm -rf precious') : { text: 'ok' }));
    await hermes('-z', 'go');
    expect(existsSync(precious)).toBe(true);
    await hermes('--yolo', '-z', 'go');
    expect(existsSync(precious)).toBe(false);
  });

  verifies('APPR-3', 'approvals.timeout limits the time for an answer', fullDoseOnly, async () => {
    await configure('approvals:\n  timeout: 0.3\n');
    const precious = join(cli.home.workspace, 'precious');
    await mkdir(precious);
    cli.server.setScript([calling('rm -rf precious'), { text: 'Left alone.' }]);
    const chat = openTerminal('chat', 'go');
    await chat.see('o/s/a/d');
    await chat.see('No answer, so the request was denied.');
    await chat.see('✗ denied');
    await chat.see('Left alone.');
    expect(existsSync(precious)).toBe(true);
    chat.type('\u0004');
    expect(await chat.exited).toBe(0);
  });

  for (const mode of dose(['queue'], ['interrupt', 'queue'])) {
    verifies('LOOP-7', `display.busy_input_mode ${mode} makes a line the next message`, async () => {
      await configure(`display:\n  busy_input_mode: ${mode}\n`);
      const go = join(cli.home.workspace, 'go');
      const wait = calling('while [ ! -e go ]; do sleep 0.02; done');
      cli.server.setScript(({ lastUserText, toolResults }) => {
        if (lastUserText === 'second') return { text: 'The second answer.' };
        return toolResults.length === 0 ? wait : { text: 'The first answer.' };
      });
      const chat = openTerminal('chat', 'first');
      await cli.server.nextRequest();
      chat.type('second\r');
      await chat.see('second');
      // In interrupt mode the new line ends the turn; in the other mode it is queued until the turn has ended.
      if (mode === 'interrupt') await chat.see('was interrupted');
      else await mkdir(go).then(() => chat.see('The first answer.'));
      await chat.see('The second answer.');
      expect(cli.server.requests.at(-1)?.lastUserText).toBe('second');
      expect(cli.server.requests).toHaveLength(mode === 'interrupt' ? 2 : 3);
      chat.type('\u0004');
      expect(await chat.exited).toBe(0);
    });
  }
});
