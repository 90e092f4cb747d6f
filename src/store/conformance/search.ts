import { describe, expect } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Message } from '../../base/index.ts';
import type { MessageQuery } from '../../contracts/index.ts';
import { type StoreHarness, type OpenStore, openHarness, START } from './store-harness.ts';

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });

/** A store with one session that contains these texts; `find` returns the snippets of hits with all words, unmarked. */
async function openWith(openStore: OpenStore, texts: readonly string[]) {
  const bench = await openHarness(openStore);
  await bench.create('one');
  await bench.store.appendMessages('one', texts.map(user));
  const find = async (text: string, more: Partial<MessageQuery> = {}) =>
    (await bench.store.searchMessages({ text, allWords: true, ...more })).hits.map(({ snippet }) =>
      snippet.replaceAll(/>>>|<<</g, ''),
    );
  return { ...bench, find };
}

export function describeSearch(openStore: OpenStore): void {
  describe('search', () => {
    verifies(['STORE-4', 'STORE-5'], 'a message that was copied to a continuation is found once', async () => {
      const { store, find } = await openWith(openStore, ['the walrus of the lineage']);
      const [original] = await store.getMessages('one');
      const child = { id: 'two', source: 'cli', startedAt: START + 1000 };
      await store.splitSession('one', child, [{ copyOf: original?.id ?? 0 }]);
      expect(await store.getMessages('two')).toHaveLength(1);
      expect(await find('walrus')).toEqual(['the walrus of the lineage']);
    });

    verifies('STORE-4', 'a hit has its position, its session and its neighbours', async () => {
      const { store, advance } = await openConversation(openStore);
      advance(1000);
      const { hits, complete } = await store.searchMessages({ text: 'walrus' });
      const [hit, ...rest] = hits;
      expect([rest, complete]).toEqual([[], true]);
      const [, stored] = await store.getMessages('one');
      expect(hit).toStrictEqual({
        id: stored?.id,
        sessionId: 'one',
        role: 'assistant',
        timestamp: START + 5000,
        partial: false,
        snippet: 'The >>>Walrus<<< is on the ice.',
        context: {
          before: { role: 'user', content: 'Where is it?' },
          after: { role: 'user', content: '😀'.repeat(200) },
        },
        source: 'cli',
        model: undefined,
        sessionStartedAt: START,
      });
    });

    verifies('STORE-4', 'neighbours are from the same session, and missing at its ends', async () => {
      const { store } = await openConversation(openStore);
      const context = async (text: string) => (await store.searchMessages({ text })).hits[0]?.context;
      expect(await context('"where is it"')).toStrictEqual({
        after: { role: 'assistant', content: 'The Walrus is on the ice.' },
      });
      expect(await context('elsewhere')).toStrictEqual({});
    });

    describeReplacements(openStore);
    describeOperators(openStore);
    describeScripts(openStore);
    describeTools(openStore);
    describeFilters(openStore);
    describeRanking(openStore);
    describeHostile(openStore);
  });
}

async function openConversation(openStore: OpenStore): Promise<StoreHarness> {
  const bench = await openHarness(openStore);
  const { store, create, advance } = bench;
  await create('one');
  await create('two', { source: 'telegram' });
  advance(5000);
  await store.appendMessages('one', [user('Where is it?')]);
  await store.appendMessages('two', [user('Something elsewhere')]);
  await store.appendMessages('one', [assistant('The Walrus is on the ice.'), user('😀'.repeat(300))]);
  return bench;
}

function describeOperators(openStore: OpenStore): void {
  verifies('STORE-4', 'all words must occur; phrases, OR, NOT and prefixes work', async () => {
    const texts = ['red apple pie', 'green apple', 'red pear', 'apple red', 'applesauce in src/store/index.ts'];
    const { find } = await openWith(openStore, texts);
    const sorted = async (text: string) => (await find(text)).sort();
    expect(await sorted('red apple')).toEqual(['apple red', 'red apple pie']);
    expect(await sorted('"red apple"')).toEqual(['red apple pie']);
    expect(await sorted('green OR pear')).toEqual(['green apple', 'red pear']);
    expect(await sorted('apple NOT red')).toEqual(['green apple']);
    expect(await sorted('appl* NOT (red OR green)')).toEqual(['applesauce in src/store/index.ts']);
    expect(await sorted('(green OR pie) appl*')).toEqual(['green apple', 'red apple pie']);
    expect(await sorted('store/index.ts')).toEqual(['applesauce in src/store/index.ts']);
    expect(await sorted('store-index')).toEqual(['applesauce in src/store/index.ts']);
    expect(await sorted('a*')).toHaveLength(4);
    expect(await sorted('APPLE PIE')).toEqual(['red apple pie']);
    expect(await sorted('green AND NOT apple')).toEqual([]);
    expect(await sorted('apple AND NOT (red OR green)')).toEqual([]);
    expect(await sorted('apple AND NOT red')).toEqual(['green apple']);
    expect(await sorted('nothing')).toEqual([]);
  });

  verifies('STORE-4', 'prefixes of very many words are found too', async () => {
    const texts = Array.from({ length: 300 }, (_, number) => `xy${number.toString(36)}z number${number}`);
    const { find } = await openWith(openStore, [...texts, 'xylophone needle']);
    expect(await find('xy*', { limit: 400 })).toHaveLength(301);
    expect(await find('xy* needle')).toEqual(['xylophone needle']);
    expect(await find('number12* NOT xy3*')).not.toHaveLength(0);
    expect(await find('needle NOT xy*')).toEqual([]);
  });
}

