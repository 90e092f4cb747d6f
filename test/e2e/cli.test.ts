import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type HermesOptions, type ProviderScript, startHermes } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { someOf } from '../support/dose.ts';
import { configFor, jsonLines, lastLine, useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';

const cli = useCliFixture();
const { configure } = cli;
const answerWith = (script: ProviderScript) => cli.server.setScript(script);
const hermes = (args: string[], options: Partial<HermesOptions> = {}) =>
  runHermes(args, { home: cli.home, ...options });

describe('one prompt', () => {
  verifies(['SURF-1', 'SURF-13'], '-z prints the final text and nothing else', async () => {
    await configure();
    answerWith([
      { text: 'I look.', toolCalls: [{ name: 'terminal', arguments: { command: 'echo from-the-tool' } }] },
      { text: 'It says from-the-tool.' },
    ]);
    const { exitCode, stdout, stderr } = await hermes(['-z', 'what does it say?']);
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: 'It says from-the-tool.\n', stderr: '' });
    expect(cli.server.requests).toHaveLength(2);
    expect(cli.server.requests[1]?.rawBody).toEqual(expect.stringContaining('from-the-tool'));
  });

  verifies('SURF-1', '-q streams the answer to stdout and prints everything else to stderr', async () => {
    await configure();
    answerWith([
      { text: 'I look.', toolCalls: [{ name: 'terminal', arguments: { command: 'echo hi' } }] },
      { text: 'Done.' },
    ]);
    const { exitCode, stdout, stderr } = await hermes(['-q', 'go']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'I look.\nDone.\n' });
    // With a pipe, progress is not printed.
    expect(stderr).toMatch(/^Session \S+ \(hermes --resume \S+\)\n$/);
  });

  verifies('SURF-1', 'stdin is context for a prompt, or the prompt itself', async () => {
    await configure();
    await hermes(['-z', 'review this'], { input: 'the diff\n' });
    await hermes([], { input: 'from the pipe\n' });
    await hermes(['words as prompt']);
    expect(cli.server.requests[0]?.rawBody).toContain('review this\\n\\nthe diff');
    expect(cli.server.requests[1]?.rawBody).toContain('from the pipe');
    expect(cli.server.requests[2]?.rawBody).toContain('words as prompt');
  });

  verifies('PROV-4', 'the key is sent to its endpoint', async () => {
    await configure();
    await hermes(['-z', 'hi']);
    expect(cli.server.requests[0]?.headers['authorization']).toBe('Bearer test-key');
  });

  it('does not wait forever for a socket that nobody writes to', async () => {
    await configure();
    const process = startHermes(['-z', 'hi'], { home: cli.home });
    expect((await process.exited).stdout).toBe('ok\n');
  });

  verifies('PROV-1', '--provider selects a named endpoint, --model a model', async () => {
    await cli.home.write(
      'config.yaml',
      `custom_providers:\n  - name: lab\n    base_url: ${cli.server.url}/v1\n    api_key: \${LAB}\n    model: lab-model\n`,
    );
    await cli.home.write('.env', 'LAB=key-from-file\n');
    const first = await hermes(['--provider', 'lab', '-z', 'hi']);
    expect(first).toMatchObject({ exitCode: 0, stdout: 'ok\n' });
    await hermes(['--provider', 'lab', '--model', 'other', '-z', 'hi']);
    expect(cli.server.requests.map((request) => request.headers['authorization'])).toEqual(
      Array.from({ length: 2 }, () => 'Bearer key-from-file'),
    );
    expect(cli.server.requests.map((request) => request.model)).toEqual(['lab-model', 'other']);
  });

  it('does not pass keys of .env to commands', async () => {
    await configure();
    await cli.home.write('.env', 'SOME_SERVICE_KEY=very-secret-value\nPLAIN_SETTING=visible-value\n');
    answerWith([{ toolCalls: [{ name: 'terminal', arguments: { command: 'env' } }] }, { text: 'done' }]);
    await hermes(['--yolo', '-z', 'go']);
    expect(cli.server.requests[1]?.rawBody).not.toContain('very-secret-value');
    expect(cli.server.requests[1]?.rawBody).not.toContain('visible-value');
  });
});

