import { expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { systemClock } from '../base/index.ts';
import { callTool, openTestServer, findProcessesWith, testServer, pollUntil } from '../../test/support/mcp-servers.ts';

verifies(
  'SURF-8',
  'closes the session of an idle server after its configured time, and reconnects for the next call',
  async () => {
    /** The idle time passes when the test advances it, whatever the settings say. */
    const waits: { milliseconds: number; end: () => void }[] = [];
    const clock = {
      ...systemClock,
      sleep: (milliseconds: number, signal?: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          const wait = { milliseconds, end: resolve };
          waits.push(wait);
          signal?.addEventListener('abort', () => {
            waits.splice(waits.indexOf(wait), 1);
            reject(signal.reason as Error);
          });
        }),
    };
    const id = `--id=${process.pid}-${Date.now()}`;
    const entry = { ...testServer(id), idle_timeout_seconds: 600, max_lifetime_seconds: 100_000 };
    const server = await openTestServer(entry, { clock });
    await server.connect();
    const hanging = callTool(server, 'hang', {}, { signal: AbortSignal.timeout(200) }).catch(() => 'stopped');
    await pollUntil(() => waits.length === 0);
    // The idle timer does not run during a call.
    expect(await hanging).toBe('stopped');
    await pollUntil(() => waits.length === 1);
    expect(waits[0]?.milliseconds).toBe(600_000);
    expect(await findProcessesWith(id)).toHaveLength(1);
    waits[0]?.end();
    await pollUntil(async () => (await findProcessesWith(id)).length === 0);
    expect(server.report()).toMatchObject({ state: 'idle', list: 'server' });
    expect(server.report().failure).toBeUndefined();
    expect(await callTool(server, 'echo', { value: 'again' })).toMatchObject({ text: 'echo again' });
    const old = await openTestServer({ ...testServer(id), max_lifetime_seconds: 5 }, { clock });
    await old.connect();
    expect(waits.at(-1)?.milliseconds).toBeLessThanOrEqual(5000);
  },
);