function describeScripts(openStore: OpenStore): void {
  verifies('STORE-4', 'Chinese, Japanese, Korean and Thai are found by any part, even a single character', async () => {
    const texts = [
      '我们明天部署新的服务器',
      '東京でカタカナを書く',
      '한국어로 말하다',
      'ผมชอบกินข้าวผัด',
      '署部 reversed',
      '用iPhone手机 deploy 部署, then walrus',
      'English only',
      '𠀀𠀁',
    ];
    const { find } = await openWith(openStore, texts);
    const sorted = async (text: string) => (await find(text)).sort();
    expect(await sorted('部署')).toEqual([texts[0], texts[5]].sort());
    expect(await sorted('署')).toEqual([texts[0], texts[4], texts[5]].sort());
    expect(await sorted('部署新的')).toEqual([texts[0]]);
    expect(await sorted('部署服务器')).toEqual([]);
    expect(await sorted('部署 服务器')).toEqual([texts[0]]);
    expect(await sorted('部署 walrus')).toEqual([texts[5]]);
    expect(await sorted('iphone')).toEqual([texts[5]]);
    expect(await sorted('部署 NOT walrus')).toEqual([texts[0]]);
    expect(await sorted('english OR カナ')).toEqual([texts[1], texts[6]].sort());
    expect(await sorted('walrus NOT 部署')).toEqual([]);
    expect(await sorted('国')).toEqual([]);
    expect(await sorted('국어')).toEqual([texts[2]]);
    expect(await sorted('ข้าว')).toEqual([texts[3]]);
    expect(await sorted('𠀀𠀁')).toEqual([texts[7]]);
  });
}

function describeTools(openStore: OpenStore): void {
  verifies('STORE-4', 'tool names and arguments are searched', async () => {
    const { store, create } = await openHarness(openStore);
    await create('one');
    const call = { id: 'c1', name: 'write_file', arguments: '{"path": "notes.md", "text": "first\\nsecond 笔记"}' };
    await store.appendMessages('one', [
      { role: 'assistant', content: 'Writing it down', toolCalls: [call] },
      { role: 'tool', toolCallId: 'c1', toolName: 'write_file', content: 'done' },
    ]);
    const roles = async (text: string) =>
      (await store.searchMessages({ text, allWords: true })).hits.map(({ role }) => role).sort();
    expect(await roles('write_file')).toEqual(['assistant', 'tool']);
    expect(await roles('notes.md')).toEqual(['assistant']);
    expect(await roles('second')).toEqual(['assistant']);
    expect(await roles('笔记')).toEqual(['assistant']);
    expect(await roles('writing notes')).toEqual(['assistant']);
    expect(await roles('write_file NOT notes')).toEqual(['tool']);
    expect(await roles('write_file done')).toEqual(['tool']);
    expect(await roles('done AND "write file" NOT notes')).toEqual(['tool']);
    expect(await roles('done NOT write_file')).toEqual([]);
    const [hit] = (await store.searchMessages({ text: 'notes.md' })).hits;
    expect(hit?.snippet).toContain('>>>notes.md<<<');
    expect(hit?.context.after).toEqual({ role: 'tool', content: 'done' });
  });
}

