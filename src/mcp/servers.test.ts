import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { type Clock, systemClock } from '../base/index.ts';
import { createMcpServers } from './index.ts';
import {
  createTemporaryFolder,
  findProcessesWith,
  settingsFor,
  testServerOptions,
  testServer,
  pollUntil,
} from '../../test/support/mcp-servers.ts';

type Options = { offline?: boolean; maxWaitMs?: number; clock?: Clock; folder: string };

async function openServers(entries: Record<string, object>, { folder, ...options }: Options) {
  const settings = await Promise.all(
    Object.entries(entries).map(async ([name, entry]) => [name, await settingsFor(entry, name)] as const),
  );
  const servers = createMcpServers({
    servers: Object.fromEntries(settings),
    ...testServerOptions(folder),
    maxWaitMs: 20_000,
    ...options,
  });
  onTestFinished(() => servers.close());
  return servers;
}
const starts = async (file: string) => (await readFile(file, 'utf8').catch(() => '')).match(/^start/gm)?.length ?? 0;

describe('MCP servers at startup', () => {
  verifies('SURF-8', 'are awaited if they are new, but not if their tools are cached or they are slow', async () => {
    const folder = await createTemporaryFolder();
    const entries = { good: testServer(), mute: { ...testServer('--mute'), connect_timeout: 60 } };
    // The wait ends as soon as the good server is connected, however slow this machine is.
    const enough = Promise.withResolvers<void>();
    const clock: Clock = {
      now: systemClock.now,
      sleep: (milliseconds, signal) =>
        milliseconds === 1234 ? enough.promise : systemClock.sleep(milliseconds, signal),
    };
    const first = await openServers(entries, { folder, maxWaitMs: 1234, clock });
    const waiting = first.ready();
    await pollUntil(() => first.tools('good').length > 0);
    enough.resolve();
    await waiting;
    expect(first.reports().map(({ name, list }) => [name, list])).toEqual([
      ['good', 'server'],
      ['mute', 'none'],
    ]);
    await first.close();
    // The limit is a minute, but this time startup waits for neither server.
    const second = await openServers(entries, { folder, maxWaitMs: 60_000 });
    await second.ready();
    expect(second.tools('good').length).toBeGreaterThan(0);
    expect(second.reports().map(({ name, list }) => [name, list])).toEqual([
      ['good', 'cache'],
      ['mute', 'none'],
    ]);
  });

  it('are not started in offline mode or if they are disabled or unknown', async () => {
    const folder = await createTemporaryFolder();
    const record = join(folder, 'record');
    const entry = testServer(`--record=${record}`);
    const servers = await openServers({ it: entry, off: { ...entry, enabled: false } }, { folder, offline: true });
    await servers.ready();
    expect(servers.names).toEqual(['it']);
    expect(servers.tools('it')).toEqual([]);
    expect(servers.tools('nobody')).toEqual([]);
    await servers.close();
    expect(await starts(record)).toBe(0);
  });

  it('leave nothing behind if they are closed while connecting', async () => {
    const folder = await createTemporaryFolder();
    const record = join(folder, 'record');
    const entry = { ...testServer('--mute', `--record=${record}`), connect_timeout: 60 };
    const servers = await openServers({ mute: entry }, { folder });
    const ready = servers.ready();
    await pollUntil(async () => (await starts(record)) === 1);
    await servers.close();
    await ready;
    expect(await findProcessesWith(record)).toEqual([]);
  });
});
