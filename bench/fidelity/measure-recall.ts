import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { LONG_QUESTIONS } from './long-questions.ts';
import { LONG_FACTS, longWork } from './long-work.ts';

export type Recall = { questions: number; found: number; missed: readonly string[] };

/** How many hits of a search count as the first. */
const FIRST_HITS = 5;

/** Stores the long session and searches for each of its facts in other words, without the help of a model. */
export async function measureRecall(): Promise<Recall> {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-recall-'));
  const store = await openSqliteStore({ file: join(folder, 'state.db') });
  try {
    await store.createSession({ id: 'long', source: 'bench', startedAt: Date.now() });
    await store.appendMessages('long', [...longWork()].flat());
    const texts = new Map((await store.getMessages('long')).map(({ id, message }) => [id, message.content]));
    const missed: string[] = [];
    for (const [index, { answer }] of LONG_FACTS.entries()) {
      const text = LONG_QUESTIONS[index] ?? '';
      const { hits } = await store.searchMessages({ text, limit: FIRST_HITS });
      if (!hits.some(({ id }) => texts.get(id)?.includes(answer))) missed.push(`${text} (${answer})`);
    }
    return { questions: LONG_FACTS.length, found: LONG_FACTS.length - missed.length, missed };
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
