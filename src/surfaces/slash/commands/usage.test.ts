import { expect, onTestFinished } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { systemClock, totalTokens } from '../../../base/index.ts';
import {
  type CallRecord,
  type SessionRecord,
  SUBAGENT_SOURCE,
  sessionUsage,
  silentLogger,
} from '../../../contracts/index.ts';
import { openStore } from '../../../runtime/open-store.ts';
import { createTemporaryHome } from '../../../testing/index.ts';
import { usageOf, withSubagents } from './usage.ts';

const usage = { input: 10, output: 5, cacheRead: 3, cacheWrite: 2, reasoning: 1 };
const call: CallRecord = {
  taskId: 't',
  provider: 'p',
  model: 'm',
  baseUrl: 'x://',
  startedAt: 1,
  durationMs: 1,
  outcome: 'ok',
  usage,
  cost: { usd: 0.1, status: 'estimated' },
};

verifies(['LOOP-13', 'SURF-3'], 'counts the tokens of a session over the same sessions as its cost', async () => {
  const home = await createTemporaryHome();
  const store = await openStore({ home: home.path, clock: systemClock, logger: silentLogger });
  onTestFinished(async () => {
    await store.close();
    await home.remove();
  });
  const startedAt = systemClock.now();
  await store.createSession({ id: 'chat', source: 'cli', startedAt });
  await store.createSession({ id: 'sub', source: SUBAGENT_SOURCE, startedAt, parentSessionId: 'chat' });
  await store.splitSession('sub', { id: 'sub 2', source: SUBAGENT_SOURCE, startedAt }, []);
  await store.splitSession('chat', { id: 'chat 2', source: 'cli', startedAt }, []);
  await store.branchSession('chat 2', { id: 'branch', source: 'cli', startedAt });
  await store.createSession({ id: 'sub of branch', source: SUBAGENT_SOURCE, startedAt, parentSessionId: 'branch' });
  for (const id of ['chat', 'sub', 'sub 2', 'chat 2', 'branch', 'sub of branch']) await store.recordCall(id, call);
  for (const [id, subagents] of Object.entries({ chat: 1, 'chat 2': 1, branch: 1 })) {
    const counted = await sessionUsage(store, (await store.getSession(id)) as SessionRecord);
    expect(counted.subagents).toBe(subagents);
    expect(totalTokens(counted.usage)).toBe((await store.sessionSpending(id)).tokens);
  }
  expect([withSubagents(0), withSubagents(1), withSubagents(2)]).toEqual([
    '',
    'including 1 subagent',
    'including 2 subagents',
  ]);
});

verifies(['CACHE-4', 'SURF-3'], 'shows what each of the last turns cost, and why it missed the cache', async () => {
  const home = await createTemporaryHome();
  const store = await openStore({ home: home.path, clock: systemClock, logger: silentLogger });
  onTestFinished(async () => {
    await store.close();
    await home.remove();
  });
  await store.createSession({ id: 'chat', source: 'cli', startedAt: 1 });
  const show = () => usageOf({ store, sessionId: 'chat', lastCall: undefined, contextLength: undefined });
  expect(await show()).toBe('There were no model calls in this session yet.\n');
  const record = (taskId: string, changes: Partial<CallRecord> = {}) =>
    store.recordCall('chat', { ...call, taskId, startedAt: Number(taskId), ...changes });
  await record('1', { cacheMiss: { reason: 'first_call', tokens: 15 } });
  for (const taskId of ['2', '3', '4', '5']) await record(taskId);
  const expired = { reason: 'expired', minutes: 12, tokens: 34_000 } as const;
  await record('6', { cacheMiss: expired });
  await record('6', { cacheMiss: expired });
  await record('6', { cacheMiss: { reason: 'tools_changed', tools: ['a', 'b', 'c', 'd'], tokens: 500 } });
  await record('6', { purpose: 'title_generation' });
  const lines = (await show()).split('\n');
  expect(lines[0]).toMatch(/^ +session +last turn$/);
  const turns = lines.slice(lines.indexOf('') + 1);
  expect(turns).toEqual([
    '  turn  calls  auxiliary  input  cached  written  output   cost  cache misses',
    ...['2', '3', '4', '5'].map((turn) => `  ${turn}         1          0     10       3        2       5  $0.10`),
    '  6         3          1     40      12        8      20  $0.40  2× expired after 12 minutes (68.0k); tools changed: a, b, c, 1 more (500)',
    '',
  ]);
});
