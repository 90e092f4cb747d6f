import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { fullDoseOnly } from '../../test/support/dose.ts';
import { createFakeClock } from '../testing/index.ts';
import {
  callTool,
  createTemporaryFolder,
  OFFICIAL_SERVERS,
  openTestServer,
  testServer,
  pollUntil,
} from '../../test/support/mcp-servers.ts';

const questions = async (record: string) =>
  (await readFile(record, 'utf8')).split('\n').filter((line) => line === 'question').length;
const starts = async (record: string) =>
  (await readFile(record, 'utf8')).split('\n').filter((line) => line.startsWith('start')).length;

describe('a server with protocol version 2026-07-28', () => {
  verifies('SURF-8', 'supports tool calls, list changes, elicitation and pings', async () => {
    const server = await openTestServer({ ...testServer('--modern'), timeout: 0.3 });
    await server.connect();
    expect(server.report()).toMatchObject({ protocolVersion: '2026-07-28', serverVersion: '2.0.0', state: 'ready' });
    expect(await callTool(server, 'echo', { value: 'hi' })).toEqual({ text: 'echo hi', images: [], isError: false });
    const interaction = { approve: async () => 'deny' as const, clarify: async () => 'blue' };
    const answer = await callTool(server, 'ask', {}, { interaction });
    expect(answer.text).toContain('"colour":"blue"');
    await callTool(server, 'change');
    await pollUntil(() => server.report().tools.includes('mcp__it__late'));
    // The ping uses a method that this server knows, so the connection is kept.
    await expect(callTool(server, 'hang')).rejects.toThrow('timed out after');
    expect(server.report().state).toBe('ready');
  });
});

verifies('SURF-8', 'a newer server that lists invalid tools loses only those', async () => {
  const server = await openTestServer(testServer('--modern', '--lies'));
  await server.connect();
  expect(server.report().tools).toContain('mcp__it__echo');
  expect(server.report().leftOut.map(({ name }) => name)).toContain('text_schema');
});

describe('an older server', () => {
  verifies('SURF-8', 'is asked for its versions once, and again only after a week', fullDoseOnly, async () => {
    const folder = await createTemporaryFolder();
    const record = join(folder, 'record');
    const entry = testServer(`--record=${record}`);
    const connect = async (options: object = {}) => {
      const server = await openTestServer(entry, { folder, ...options });
      await server.connect();
      const { protocolVersion } = server.report();
      await server.close();
      return protocolVersion;
    };
    expect(await connect()).toBe('2025-11-25');
    expect(await connect()).toBe('2025-11-25');
    expect(await questions(record)).toBe(1);
    await connect({ clock: createFakeClock(Date.now() + 8 * 24 * 3600_000) });
    expect(await questions(record)).toBe(2);
  });

  verifies('SURF-8', 'that fails or stays silent during negotiation gets the old handshake', async () => {
    const record = join(await createTemporaryFolder(), 'record');
    const broken = await openTestServer(testServer('--breaks-at-question', `--record=${record}`));
    await broken.connect();
    expect(await callTool(broken, 'echo', { value: 1 })).toMatchObject({ text: 'echo 1' });
    expect([await starts(record), await questions(record)]).toEqual([2, 1]);
    const silent = await openTestServer(testServer('--silent-at-question'));
    await silent.connect();
    expect(silent.report().protocolVersion).toBe('2025-11-25');
  });

  verifies('SURF-8', 'that rejects the handshake is reported with its reason, not with its exit', async () => {
    for (const [word, reason] of [
      ['--rejects', /^Could not connect to it: .*no licence/],
      ['--version=1999-01-01', /^Could not connect to it: .*protocol version is not supported: 1999-01-01/],
    ] as const)
      await expect((await openTestServer(testServer(word))).connect()).rejects.toThrow(reason);
  });

  verifies('SURF-8', 'from the official packages is detected as one', async () => {
    const server = await openTestServer({ command: process.execPath, args: [OFFICIAL_SERVERS.memory] });
    await server.connect();
    expect(server.report()).toMatchObject({ state: 'ready', protocolVersion: '2025-11-25' });
  });
});
