import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { newFolder, runningWith, TEST_SERVER, testServer, until } from './servers.fixture.ts';

const PROGRAM = join(import.meta.dirname, 'outliving.fixture.ts');

verifies(
  'SURF-8',
  'a server that minds neither the end of its input nor SIGTERM is ended when Hermes is killed',
  async () => {
    const record = join(await newFolder(), 'record');
    const { command, args } = testServer('--stubborn', '--detached-child', `--record=${record}`);
    const hermes = spawn(process.execPath, [PROGRAM, command, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void hermes.kill('SIGKILL'));
    await once(hermes.stdout, 'data');
    await until(async () => (await readFile(record, 'utf8').catch(() => '')) !== '');
    const mark = await markOf(Number(/start (\d+)/.exec(await readFile(record, 'utf8'))?.[1]));
    await until(async () => (await runningWith(mark)).length === 2);
    hermes.kill('SIGKILL');
    // The server, and its child in a group of its own.
    await until(async () => (await runningWith(mark)).length === 0);
    expect(await runningWith(`${TEST_SERVER}\0--stubborn\0--detached-child\0--record=${record}`)).toEqual([]);
  },
);

async function markOf(pid: number): Promise<string> {
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1');
  return /HERMES_MCP_MARK=\w+/.exec(environment)?.[0] ?? 'none';
}
