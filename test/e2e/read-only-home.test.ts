import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { verifies } from '../spec/verifies.ts';
import { useCliFixture } from '../support/cli-fixture.ts';

const cli = useCliFixture();
const PROGRAM = join(import.meta.dirname, '../../bin/hermes.js');
const ID = '20260101_000000_4ead04';

// The permissions of a file do not stop root, so root gets a read-only mount.
const isRoot = process.getuid?.() === 0;
const BIND = ['--dev-bind', '/', '/'];
const canProtect = process.platform === 'linux' && (!isRoot || spawnSync('bwrap', [...BIND, 'true']).status === 0);

/** Runs the built program while the home directory cannot be written. */
function hermes(...args: string[]) {
  const home = cli.home.path;
  const program = [process.execPath, PROGRAM, ...args];
  const [command = '', ...rest] = isRoot ? ['bwrap', ...BIND, '--ro-bind', home, home, ...program] : program;
  if (!isRoot) chmodSync(home, 0o500);
  try {
    const env = { PATH: process.env['PATH'], HOME: home, HERMES_HOME: home };
    const { status, stdout, stderr } = spawnSync(command, rest, { encoding: 'utf8', env, cwd: home });
    return { status, stdout, stderr };
  } finally {
    if (!isRoot) chmodSync(home, 0o700);
  }
}

async function store(): Promise<void> {
  const opened = await openSqliteStore({ file: join(cli.home.path, 'state.db') });
  await opened.createSession({ id: ID, source: 'cli', startedAt: Date.UTC(2026, 0, 1), title: 'The walrus' });
  await opened.appendMessages(ID, [{ role: 'user', content: 'where is the walrus?' }]);
  await opened.searchMessages({ text: 'walrus' });
  await opened.close();
}

describe.runIf(canProtect)('a home directory that cannot be written', () => {
  verifies('STORE-1', 'can be listed, shown, searched and exported', async () => {
    await store();
    for (const args of [['list'], ['show', ID], ['search', 'walrus'], ['export', '-']]) {
      const { status, stdout, stderr } = hermes('sessions', ...args);
      expect({ status, stderr }, args.join(' ')).toEqual({ status: 0, stderr: '' });
      expect(stdout).toMatch(/walrus/);
    }
    expect(hermes('status').stdout).toContain('state.db');
  });

  verifies('STORE-1', 'refuses changes, with the reason', async () => {
    await store();
    const { status, stderr } = hermes('sessions', 'rename', ID, 'Another');
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/state\.db cannot be written/);
    expect(hermes('sessions', 'list').stdout).toContain('The walrus');
  });
});
