import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { type Message, systemClock } from '../../base/index.ts';
import { type SessionStore, silentLogger } from '../../contracts/index.ts';
import { parseSearchQuery } from '../search-query.ts';
import { matchesQuery } from '../search/find-term.ts';
import { foldText } from '../search/text.ts';
import { type Connection, createConnection } from './connection.ts';
import { openDatabase } from './driver.ts';
import { openForTest, temporaryFile, withDatabase } from './fixtures.ts';
import {
  CREATE_SEARCH_INDEX,
  CREATE_TABLES,
  CREATE_TITLE_INDEX,
  CREATE_VERSION_TABLE,
  RESET_MESSAGE_TERMS,
} from './schema.ts';
import { createSearchIndex } from './search-index.ts';
import { planSearch } from './search-plan.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';

/** Resets the index of terms in the same way as a rebuild of a corrupt index. */
function resetTerms(connection: Connection): void {
  for (const sql of RESET_MESSAGE_TERMS.split(';\n').filter((part) => part.trim() !== '')) connection.run(sql);
}

const user = (content: string): Message => ({ role: 'user', content });

async function openWith(...texts: string[]): Promise<{ file: string; store: SessionStore; find: Find }> {
  const file = temporaryFile();
  const store = await openForTest({ file });
  await store.createSession({ id: 'one', source: 'cli', startedAt: 0 });
  await store.appendMessages('one', texts.map(user));
  return { file, store, find: finder(store) };
}

type Find = (text: string) => Promise<number[]>;

const finder =
  (store: SessionStore): Find =>
  async (text) =>
    (await store.searchMessages({ text, allWords: true, limit: 1000 })).hits.map(({ id }) => id).sort((a, b) => a - b);

const insert = (content: string, more = 'NULL, NULL', role = 'user') =>
  `INSERT INTO messages (session_id, role, content, tool_name, tool_calls, timestamp)
   VALUES ('one', '${role}', '${content}', ${more}, 1);`;

const count = (file: string, sql: string) =>
  withDatabase(file, (database) => Object.values(database.prepare(sql).get() as object)[0] as number);

describe('search in SQLite', () => {
  verifies('STORE-4', 'rows written by another program are found, with unspaced script and tool calls', async () => {
    const { file, find } = await openWith('before', '之前');
    expect(await find('之前')).toEqual([2]);
    const calls = `'[{"id": "c", "function": {"name": "terminal", "arguments": "{\\"command\\": \\"make walrus\\"}"}}]'`;
    withDatabase(file, (database) =>
      database.exec(
        insert('后来的消息') + insert('', `NULL, ${calls}`, 'assistant') + insert('ok', `'terminal', NULL`, 'tool'),
      ),
    );
    expect(await find('消息')).toEqual([3]);
    expect(await find('walrus')).toEqual([4]);
    expect(await find('terminal')).toEqual([4, 5]);
    // Ids that are inserted late, inside the range that is already indexed.
    withDatabase(file, (database) =>
      database.exec(`DELETE FROM messages WHERE id = 1;
        INSERT INTO messages (id, session_id, role, content, timestamp) VALUES (1, 'one', 'user', '迟到', 1);`),
    );
    expect(await find('迟到')).toEqual([1]);
  });

  verifies('STORE-4', 'edited and deleted rows are found as they are now', async () => {
    const { file, find } = await openWith('旧的文字 alpha', '要删除的文字', '留下的文字');
    expect(await find('文字')).toEqual([1, 2, 3]);
    withDatabase(file, (database) =>
      database.exec(`UPDATE messages SET content = '新的内容 beta' WHERE id = 1; DELETE FROM messages WHERE id = 2;
        UPDATE messages SET tool_name = 'terminal' WHERE id = 3; UPDATE messages SET id = 9 WHERE id = 3;`),
    );
    expect(await find('文字')).toEqual([9]);
    expect(await find('内容')).toEqual([1]);
    expect(await find('alpha OR terminal')).toEqual([9]);
    expect(count(file, 'SELECT COUNT(*) FROM message_terms_stale')).toBe(0);
    expect(count(file, "SELECT COUNT(*) FROM message_terms WHERE message_terms MATCH '删除'")).toBe(0);
  });

  verifies(['STORE-1', 'STORE-4'], 'a file of the original can be searched as soon as it is opened', async () => {
    const file = temporaryFile();
    withDatabase(file, (database) => {
      database.exec(`${CREATE_VERSION_TABLE} INSERT INTO schema_version VALUES (6);
        ${CREATE_TABLES} ${CREATE_TITLE_INDEX} ${CREATE_SEARCH_INDEX}
        INSERT INTO sessions (id, source, started_at) VALUES ('one', 'cli', 1);`);
      for (let number = 1; number <= 300; number += 1) database.exec(insert(`第${number}条 message ${number}`));
      database.exec(`DELETE FROM messages WHERE id BETWEEN 10 AND 150; ${insert('元', 'NULL, NULL', 'system')}`);
    });
    const find = finder(await openForTest({ file }));
    expect(await find('第7条')).toEqual([7]);
    expect(await find('第')).toHaveLength(159);
    expect(await find('message 300')).toEqual([300]);
    // Messages with an unknown role are not hits.
    expect(await find('元')).toEqual([]);
  });

  describeIndex();
  describeComparison();
  describeFailures();
});