function describeFilters(openStore: OpenStore): void {
  verifies('STORE-4', 'filters by source, excluded source and role; limit and offset', async () => {
    const { store, create } = await openHarness(openStore);
    for (const source of ['cli', 'telegram', 'batch']) {
      await create(source, { source });
      await store.appendMessages(source, [user(`seal ${source} 海豹`), assistant(`seal answer ${source}`)]);
    }
    const found = async (more: Partial<MessageQuery>, text = 'seal') =>
      (await store.searchMessages({ text, ...more })).hits.map(({ source, role }) => `${source} ${role}`).sort();
    expect(await found({})).toHaveLength(6);
    expect(await found({ sources: ['cli'] })).toEqual(['cli assistant', 'cli user']);
    expect(await found({ sources: ['cli', 'batch'], roles: ['user'] })).toEqual(['batch user', 'cli user']);
    expect(await found({ excludedSources: ['cli', 'batch'] })).toEqual(['telegram assistant', 'telegram user']);
    expect(await found({ sources: ['cli'], excludedSources: ['cli'] })).toEqual([]);
    expect(await found({ sources: [] })).toEqual([]);
    expect(await found({ roles: ['tool'] })).toEqual([]);
    expect(await found({ sessions: ['cli'], roles: ['user'] })).toEqual(['cli user']);
    expect(await found({ sessions: [] })).toEqual([]);
    expect(await found({ excludedSessions: ['cli', 'batch'], roles: ['user'] })).toEqual(['telegram user']);
    expect(await found({ sources: ['batch'] }, '海豹')).toEqual(['batch user']);
    const all = (await store.searchMessages({ text: 'seal' })).hits.map(({ id }) => id);
    const page = async (offset: number) =>
      (await store.searchMessages({ text: 'seal', limit: 4, offset })).hits.map(({ id }) => id);
    expect([...(await page(0)), ...(await page(4))]).toEqual(all);
    expect(await page(6)).toEqual([]);
    expect(await found({ limit: 0 })).toEqual([]);
  });

  verifies('STORE-4', 'returns twenty hits by default', async () => {
    const { find } = await openWith(
      openStore,
      Array.from({ length: 30 }, (_, number) => `seal ${number}`),
    );
    expect(await find('seal')).toHaveLength(20);
    expect(await find('seal', { limit: 100 })).toHaveLength(30);
    expect(await find('seal', { limit: Number.MAX_VALUE })).toHaveLength(30);
    expect(await find('seal', { limit: -1 })).toEqual([]);
    expect(await find('seal', { offset: -5 })).toHaveLength(20);
  });
}

function describeRanking(openStore: OpenStore): void {
  verifies('STORE-4', 'ranks by relevance first, then by recency', async () => {
    const { store, create, advance } = await openHarness(openStore);
    await create('one');
    const filler = 'other words '.repeat(40);
    for (const text of ['the seal sat on the ice', `${filler} seal ${filler} ice ${filler}`, 'a seal', 'a seal']) {
      await store.appendMessages('one', [user(text)]);
      advance(86_400_000);
    }
    const both = (await store.searchMessages({ text: 'seal ice', allWords: true })).hits;
    expect(both.map(({ snippet }) => snippet.includes('sat'))).toEqual([true, false]);
    const [newest, older] = (await store.searchMessages({ text: 'seal NOT ice' })).hits;
    expect(newest?.id).toBeGreaterThan(older?.id ?? 0);
  });

  verifies('STORE-4', 'a rare match is found among thousands of others', async () => {
    const texts = Array.from({ length: 3000 }, (_, number) => `common ${number}`);
    const { find } = await openWith(openStore, ['common needle 针', ...texts]);
    expect(await find('needle')).toEqual(['common needle 针']);
    expect(await find('common needle')).toEqual(['common needle 针']);
    expect(await find('针')).toEqual(['common needle 针']);
  });
}

function describeHostile(openStore: OpenStore): void {
  verifies('STORE-4', 'any query gets an answer', async () => {
    const { store, find } = await openWith(openStore, ["it's; DROP TABLE messages", 'a\0b after', 'ok']);
    for (const text of [
      '',
      '"',
      "'",
      '*',
      'NOT',
      'a AND',
      '(((',
      'a:b',
      '{x} : y',
      '^',
      '\0',
      '\ud800',
      '; --',
      '%_\\',
      '!!',
    ]) {
      await expect(find(text)).resolves.toBeInstanceOf(Array);
    }
    expect(await find('drop; table--')).toEqual(["it's; DROP TABLE messages"]);
    expect(await find('after')).toEqual(['a\0b after']);
    expect(await find('ok '.repeat(2000))).toEqual(['ok']);
    expect(await find('x'.repeat(100_000))).toEqual([]);
    const sentence = Array.from({ length: 2000 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('');
    await store.appendMessages('one', [user(`${sentence}。`), user([...sentence].reverse().join(''))]);
    expect((await store.searchMessages({ text: sentence })).hits).toHaveLength(1);
  });
}

function describeReplacements(openStore: OpenStore): void {
  verifies(['STORE-4', 'STORE-5'], 'a summary is neither a hit, nor a preview, nor a user message', async () => {
    const { store, find } = await openWith(openStore, ['the walrus of the lineage', 'and then?']);
    const [, last] = await store.getMessages('one');
    const child = { id: 'two', source: 'cli', startedAt: START + 1000 };
    const summary = { message: user('[summary] the walrus'), isReplacement: true as const };
    await store.splitSession('one', child, [summary, { copyOf: last?.id ?? 0 }]);
    expect(await find('walrus')).toEqual(['the walrus of the lineage']);
    const [newest] = await store.listSessions();
    expect(newest).toMatchObject({ id: 'two', preview: 'and then?', messageCount: 0 });
    const branch = { id: 'aside', source: 'cli', startedAt: START + 2000 };
    await store.branchSession('two', branch);
    expect((await store.listSessions())[0]).toMatchObject({ id: 'aside', preview: 'and then?' });
    expect(await find('walrus')).toEqual(['the walrus of the lineage']);
    expect((await store.statistics()).messages.user).toBe(2);
    expect((await store.getMessages('two'))[0]).toMatchObject({ isReplacement: true, message: summary.message });
  });
}