describe('JSON lines', () => {
  verifies('SURF-13', 'every line is a versioned object and the last one is the result', async () => {
    await configure();
    answerWith([{ toolCalls: [{ name: 'terminal', arguments: { command: 'echo hi' } }] }, { text: 'Done.' }]);
    const { exitCode, stdout } = await hermes(['--json', '-q', 'go']);
    const lines = jsonLines(stdout);
    expect(exitCode).toBe(0);
    expect(lines.every((line) => line['v'] === 1 && typeof line['type'] === 'string')).toBe(true);
    expect(lines[0]).toMatchObject({ type: 'started', provider: 'custom', model: 'test-model' });
    expect(lines.map((line) => line['type'])).toEqual(
      expect.arrayContaining(['tool-started', 'tool-finished', 'usage']),
    );
    expect(lines.filter((line) => line['type'] === 'result')).toHaveLength(1);
    expect(lines.at(-1)).toMatchObject({
      type: 'result',
      final_response: 'Done.',
      exit_reason: 'completed',
      exit_code: 0,
      api_calls: 2,
      tool_calls: 1,
      completed: true,
      session_id: expect.any(String),
    });
  });

  verifies('SURF-13', 'failures and wrong usage end with a result line too', async () => {
    await configure();
    answerWith(() => ({ fault: { type: 'status', status: 401, message: 'no such key' } }));
    const failed = await hermes(['--json', '-q', 'go']);
    expect(failed.exitCode).toBe(1);
    expect(lastLine(failed.stdout)).toMatchObject({ type: 'result', exit_reason: 'failed', exit_code: 1 });
    const wrong = await hermes(['--json', '--max-turns', 'many', '-q', 'go']);
    expect(wrong.exitCode).toBe(2);
    expect(lastLine(wrong.stdout)).toMatchObject({ v: 1, type: 'result', exit_code: 2 });
    const empty = await hermes(['--json']);
    expect(lastLine(empty.stdout)).toMatchObject({ type: 'result', exit_code: 2 });
  });
});

describe('exit codes', () => {
  verifies('SURF-13', '1 for a failed turn, with the reason on stderr only', async () => {
    await configure();
    answerWith(() => ({ fault: { type: 'status', status: 401, message: 'no such key' } }));
    const { exitCode, stdout, stderr } = await hermes(['-z', 'go']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain('no such key');
    expect(stderr).not.toContain('test-key');
    expect(stderr).not.toContain('    at ');
  });

  it('says what to do about an invalid key', async () => {
    await cli.home.write('config.yaml', configFor(cli.server).replace('test-key', '"two\\nlines"'));
    const { exitCode, stderr } = await hermes(['-z', 'go']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      /The key from .*config\.yaml, line 5: model\.api_key contains a line break\.\n +Copy the key again/,
    );
    expect(stderr).not.toMatch(/two|lines/);
    expect(cli.server.requests).toEqual([]);
  });

  verifies(['SURF-13', 'LOOP-3'], '4 when the steps are used up, with the summary as the answer', async () => {
    await configure();
    const call = { toolCalls: [{ name: 'terminal', arguments: { command: 'echo again' } }] };
    answerWith((request) => (request.rawBody.includes('"tool_choice":"none"') ? { text: 'So far: nothing.' } : call));
    const { exitCode, stdout } = await hermes(['--max-turns', '2', '-z', 'go']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: 'So far: nothing.\n' });
  });

  verifies(['SURF-13', 'BOUND-2'], '2 for an unreadable configuration, and nothing is written', async () => {
    await cli.home.write('config.yaml', 'agent:\n  max_turns: many\n');
    const wrong = await hermes(['-z', 'go']);
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '' });
    expect(wrong.stderr).toContain(
      `${join(cli.home.path, 'config.yaml')}, line 2: agent.max_turns must be a whole number`,
    );
    await cli.home.write('config.yaml', 'model:\n  default: "open\n');
    const broken = await hermes(['-z', 'go']);
    expect(broken.exitCode).toBe(2);
    expect(broken.stderr).toMatch(/config\.yaml, line \d+, near the key "default"/);
    expect(existsSync(join(cli.home.path, 'state.db'))).toBe(false);
    expect(existsSync(join(cli.home.path, 'logs'))).toBe(false);
  });

  verifies('SURF-13', '2 for wrong usage', async () => {
    await configure();
    for (const args of [
      ['--nonsense'],
      ['-q', 'a', '-z', 'b'],
      ['--resume', 'no-such-session', '-z', 'x'],
      ['-q', ''],
    ]) {
      const { exitCode, stdout, stderr } = await hermes(args);
      expect([args, exitCode, stdout]).toEqual([args, 2, '']);
      expect(stderr).not.toBe('');
    }
  });

  verifies('SURF-13', '--usage-file is written on success and on failure', async () => {
    await configure();
    const file = join(cli.home.workspace, 'usage.json');
    const usage = async () => JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    answerWith([{ text: 'hi', usage: { input: 11, output: 7, cacheRead: 3 } }]);
    await hermes(['--usage-file', 'usage.json', '-z', 'go']);
    expect(await usage()).toMatchObject({
      v: 1,
      input_tokens: 11,
      output_tokens: 7,
      cache_read_tokens: 3,
      total_tokens: 21,
      api_calls: 1,
      exit_reason: 'completed',
      exit_code: 0,
      error: null,
    });
    answerWith(() => ({ fault: { type: 'status', status: 401 } }));
    await hermes(['--usage-file', file, '-z', 'go']);
    expect(await usage()).toMatchObject({ exit_reason: 'failed', exit_code: 1, error: expect.any(String) });
    await cli.home.write('config.yaml', 'model: [');
    await hermes(['--usage-file', file, '-z', 'go']);
    const { v, ...never } = await usage();
    expect(v).toBe(1);
    expect(never).toMatchObject({ exit_code: 2, api_calls: 0, session_id: null, model: null, duration_ms: null });
    const nowhere = await hermes(['--usage-file', '/no/such/folder/u.json', '-z', 'go']);
    expect(nowhere).toMatchObject({ exitCode: 2 });
    expect(nowhere.stderr).toContain('/no/such/folder');
  });
});