function describeIndex(): void {
  verifies('STORE-4', 'English text takes no space in our own index', async () => {
    const { file, store, find } = await openWith('plain words', 'more of them');
    await store.appendMessages(
      'one',
      Array.from({ length: 200 }, (_, number) => user(`number ${number}, café`)),
    );
    expect(await find('number 7')).toHaveLength(1);
    expect(await find('cafe')).toHaveLength(200);
    expect(count(file, 'SELECT indexed_through FROM message_terms_state')).toBe(202);
    expect(count(file, 'SELECT COUNT(*) FROM message_terms_docsize')).toBe(0);
  });

  it('catches up while messages are appended, not only when someone searches', async () => {
    const { file, store } = await openWith();
    for (let number = 0; number < 512; number += 1) await store.appendMessages('one', [user(`消息 ${number}`)]);
    await waitUntil(() => expect(count(file, 'SELECT indexed_through FROM message_terms_state')).toBe(512));
    expect(count(file, "SELECT COUNT(*) FROM message_terms WHERE message_terms MATCH '消息'")).toBe(512);
  });

  it('leaves less than a portion of new messages to the next portion or search', async () => {
    const { file, store, find } = await openWith();
    const append = async (from: number, through: number) => {
      for (let number = from; number <= through; number += 1)
        await store.appendMessages('one', [user(`消息 ${number}`)]);
    };
    const through = () => count(file, 'SELECT indexed_through FROM message_terms_state');
    await append(1, 512);
    await waitUntil(() => expect(through()).toBe(512));
    await append(513, 522);
    // Longer than the pause between two portions.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(through()).toBe(512);
    expect(await find('消息 522')).toHaveLength(1);
    expect(through()).toBe(522);
    await append(523, 1024);
    // The background catch-up that the search started may end while messages are appended: less than 64 remain.
    await waitUntil(() => expect(through()).toBeGreaterThan(1024 - 64));
  });

  it('continues indexing a large file after the search that found it', async () => {
    const { file, store } = await openWith();
    withDatabase(file, (database) => {
      database.exec('BEGIN');
      for (let number = 0; number < 2_000; number += 1) database.exec(insert(`第${number}条消息`));
      database.exec('COMMIT');
    });
    const connection = connect(file);
    await connection.write(() => resetTerms(connection));
    await connection.close();
    // The search runs out of time immediately, and the background catch-up continues.
    const now = vi.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValueOnce(1e12);
    onTestFinished(() => now.mockRestore());
    expect((await store.searchMessages({ text: '消息' })).complete).toBe(false);
    await waitUntil(() => expect(count(file, 'SELECT indexed_from FROM message_terms_state')).toBe(1));
    expect(await store.searchMessages({ text: '第7条' })).toMatchObject({ hits: [{ role: 'user' }], complete: true });
  });

  it('reports whether it has caught up with all messages', async () => {
    const { file } = await openWith('海象');
    const connection = connect(file);
    onTestFinished(() => connection.close());
    const index = createSearchIndex(connection);
    const other = openDatabase(file);
    other.exec('BEGIN IMMEDIATE');
    expect(await index.catchUp(Number.POSITIVE_INFINITY, 0)).toBe(false);
    other.close();
    expect(await index.catchUp(Number.POSITIVE_INFINITY, 0)).toBe(true);
  });

  verifies('STORE-4', 'a search that runs out of time reports that it is incomplete', async () => {
    const { file, store } = await openWith('the walrus is the oldest');
    withDatabase(file, (database) => {
      database.exec('BEGIN');
      for (let number = 0; number < 6_000; number += 1) database.exec(insert(`seal ${number}`));
      // So many matches that do not pass the filter that the search goes through the messages in windows.
      database.exec("INSERT INTO sessions (id, source, started_at) VALUES ('two', 'telegram', 1)");
      for (let number = 0; number < 600; number += 1) database.exec(insert('walrus').replace("'one'", "'two'"));
      database.exec('COMMIT');
    });
    const search = async (text: string) => {
      const query = { text, allWords: true, excludedSources: ['telegram'] };
      const { hits, complete } = await store.searchMessages(query);
      return [hits.length, complete];
    };
    expect(await search('walrus')).toEqual([1, true]);
    // Each call of performance.now() advances the time by one second.
    let time = performance.now();
    const now = vi.spyOn(performance, 'now').mockImplementation(() => (time += 1000));
    onTestFinished(() => now.mockRestore());
    expect(await search('walrus')).toEqual([0, false]);
    // So many words have this prefix that the search has to compare the message texts.
    expect(await search('2*')).toEqual([0, false]);
  });

  verifies('STORE-4', 'both indexes accept every expression made from a query', async () => {
    const { file, store, find } = await openWith('a walrus 部署', 'ab abc abd', 'NEAR OR AND');
    await find('a');
    const connection = connect(file);
    const tables = { contents: 'messages_fts', terms: 'message_terms' } as const;
    fc.assert(
      fc.property(hostileQuery(), (text) => {
        const node = parseSearchQuery(text);
        if (node === undefined) return;
        for (const index of ['contents', 'terms'] as const) {
          const { match } = planSearch(connection, index, node);
          if (typeof match === 'string') continue;
          connection.all(`SELECT rowid FROM ${tables[index]} WHERE ${tables[index]} MATCH ?`, match.expression);
        }
      }),
      { numRuns: 400 },
    );
    await connection.close();
    await fc.assert(
      fc.asyncProperty(hostileQuery(), async (text) => {
        expect((await store.searchMessages({ text })).hits).toBeInstanceOf(Array);
      }),
      { numRuns: 100 },
    );
  });
}

