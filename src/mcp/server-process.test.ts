import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { dose, fullDoseOnly } from '../../test/support/dose.ts';
import { findFailureReason } from './server-process.ts';
import {
  callTool,
  createTemporaryFolder,
  DEAF_SERVER,
  findProcessesWith,
  OFFICIAL_SERVERS,
  openTestServer,
  TEST_SERVER,
  testServer,
  pollUntil,
} from '../../test/support/mcp-servers.ts';

const PROGRAM = join(import.meta.dirname, 'server-process.fixture.ts');

describe('the failure reason of a server', () => {
  it('is its last stderr line', () => {
    expect(findFailureReason('starting\nError: a cache was missing\nfatal: the disk is on fire')).toBe(
      'fatal: the disk is on fire',
    );
  });

  it('is the error above the version that Node prints last', () => {
    const words =
      "node:internal/loader:1\n  throw err;\n  ^\n\nError: Cannot find module '/a.mjs'\n    at b (c:1)\n\nNode.js v24.1.0";
    expect(findFailureReason(words)).toBe("Error: Cannot find module '/a.mjs'");
    expect(findFailureReason('Node.js v24.1.0')).toBe('Node.js v24.1.0');
  });

  it('is the reason above the log path that npm prints last', () => {
    const words =
      'npm error code E404\nnpm error 404 Not Found - GET a-server\nnpm error 404\nnpm error A complete log of this run can be found in: x';
    expect(findFailureReason(words)).toBe('npm error 404 Not Found - GET a-server');
  });

  it('is one short line, whatever was written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (text) => {
        const words = findFailureReason(text);
        expect(words).not.toContain('\n');
        expect(words.length).toBeLessThanOrEqual(300);
        expect(text).toContain(words);
      }),
    );
  });
});

verifies(
  'SURF-8',
  'kills a server that ignores a closed stdin and SIGTERM when Hermes is killed',
  fullDoseOnly,
  async () => {
    const record = join(await createTemporaryFolder(), 'record');
    const { command, args } = testServer('--stubborn', '--detached-child', `--record=${record}`);
    const hermes = spawn(process.execPath, [PROGRAM, command, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void hermes.kill('SIGKILL'));
    await once(hermes.stdout, 'data');
    await pollUntil(async () => (await readFile(record, 'utf8').catch(() => '')) !== '');
    const marker = await markOf(Number(/start (\d+)/.exec(await readFile(record, 'utf8'))?.[1]));
    await pollUntil(async () => (await findProcessesWith(marker)).length === 2);
    hermes.kill('SIGKILL');
    // The server, and its child in a separate process group.
    await pollUntil(async () => (await findProcessesWith(marker)).length === 0);
    expect(await findProcessesWith(`${TEST_SERVER}\0--stubborn\0--detached-child\0--record=${record}`)).toEqual([]);
  },
);

describe('a server from npm that ignores the end of stdin', () => {
  /** Its launcher starts it in another session and without the process tag. */
  async function commandLine(launcher: 'stubborn' | 'leaving') {
    const marker = join(await createTemporaryFolder(), launcher);
    return { marker, command: process.execPath, args: [DEAF_SERVER, launcher, OFFICIAL_SERVERS.everything, marker] };
  }

  verifies('SURF-8', 'ends with the connection, even if its launcher has exited', async () => {
    for (const launcher of dose(['leaving'] as const, ['leaving', 'stubborn'] as const)) {
      const { marker, ...entry } = await commandLine(launcher);
      const server = await openTestServer(entry);
      await server.connect();
      // From now on it sends messages forever, also without stdin.
      await callTool(server, 'toggle-simulated-logging');
      expect(await findProcessesWith(marker)).toHaveLength(2);
      await server.close();
      expect(await findProcessesWith(marker)).toEqual([]);
    }
  });

  verifies(
    'SURF-8',
    'ends after a grace period if Hermes is killed by a signal that it cannot handle',
    fullDoseOnly,
    async () => {
      const { marker, command, args } = await commandLine('stubborn');
      const hermes = spawn(process.execPath, [PROGRAM, command, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
      onTestFinished(() => void hermes.kill('SIGKILL'));
      await once(hermes.stdout, 'data');
      await pollUntil(async () => (await findProcessesWith(marker)).length >= 3);
      hermes.kill('SIGKILL');
      await pollUntil(async () => (await findProcessesWith(marker)).length === 0);
      // It had time to react to the first signal.
      expect(await readFile(marker, 'utf8')).toBe('SIGTERM\n');
    },
  );
});

async function markOf(pid: number): Promise<string> {
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1');
  return /HERMES_MCP_MARK=\w+/.exec(environment)?.[0] ?? 'none';
}
