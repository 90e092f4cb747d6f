import { describe, expect } from 'vitest';
import { OWNER, systemClock } from '../../src/base/index.ts';
import { findRunningTurn, listRunningTurns } from '../../src/conversations/index.ts';
import { silentLogger, type SessionStore } from '../../src/contracts/index.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { createProviderServer, createTemporaryHome, startHermes } from '../../src/testing/index.ts';
import { join } from 'node:path';
import { verifies } from '../spec/verifies.ts';

/** The only running turn, in another process. */
async function theTurn(store: SessionStore) {
  await expect.poll(() => listRunningTurns({ store })).toHaveLength(1);
  const [running] = await listRunningTurns({ store });
  const turn = await findRunningTurn({ store, clock: systemClock }, running?.sessionId ?? '');
  if (turn === undefined) throw new Error('the turn has ended');
  return turn;
}

describe('a running turn', () => {
  verifies('STORE-7', 'is watched, steered and stopped by another process through the database', async () => {
    await using server = await createProviderServer({
      script: ({ messages }) => {
        const isFirst = messages.length === 1;
        const command = isFirst ? 'echo step; sleep 2' : 'sleep 600';
        return { toolCalls: [{ name: 'terminal', arguments: { command } }] };
      },
    });
    const config = `model: { provider: custom, default: test-model, base_url: '${server.url}/v1', api_key: k }\n`;
    await using home = await createTemporaryHome({ 'config.yaml': config });
    const process = startHermes(['-z', 'work on it'], { home, input: '' });
    await server.waitForRequests(1);
    const store = await openSqliteStore({ file: join(home.path, 'state.db'), logger: silentLogger });
    const turn = await theTurn(store);
    expect(turn.holder).toMatchObject({ surface: 'cli' });
    const seen: string[] = [];
    const watching = (async () => {
      for await (const event of turn.events()) seen.push(event.type);
    })();
    expect(await turn.steer('mind the gap', OWNER)).toBe('done');
    await server.waitForRequests(2);
    expect(JSON.stringify(server.requests[1]?.messages)).toContain('mind the gap');
    expect(await turn.interrupt('stopped from the dashboard', OWNER)).toBe('done');
    const { exitCode, stderr } = await process.exited;
    await watching;
    await store.close();
    expect(exitCode).toBe(130);
    expect(stderr).toContain('The turn was interrupted');
    expect(seen).toContain('tool-started');
  });
});
