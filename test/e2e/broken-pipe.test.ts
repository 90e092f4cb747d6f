import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { runHermes } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { someOf } from '../support/dose.ts';
import { useCliFixture } from '../support/cli-fixture.ts';

const cli = useCliFixture();
const BINARY = join(import.meta.dirname, '../../bin/hermes.js');

const AT_ONCE = 4;

/** All commands that list something, in the forms that scripts use. */
const COMMANDS = someOf(
  [
    '--help',
    'help sessions',
    'tools',
    'tools list --json',
    'skills list',
    'sessions list',
    'sessions list --json',
    'sessions stats',
    'sessions search hello',
    'sessions export -',
    'status',
    'doctor --offline',
    'insights',
    'logs',
    'config show',
    'config show --json',
    'config explain model',
    'prompt-size',
    'dump',
    'completion bash',
    'auth list',
    'fallback list',
    'profile list',
    'memory show',
    'approvals list',
    'model show',
    'update',
  ],
  6,
);

/** The reader closes the pipe before the first line is written. */
async function runWithoutReader(command: string): Promise<{ code: string; stderr: string }> {
  const { path, workspace } = cli.home;
  const env = { PATH: process.env['PATH'], TMPDIR: tmpdir(), HOME: cli.home.userHome, HERMES_HOME: path };
  const line = `"$0" "$1" ${command} | true; echo "\${PIPESTATUS[0]}"`;
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', line, process.execPath, BINARY], {
    cwd: workspace,
    env,
  });
  return { code: stdout.trim(), stderr };
}

verifies('SURF-13', 'a listing ends silently when its reader closes the pipe', async () => {
  cli.server.setScript(() => ({ text: 'hello' }));
  await cli.configure();
  expect((await runHermes(['-z', 'hello'], { home: cli.home })).exitCode).toBe(0);
  const ended: { command: string; code: string; stderr: string }[] = [];
  // A few at a time, because other tests run concurrently.
  for (let from = 0; from < COMMANDS.length; from += AT_ONCE) {
    const some = COMMANDS.slice(from, from + AT_ONCE);
    ended.push(
      ...(await Promise.all(some.map(async (command) => ({ command, ...(await runWithoutReader(command)) })))),
    );
  }
  // Each command either finished before it noticed the closed pipe, or ended with SIGPIPE (141).
  const odd = ended.filter(({ code, stderr }) => stderr !== '' || !['0', '141'].includes(code));
  expect(odd).toEqual([]);
  expect(ended.some(({ code }) => code === '141')).toBe(true);
});