function describeComparison(): void {
  verifies('STORE-4', 'finds what a comparison of all texts finds', async () => {
    const { file, store, find } = await openWith();
    const texts = fc.sample(fc.array(PIECE, { maxLength: 8 }), { numRuns: 300, seed: 7 }).map((list) => list.join(''));
    const results = texts.map((content): Message => ({ role: 'tool', toolCallId: 'c', toolName: 'get_it', content }));
    await store.appendMessages('one', results);
    // Another program writes the other half of the messages.
    withDatabase(file, (database) => texts.forEach((text) => database.exec(insert(text))));
    const all = [...texts.map((text) => `${text}\nget_it`), ...texts];
    await fc.assert(
      fc.asyncProperty(QUERY, async (text) => {
        const node = parseSearchQuery(text);
        const expected = all.flatMap((content, index) =>
          node !== undefined && matchesQuery(foldText(content).text, node) ? [index + 1] : [],
        );
        expect(await find(text)).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });
}

const PIECE = fc.constantFrom(
  'a',
  'ab',
  'abc',
  'Ä',
  ' ',
  ' ',
  '-',
  '.',
  '部',
  '署',
  '部署',
  'ก',
  'ข',
  '한국',
  '\n',
  '1',
);
const OPERATOR = fc.constantFrom(' ', ' ', ' OR ', ' NOT ', ' AND ');
const TERM = fc.oneof(
  fc.array(PIECE, { minLength: 1, maxLength: 3 }).map((list) => list.join('').replaceAll('\n', ' ')),
  fc.array(PIECE, { minLength: 1, maxLength: 4 }).map((list) => `"${list.join('')}"`),
  fc.constantFrom('a*', 'ab*', '(a OR 部)', '"a ab"*', 'get_it', 'get_it'),
);
const QUERY = fc
  .tuple(TERM, fc.array(fc.tuple(OPERATOR, TERM), { maxLength: 3 }))
  .map(([first, rest]) => first + rest.flat().join(''));

function connect(file: string): Connection {
  return createConnection({ database: openDatabase(file), file, clock: systemClock, logger: silentLogger });
}

function hostileQuery(): fc.Arbitrary<string> {
  const piece = fc.constantFrom(
    '"',
    '(',
    ')',
    '*',
    ' ',
    ' AND ',
    ' OR ',
    ' NOT ',
    'NEAR(',
    ':',
    '-',
    '\0',
    'ab',
    'a*',
    '部署',
    '署',
    'ไ',
  );
  const letters = fc.string({ unit: 'binary', maxLength: 6 });
  return fc.array(fc.oneof({ weight: 3, arbitrary: piece }, letters), { maxLength: 80 }).map((list) => list.join(''));
}

function describeFailures(): void {
  it('finds and shows text after a NUL', async () => {
    const { store } = await openWith(`first\0second ${'x '.repeat(9000)} last 尾`);
    for (const [text, marker] of [
      ['second', '\0>>>second<<<'],
      ['last', '>>>last<<<'],
      ['尾', '>>>尾<<<'],
    ] as const) {
      expect((await store.searchMessages({ text })).hits[0]?.snippet).toContain(marker);
    }
  });

  it('fills our own index again after it was emptied', async () => {
    const { file, find } = await openWith('海象 one', '海象 two');
    expect(await find('海象')).toEqual([1, 2]);
    const connection = connect(file);
    await connection.write(() => connection.run("INSERT INTO message_terms(message_terms) VALUES ('delete-all')"));
    expect(await find('海象')).toEqual([]);
    await connection.write(() => resetTerms(connection));
    await connection.close();
    expect(await find('海象')).toEqual([1, 2]);
  });

  it('searches while another process writes', async () => {
    const { file, find } = await openWith('walrus 海象');
    expect(await find('海象')).toEqual([1]);
    const holder = openDatabase(file);
    holder.exec(`BEGIN IMMEDIATE; ${insert('海象 again')}`);
    expect(await find('海象')).toEqual([1]);
    holder.exec('COMMIT');
    holder.close();
    expect(await find('海象')).toEqual([1, 2]);
  });

  it('handles unusual values of other programs', async () => {
    const { file, find } = await openWith();
    withDatabase(file, (database) =>
      database.exec(`INSERT INTO messages (session_id, role, content, tool_name, tool_calls, timestamp) VALUES
        ('one', 'user', X'00ff', NULL, NULL, 1), ('one', 'assistant', NULL, 5, 'no json 海象', 1),
        ('one', 'assistant', 7, NULL, '{"a": 1}', 1), ('one', 'user', 'seal 海象', NULL, NULL, 1);`),
    );
    expect(await find('海象')).toEqual([4]);
    expect(await find('seal')).toEqual([4]);
  });

  it('finds the neighbour of a message that was added much later', async () => {
    const { file, store } = await openWith('the first');
    withDatabase(file, (database) => {
      database.exec("INSERT INTO sessions (id, source, started_at) VALUES ('two', 'cli', 1)");
      for (let number = 0; number < 600; number += 1) database.exec(insert('between').replace("'one'", "'two'"));
    });
    await store.appendMessages('one', [user('the needle')]);
    expect((await store.searchMessages({ text: 'needle' })).hits[0]?.context).toEqual({
      before: { role: 'user', content: 'the first' },
    });
  });
}
