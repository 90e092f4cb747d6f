import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { openForTest, useServer } from '../../../test/support/postgres/store-fixture.ts';
import type { Message } from '../../base/index.ts';
import { matchesQuery } from '../search/find-term.ts';
import { foldText } from '../search/text.ts';
import { parseSearchQuery } from '../search-query.ts';
import { toExpression } from './search-rows.ts';

const { server, emptyDatabase } = useServer();

const PIECE = fc.constantFrom(
  ...['a', 'ab', 'abc', 'Ä', 'é', ' ', ' ', '-', '.', "'", '\\', '\0', '\uffff', '\ud83d', '1', 'get_it'],
  ...['海', '象', '海象', '한국', 'ข้าว', 'カナ', '𠀀', 'x'.repeat(70), '"', '&', '|', '!', ':', '*', '<->', '\n'],
);
const WORD = fc.array(PIECE, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(''));
const QUERY = fc
  .array(
    fc.oneof(
      WORD,
      WORD.map((word) => `"${word}"`),
      WORD.map((word) => `${word}*`),
      fc.constantFrom('OR', 'NOT', '(', ')'),
    ),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .map((parts) => parts.join(' '));

describe('searching in PostgreSQL', () => {
  verifies(['STORE-4', 'STORE-6'], 'finds what a comparison of all texts finds', async () => {
    const store = await openForTest({ url: await emptyDatabase() });
    await store.createSession({ id: 'one', source: 'cli', startedAt: 1 });
    const texts = fc.sample(fc.array(PIECE, { maxLength: 8 }), { numRuns: 200, seed: 7 }).map((list) => list.join(''));
    const tool = (content: string): Message => ({ role: 'tool', toolCallId: 'c', toolName: 'get_it', content });
    await store.appendMessages('one', texts.map(tool));
    const stored = await store.getMessages('one');
    await fc.assert(
      fc.asyncProperty(QUERY, async (text) => {
        const node = parseSearchQuery(text);
        const expected = stored
          .filter(({ message }) => node && matchesQuery(foldText(`${message.content}\nget_it`).text, node))
          .map(({ id }) => id);
        const { hits } = await store.searchMessages({ text, allWords: true, limit: 500 });
        expect(hits.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  it('sends only expressions that the server accepts', async () => {
    const url = await emptyDatabase();
    const nodes = fc.sample(QUERY, { numRuns: 300, seed: 11 }).flatMap((text) => parseSearchQuery(text) ?? []);
    const asked = nodes.map((node) => `('${toExpression(node).replaceAll("'", "''")}'::tsquery)`);
    expect(await server().query(`SELECT count(*)::int AS asked FROM (VALUES ${asked.join(', ')}) q`, url)).toEqual([
      { asked: nodes.length },
    ]);
  });
});
