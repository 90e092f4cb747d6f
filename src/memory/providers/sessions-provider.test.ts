import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionStore } from '../../contracts/index.ts';
import { openSqliteStore } from '../../store/sqlite/index.ts';
import { createSessionsProvider, queryWords } from './sessions-provider.ts';

const START = Date.UTC(2026, 10, 2);
const signal = new AbortController().signal;

describe('the sessions provider', () => {
  let folder: string;
  let store: SessionStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hermes-memory-'));
    const clock = { now: () => START, sleep: () => new Promise<void>(() => undefined) };
    store = await openSqliteStore({ file: join(folder, 'state.db'), clock });
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  const session = async (id: string, exchanges: [question: string, answer: string][], parentSessionId?: string) => {
    await store.createSession({ id, source: 'cli', startedAt: START, ...(parentSessionId && { parentSessionId }) });
    for (const [content, answer] of exchanges) {
      await store.appendMessages(id, [
        { role: 'user', content },
        { role: 'assistant', content: answer },
      ]);
    }
  };
  const recall = (text: string, provider = createSessionsProvider({ sessions: store })) =>
    provider.recall({ text, sessionId: 'now' }, signal);

  it('recalls earlier exchanges about the same topic, with question and answer', async () => {
    await session('old', [['How do I deploy the walrus service?', 'Run make ship in the harbour folder.']]);
    await session('other', [['What is the weather?', 'Sunny.']]);
    await session('now', [['hello', 'hi']]);
    expect(await recall('please deploy the walrus service again')).toEqual([
      'On 2026-11-02, in session old:\nthe user: How do I deploy the walrus service?\nyou: Run make ship in the harbour folder.',
    ]);
  });

  it('finds unspaced script', async () => {
    await session('old', [['请部署海象服务', '好的，已经部署。']]);
    await session('now', []);
    expect((await recall('再次部署海象')).join()).toContain('海象服务');
  });

  it('recalls nothing that shares only one word, and nothing of its own lineage', async () => {
    await session('old', [['The walrus sleeps', 'It does.']]);
    await session('parent', [['deploy the walrus service', 'done']]);
    await session('now', [['deploy the walrus service', 'done']], 'parent');
    await session('child', [['deploy the walrus service', 'done']], 'now');
    expect(await recall('deploy the walrus service')).toEqual([]);
  });

  it('recalls a few exchanges, one per session, and each only once', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      await session(id, [
        ['deploy the walrus service', `done by ${id}`],
        ['deploy the walrus service again', 'x'.repeat(5_000)],
      ]);
    }
    await session('now', []);
    const provider = createSessionsProvider({ sessions: store });
    const first = await recall('deploy the walrus service', provider);
    expect(first).toHaveLength(3);
    expect(new Set(first.map((item) => /session (\w+)/.exec(item)?.[1])).size).toBe(3);
    expect(first.join('').length).toBeLessThan(3 * 1_000);
    const second = await recall('deploy the walrus service', provider);
    expect(second.filter((item) => first.includes(item))).toEqual([]);
  });

  it('handles messages of punctuation, of nothing, or of a whole book', async () => {
    await session('now', []);
    for (const text of ['', '???', '" OR (', 'a b c', 'NOT', 'x'.repeat(100_000), 'word '.repeat(50_000)]) {
      expect(await recall(text)).toEqual([]);
    }
  });
});

describe('queryWords', () => {
  const cases: [text: string, words: string[]][] = [
    ['Please show me what you know about the harbour crane', ['harbour', 'crane']],
    ['Bitte den Kran im Hafen prüfen', ['prüfen', 'hafen', 'kran']],
    ['a of it is', []],
  ];
  for (const [text, words] of cases) {
    it(`returns ${words.join(', ') || 'none'} for "${text}"`, () => expect(queryWords(text)).toEqual(words));
  }
});
