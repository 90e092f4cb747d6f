import type { MessageQuery, SessionStore } from '../../src/contracts/index.ts';
import type { Corpus } from './corpus.ts';

export type QueryKind = { name: string; queries: MessageQuery[] };
export type Timing = {
  name: string;
  leastMs: number;
  medianMs: number;
  p95Ms: number;
  /** CPU time of the process per query, which depends less on what else the machine does. */
  cpuMs: number;
  found: number;
  longestBlockMs: number;
};

const QUERIES = 60;

export function makeQueries(corpus: Corpus, chinese: boolean): QueryKind[] {
  const { words, chineseWords, random } = corpus;
  const wordAt = (least: number, most: number) => words[Math.floor(least + random() * (most - least))] ?? '';
  const pairs = chineseWords.filter((word) => word.length === 2);
  const kind = (name: string, make: (index: number) => string, filter: Partial<MessageQuery> = {}) => ({
    name,
    queries: Array.from({ length: QUERIES }, (_, index) => ({ text: make(index), ...filter })),
  });
  const prefixes = words.filter((word) => word.length >= 5);
  const kinds = [
    kind('common word', (index) => words[index] ?? ''),
    kind('rare word', () => wordAt(20_000, 40_000)),
    // Consecutive words of the text, including common ones.
    kind('phrase', () => `"${corpus.english(2).trim()}"`),
    kind('prefix, 3 letters', () => `${prefixes[Math.floor(random() * 5_000)]?.slice(0, 3)}*`),
    kind(
      'prefix, 4 and 5 letters',
      (index) => `${prefixes[Math.floor(random() * 20_000)]?.slice(0, 4 + (index % 2))}*`,
    ),
    kind('two words', () => `${wordAt(0, 500)} ${wordAt(100, 3_000)}`),
    kind('word and tool', () => `terminal ${wordAt(100, 3_000)}`),
    kind('common word, rare source', (index) => words[index] ?? '', { sources: ['rare'] }),
  ];
  if (!chinese) return kinds;
  return [
    ...kinds,
    kind('two Chinese characters', () => pairs[Math.floor(random() ** 2 * pairs.length)] ?? ''),
    kind('one Chinese character', () => (pairs[Math.floor(random() * 2_000)] ?? '').slice(0, 1)),
    kind('four Chinese characters', () => corpus.chinese(3).slice(0, 4)),
    kind('Chinese and English', () => `${pairs[Math.floor(random() * 200)]} terminal`),
  ];
}

/** Queries of which hardly any message has all words, so that the nearest hits are searched for. */
export function makeNearestQueries({ words, random }: Corpus): QueryKind[] {
  const wordAt = (least: number, most: number) => words[Math.floor(least + random() * (most - least))] ?? '';
  const kind = (name: string, ranges: readonly (readonly [number, number])[]) => ({
    name,
    queries: Array.from({ length: QUERIES }, () => ({
      text: [...ranges.map(([least, most]) => wordAt(least, most)), 'unknownword'].join(' '),
      limit: 10,
    })),
  });
  const mixed = [
    [0, 500],
    [100, 3_000],
    [1_000, 20_000],
    [20_000, 40_000],
  ] as const;
  return [
    kind('four words, common to rare', mixed),
    kind('eight words, common to rare', [...mixed, ...mixed]),
    kind('three common words', [
      [0, 300],
      [0, 300],
      [100, 1_000],
    ]),
  ];
}

export async function timeQueries(store: SessionStore, { name, queries }: QueryKind): Promise<Timing> {
  const times: number[] = [];
  let found = 0;
  let cpu = 0;
  const blocks = watchBlocks();
  for (const query of queries) {
    // Yields to the event loop, so that a pause between two queries is not counted as part of a query.
    await new Promise(setImmediate);
    const [started, cpuBefore] = [performance.now(), process.cpuUsage()];
    const { hits } = await store.searchMessages(query);
    times.push(performance.now() - started);
    const { user, system } = process.cpuUsage(cpuBefore);
    cpu += (user + system) / 1000;
    found += hits.length;
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return {
    name,
    leastMs: at(0),
    medianMs: at(0.5),
    p95Ms: at(0.95),
    cpuMs: cpu / queries.length,
    found: found / queries.length,
    longestBlockMs: blocks.stop(),
  };
}

/** The longest time for which the event loop was blocked. */
function watchBlocks(): { stop(): number } {
  let [longest, last, running] = [0, performance.now(), true];
  const tick = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (running) setImmediate(tick);
  };
  setImmediate(tick);
  return {
    stop() {
      running = false;
      return longest;
    },
  };
}
