import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, closeSync, watch } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { type HermesOptions, startHermes } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly, someOf } from '../support/dose.ts';
import { lastLine, jsonLines, useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';

const cli = useCliFixture();
const { configure } = cli;
const BINARY = join(import.meta.dirname, '../../bin/hermes.js');
const hermes = (args: string[], options: Partial<HermesOptions> = {}) =>
  runHermes(args, { home: cli.home, ...options });
const usageFile = () => join(cli.home.workspace, 'usage.json');
const usage = async () => JSON.parse(await readFile(usageFile(), 'utf8')) as Record<string, unknown>;
const environment = () => ({ ...process.env, HERMES_HOME: cli.home.path, HOME: cli.home.userHome });

describe('the last line of --json output', () => {
  verifies(['SURF-13', 'LOOP-7'], 'is a result record after a second signal', async () => {
    await configure();
    // The command ignores signals, so the turn is still running when the second signal arrives.
    const command = 'trap "" TERM INT HUP; echo up; while :; do sleep 0.05; done';
    cli.server.setScript([{ toolCalls: [{ name: 'terminal', arguments: { command } }] }]);
    const running = startHermes(['--json', '-q', 'go'], { home: cli.home, input: '' });
    // The command sets its traps before it prints, so its first output shows that they are set.
    await running.waitForOutput('"type":"tool-progress"');
    running.kill('SIGINT');
    running.kill('SIGTERM');
    const { exitCode, stdout } = await running.exited;
    expect(exitCode).toBe(130);
    const lines = jsonLines(stdout);
    expect(lines.filter((line) => line['type'] === 'result')).toHaveLength(1);
    expect(lines.at(-1)).toMatchObject({
      type: 'result',
      exit_reason: 'interrupted',
      exit_code: 130,
      session_id: lines[0]?.['session_id'],
      error: { message: expect.stringMatching(/^interrupted by SIG(?:INT|TERM)$/) },
    });
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    verifies('SURF-13', `is a result record if ${signal} arrives while stdin is read`, async () => {
      await configure();
      const running = startHermes(['--json', '--usage-file', usageFile(), '-q', 'go'], { home: cli.home });
      // More than the pipe can buffer, so when the write completes, the process is reading stdin.
      await new Promise((resolve) => running.child.stdin.write('x'.repeat(2_000_000), resolve));
      running.kill(signal);
      const { exitCode, stdout, stderr } = await running.exited;
      expect(exitCode).toBe(130);
      expect(lastLine(stdout)).toMatchObject({ type: 'result', exit_reason: 'interrupted', exit_code: 130 });
      expect(stderr).toBe(`hermes: Stopped by ${signal} before anything was started.\n`);
      expect(await usage()).toMatchObject({ exit_reason: 'interrupted', exit_code: 130, api_calls: 0 });
      expect(cli.server.requests).toEqual([]);
    });
  }

  verifies(['SURF-13', 'BOUND-4'], 'is not lost if signals arrive after the turn', fullDoseOnly, async () => {
    await configure();
    cli.server.setScript([{ text: 'many words '.repeat(100_000), chunkSize: 100_000 }]);
    const wal = join(cli.home.path, 'state.db-wal');
    // The store is closed after the end of the turn was printed, and then its write-ahead log disappears.
    const over = new Promise<void>((resolve) => {
      const watcher = watch(cli.home.path, () => {
        if (!existsSync(usageFile()) || existsSync(wal)) return;
        watcher.close();
        resolve();
      });
    });
    // Nothing reads the pipe yet, so the process cannot exit before the signal.
    const child = spawn(process.execPath, [BINARY, '--json', '--usage-file', usageFile(), '-q', 'go'], {
      cwd: cli.home.workspace,
      env: environment(),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await over;
    // The turn has ended; only the output of its lines is still pending.
    expect((await hermes(['sessions', 'list'])).stdout).toContain('go');
    expect(child.exitCode).toBeNull();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const) child.kill(signal);
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    const [exitCode] = (await once(child, 'close')) as [number | null];
    expect(exitCode).toBe(0);
    expect(lastLine(stdout)).toMatchObject({ type: 'result', exit_code: 0, completed: true });
  });

  verifies('SURF-13', 'reports what is wrong with a command line', async () => {
    const { exitCode, stdout } = await hermes(['--json', '--usage-file', usageFile(), '--nonsense', '-q', 'go']);
    expect(exitCode).toBe(2);
    expect(lastLine(stdout)).toMatchObject({ error: { message: 'Unknown option `--nonsense`.' } });
    expect(await usage()).toMatchObject({ exit_code: 2, error: 'Unknown option `--nonsense`.' });
  });

  verifies(['SURF-1', 'SURF-13'], '--json without a prompt and without a model is an error, not a tour', async () => {
    const { exitCode, stdout } = await hermes(['--json']);
    expect(exitCode).toBe(2);
    expect(jsonLines(stdout)).toHaveLength(1);
    expect(lastLine(stdout)).toMatchObject({ exit_code: 2, error: { message: 'No model is configured.' } });
  });
});

describe.skipIf(!existsSync('/dev/full'))('a full disk', () => {
  verifies('SURF-13', 'is reported in one line with exit code 1 by every command that writes', async () => {
    await configure();
    const commands = [['-z', 'x'], ['-q', 'x', '--quiet'], ['--json', '-q', 'x'], ['--help'], ['--version']];
    for (const args of someOf(commands, 2)) {
      const full = openSync('/dev/full', 'w');
      const child = spawn(process.execPath, [BINARY, ...args], {
        cwd: cli.home.workspace,
        env: environment(),
        stdio: ['ignore', full, 'pipe'],
      });
      closeSync(full);
      let stderr = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      const [exitCode] = (await once(child, 'close')) as [number | null];
      expect([args, exitCode]).toEqual([args, 1]);
      expect(stderr).toMatch(/^hermes: Cannot write to standard output: ENOSPC.*\n$/);
    }
  });
});

describe('exit code 2, because nothing was started', () => {
  const ends = async (args: string[], said: string | RegExp, env: Record<string, string> = {}) => {
    const { exitCode, stdout, stderr } = await hermes(args, { env });
    expect([args, exitCode, stdout]).toEqual([args, 2, '']);
    expect(stderr).toMatch(said);
    expect(cli.server.requests).toEqual([]);
  };

  verifies(['SURF-13', 'BOUND-2'], 'for an unusable home or database', async () => {
    const file = join(cli.home.workspace, 'file');
    await writeFile(file, 'only text, and no database at all\n'.repeat(40));
    const demo = ['--provider', 'demo', '-z', 'x'];
    await ends(demo, 'cannot be used', { HERMES_HOME: file });
    await ends(demo, 'cannot be used', { HERMES_HOME: join(file, 'below') });
    await ends(['sessions', 'list'], 'cannot be used', { HERMES_HOME: file });
    await cli.home.write('state.db', await readFile(file, 'utf8'));
    await ends(demo, 'is not a SQLite database');
    const other = join(cli.home.workspace, 'other');
    await mkdir(join(other, 'state.db'), { recursive: true });
    await ends(demo, /is not a file[^]*HERMES_HOME/, { HERMES_HOME: other });
  });

  verifies('SURF-13', 'for --resume with an ambiguous id', async () => {
    for (const prompt of ['list the files here', 'again']) await hermes(['--provider', 'demo', '-z', prompt]);
    const { stdout } = await hermes(['sessions', 'list']);
    await ends(['--provider', 'demo', '--resume', stdout.slice(0, 6), '-z', 'x'], 'matches several session ids');
    await ends(['sessions', 'show', stdout.slice(0, 6)], 'matches several session ids');
  });

  verifies('SURF-13', 'for a usage file that is not a regular file, which is not changed', async () => {
    await configure();
    await ends(['--usage-file', '/dev/null', '-z', 'x'], 'usage file /dev/null: it is not a regular file');
    const link = join(cli.home.workspace, 'link');
    await symlink(join(cli.home.workspace, 'nothing'), link);
    await ends(['--usage-file', link, '-z', 'x'], 'not a regular file');
  });
});

it('lists sessions even if a row has an invalid time', async () => {
  await hermes(['--provider', 'demo', '-z', 'list the files here']);
  for (const time of ["'nonsense'", '9e300', '9223372036854775807', 'NULL']) {
    const database = new DatabaseSync(join(cli.home.path, 'state.db'));
    database.exec(
      `UPDATE messages SET timestamp = ${time === 'NULL' ? 0 : time}; UPDATE sessions SET ended_at = ${time}`,
    );
    if (time !== 'NULL') database.exec(`UPDATE sessions SET started_at = ${time}`);
    database.close();
    const { exitCode, stdout } = await hermes(['sessions', 'list']);
    expect([time, exitCode, stdout]).toEqual([time, 0, expect.stringContaining('list the files here')]);
    expect(stdout).not.toContain('NaN');
  }
});