describe('sessions', () => {
  verifies(['SURF-1', 'LOOP-11'], '--resume and --continue continue a stored session', async () => {
    await configure();
    const first = lastLine((await hermes(['--json', 'remember the word maple'])).stdout);
    const id = String(first['session_id']);
    await hermes(['--resume', id, '-z', 'second question']);
    await hermes(['--continue', '-z', 'third question']);
    for (const request of cli.server.requests.slice(1)) expect(request.rawBody).toContain('remember the word maple');
    expect(cli.server.requests[2]?.rawBody).toContain('second question');
    const { stdout } = await hermes(['sessions', 'list']);
    expect(stdout).toMatch(new RegExp(`^${id} {2}\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d {2}remember the word maple\\n$`));
  });

  verifies('SURF-1', 'both accept an id, the start of an id, or a title', async () => {
    await configure();
    const id = String(lastLine((await hermes(['--json', 'remember the word maple'])).stdout)['session_id']);
    await hermes(['sessions', 'rename', id, 'Tree work']);
    await hermes(['-z', 'something newer']);
    for (const option of ['--resume', '--continue']) {
      for (const reference of [id, id.slice(0, -2), 'Tree work']) {
        await hermes([option, reference, '-z', 'and now?']);
        expect([option, reference, cli.server.requests.at(-1)?.rawBody]).toEqual([
          option,
          reference,
          expect.stringContaining('remember the word maple'),
        ]);
      }
    }
    const wrong = await hermes(['--continue', 'no such title', '-z', 'x']);
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '' });
    expect(wrong.stderr).toContain('There is no session "no such title"');
    expect((await hermes(['--continue', id, '--resume', id, '-z', 'x'])).exitCode).toBe(2);
  });

  it('lists local times, like the ids', async () => {
    await configure();
    const env = { TZ: 'Etc/GMT-11' };
    await hermes(['-z', 'hi'], { env });
    const { stdout } = await hermes(['sessions', 'list'], { env });
    const [, year, month, day, hour, minute] = /^(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)/.exec(stdout) ?? [];
    const started = Date.parse(`${year}-${month}-${day}T${hour}:${minute}Z`);
    const shown = / {2}(\d{4}-\d\d-\d\d) (\d\d:\d\d) {2}/.exec(stdout) ?? [];
    // The listed time may be slightly later than the start of the session, because it is that of the newest message.
    expect(Math.abs(Date.parse(`${shown[1]}T${shown[2]}Z`) - started)).toBeLessThan(10 * 60_000);
  });

  it('keeps all files in the home private', async () => {
    await configure();
    await hermes(['-z', 'hi']);
    for (const name of ['state.db', 'logs/agent.log']) {
      expect((await stat(join(cli.home.path, name))).mode & 0o077).toBe(0);
    }
    expect(await cli.home.read('logs/agent.log')).not.toContain('test-key');
  });
});

describe('signals', () => {
  verifies(['LOOP-7', 'SURF-13'], 'the first Ctrl-C ends the turn and saves it', async () => {
    await configure();
    answerWith(() => ({ text: 'never finished', fault: { type: 'stall', afterEvents: 2 } }));
    const running = startHermes(['--json', 'a long question'], { home: cli.home, input: '' });
    await cli.server.nextRequest();
    running.kill('SIGINT');
    const { exitCode, stdout } = await running.exited;
    expect(exitCode).toBe(130);
    expect(lastLine(stdout)).toMatchObject({ type: 'result', exit_reason: 'interrupted', interrupted: true });
    answerWith([{ text: 'ok' }]);
    await hermes(['--continue', '-z', 'go on']);
    expect(cli.server.requests.at(-1)?.rawBody).toContain('a long question');
    expect(cli.server.requests.at(-1)?.rawBody).not.toContain('never finished');
  });

  for (const signal of someOf(['SIGTERM', 'SIGHUP'] as const, 2)) {
    verifies('LOOP-7', `${signal} interrupts the turn, saves it and exits`, async () => {
      await configure();
      answerWith([{ toolCalls: [{ name: 'terminal', arguments: { command: 'echo started; sleep 60' } }] }]);
      const running = startHermes(['--json', '-z', 'go'], { home: cli.home, input: '' });
      await running.waitForOutput('"type":"tool-started"');
      running.kill(signal);
      const { exitCode, stdout } = await running.exited;
      expect(exitCode).toBe(130);
      expect(lastLine(stdout)).toMatchObject({ exit_reason: 'interrupted' });
    });
  }

  it('exits silently when the reader closes the pipe', async () => {
    await configure();
    answerWith(() => ({ text: 'many words '.repeat(2000), chunkSize: 50 }));
    const running = startHermes(['--json', '-q', 'go'], { home: cli.home, input: '' });
    await running.waitForOutput('"type":"started"');
    running.child.stdout.destroy();
    const { stderr } = await running.exited;
    expect(stderr).toBe('');
  });
});

describe('without a model', () => {
  verifies(['SURF-1', 'SURF-13'], 'unattended runs do not fall back to the demo', async () => {
    for (const args of [['-z', 'hi'], ['-q', 'hi'], ['--json', '-q', 'hi'], ['a prompt'], ['--continue']]) {
      const { exitCode, stderr } = await hermes(args);
      expect([args, exitCode]).toEqual([args, 2]);
      expect(stderr).toContain('hermes setup');
    }
    const piped = await hermes([], { input: 'a piped prompt' });
    expect(piped).toMatchObject({ exitCode: 2, stdout: '' });
    expect(piped.stderr).toContain('hermes setup');
  });

  verifies('SURF-1', 'a start without arguments shows a read-only tour and the next steps', async () => {
    await writeFile(join(cli.home.workspace, 'README.md'), '# The readme of a test\n');
    const { exitCode, stdout } = await hermes([]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('scripted demo');
    expect(stdout).toContain('# The readme of a test');
    expect(stdout).toContain('hermes setup');
  });

  it('has a demo on request', async () => {
    await writeFile(join(cli.home.workspace, 'notes.txt'), 'x');
    const { exitCode, stdout } = await hermes(['--provider', 'demo', '-z', 'list the files here']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('notes.txt');
    expect(stdout).toContain('Scripted demo');
    await mkdir(join(cli.home.workspace, 'precious'));
    await hermes(['--provider', 'demo', '-z', 'delete precious']);
    expect(existsSync(join(cli.home.workspace, 'precious'))).toBe(true);
  });

  it('can be set up without a terminal', async () => {
    const saved = await hermes([
      'setup',
      '--provider',
      'custom',
      '--model',
      'test-model',
      '--base-url',
      `${cli.server.url}/v1`,
    ]);
    expect(saved).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await hermes(['-z', 'hi'])).toMatchObject({ exitCode: 0, stdout: 'ok\n' });
  });

  verifies('PROV-1', 'OPENAI_BASE_URL defines a custom endpoint if nothing is saved', async () => {
    const env = { OPENAI_BASE_URL: `${cli.server.url}/v1`, OPENAI_API_KEY: 'from-shell', OPENROUTER_API_KEY: 'other' };
    expect(await hermes(['--model', 'm', '-z', 'hi'], { env })).toMatchObject({ exitCode: 0, stdout: 'ok\n' });
    expect(cli.server.requests[0]?.headers['authorization']).toBe('Bearer from-shell');
  });
});

describe('the command itself', () => {
  verifies('SURF-1', 'has a version and help on every level', async () => {
    const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(await hermes(['--version'])).toMatchObject({ exitCode: 0, stdout: `${manifest.version}\n`, stderr: '' });
    for (const level of [[], ['chat'], ['setup'], ['sessions'], ['sessions', 'list'], ['config'], ['config', 'path']]) {
      const { exitCode, stdout } = await hermes([...level, '--help']);
      expect([level, exitCode]).toEqual([level, 0]);
      expect(stdout).toContain('Usage: hermes');
    }
    expect(existsSync(join(cli.home.path, 'state.db'))).toBe(false);
  });

  it('shows the location of the configuration', async () => {
    expect((await hermes(['config', 'path'])).stdout).toBe(`${join(cli.home.path, 'config.yaml')}\n`);
  });

  it('works with a read-only home as far as possible', async () => {
    await configure();
    await chmod(cli.home.path, 0o500);
    try {
      const { exitCode, stdout } = await hermes(['--version']);
      expect({ exitCode, stdout: stdout !== '' }).toEqual({ exitCode: 0, stdout: true });
    } finally {
      await chmod(cli.home.path, 0o700);
    }
  });
});
