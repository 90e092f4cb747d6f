import { type Clock, HermesError, type JsonObject, systemClock, type Usage } from '../../base/index.ts';
import type { ApiMode, CacheTtl } from '../../contracts/index.ts';
import {
  type CountTokens,
  createPromptReader,
  isCached,
  storeEntry,
  createPrefixTree,
  prefixPath,
  type PrefixNode,
  type Prompt,
} from './prompt.ts';

/** The input tokens of a call, as a provider bills them. */
export type CachedUsage = Pick<Usage, 'input' | 'cacheRead' | 'cacheWrite'> & {
  /** The part of `cacheWrite` that is cached for an hour, at a higher price. */
  longCacheWrite: number;
};

/** `marks`: caches up to the cache markers (Anthropic). `automatic`: caches every prompt (OpenAI). `none`: no cache. */
export type CacheKind = 'marks' | 'automatic' | 'none';

export type CacheSimulatorOptions = {
  /** Default: one token per four characters. Pass a real tokenizer for real figures. */
  countTokens?: CountTokens;
  /** Which cache serves a request; by default determined by API mode and model. */
  kindOf?: (prompt: Prompt) => CacheKind;
  /** The shortest prefix that is cached, for all models. */
  minimumTokens?: number;
  clock?: Clock;
};

/** Simulates the prompt cache of a provider: computes how much of each request would be read from the cache. */
export interface CacheSimulator {
  /** Parses the exact body of a request. */
  read(apiMode: ApiMode, body: JsonObject | string): Prompt;
  /** Processes a request: updates the cache and returns the usage. Requests must come in chronological order. */
  serve(prompt: Prompt, at?: number): CachedUsage;
}

const CHARACTERS_PER_TOKEN = 4;

export function createCacheSimulator(options: CacheSimulatorOptions = {}): CacheSimulator {
  const countTokens = options.countTokens ?? ((text) => Math.ceil(text.length / CHARACTERS_PER_TOKEN));
  const { kindOf = defaultCacheKind, minimumTokens, clock = systemClock } = options;
  const read = createPromptReader(countTokens);
  const caches = {
    marks: createMarkedCache(minimumTokens),
    automatic: createAutomaticCache(countTokens, minimumTokens),
    none: withoutCache,
  };
  return {
    read: (apiMode, body) => read(apiMode, typeof body === 'string' ? (JSON.parse(body) as JsonObject) : body),
    serve: (prompt, at = clock.now()) => caches[kindOf(prompt)](prompt, at),
  };
}

function defaultCacheKind({ apiMode, model }: Prompt): CacheKind {
  if (apiMode === 'ollama_chat') return 'none';
  if (apiMode === 'anthropic_messages' || model.toLowerCase().includes('claude')) return 'marks';
  return 'automatic';
}

function withoutCache({ parts }: Prompt): CachedUsage {
  const input = parts.reduce((sum, { block }) => sum + block.tokens, 0);
  return { input, cacheRead: 0, cacheWrite: 0, longCacheWrite: 0 };
}

const MAX_MARKS = 4;
/** A cache marker matches an entry at its own block or at one of the blocks before it, up to this many in total. */
const LOOK_BACK = 20;
const MARKED_LIFE_MS: Readonly<Record<CacheTtl, number>> = { '5m': 300_000, '1h': 3_600_000 };

/** Shorter prefixes are silently not cached. */
const MARKED_MINIMUM_TOKENS: readonly { models: RegExp; tokens: number }[] = [
  { models: /opus-4[-.][5-9]|haiku-4[-.]5/, tokens: 4_096 },
  { models: /sonnet-4[-.]6|haiku-3|3[-.]5-haiku|3-haiku/, tokens: 2_048 },
];
const USUAL_MINIMUM_TOKENS = 1_024;

/**
 * A cache with explicit markers. An entry is written at each marker and nowhere else. A request reads the longest
 * entry that one of its markers finds, and pays for writing everything between that entry and its last marker.
 */
function createMarkedCache(minimum?: number) {
  const trees = new Map<string, PrefixNode>();
  return (prompt: Prompt, now: number): CachedUsage => {
    const marks = prompt.parts.flatMap(({ mark }, index) => (mark === undefined ? [] : [{ index, mark }]));
    if (marks.length > MAX_MARKS) throw new HermesError(`The request has ${marks.length} cache markers (maximum 4).`);
    const tree = trees.get(prompt.model) ?? createPrefixTree();
    trees.set(prompt.model, tree);
    const path = prefixPath(tree, prompt);
    const hit = Math.max(-1, ...marks.map(({ index }) => findEntry(path, index, now)));
    refresh(path, [hit, ...marks.map(({ index }) => index).filter((index) => index < hit)], now);
    const least = minimum ?? minimumFor(prompt.model);
    const written = marks.filter(({ index }) => index > hit && tokensAt(path, index) >= least);
    for (const { index, mark } of written) storeEntry(path[index] as PrefixNode, now, MARKED_LIFE_MS[mark]);
    return countUsage(path, hit, written);
  };
}

function findEntry(path: readonly PrefixNode[], marker: number, now: number): number {
  for (let index = marker; index > marker - LOOK_BACK && index >= 0; index -= 1) {
    if (isCached(path[index] as PrefixNode, now)) return index;
  }
  return -1;
}

/** Extends the lifetime of the entries that were used; an expired entry stays expired. */
function refresh(path: readonly PrefixNode[], indexes: readonly number[], now: number): void {
  for (const index of indexes) {
    const node = path[index];
    if (node !== undefined && isCached(node, now)) storeEntry(node, now, node.lifeMs);
  }
}

function countUsage(
  path: readonly PrefixNode[],
  hit: number,
  written: readonly { index: number; mark: CacheTtl }[],
): CachedUsage {
  const cacheRead = tokensAt(path, hit);
  const end = tokensAt(path, written.at(-1)?.index ?? hit);
  const long = written.findLast(({ mark }) => mark === '1h');
  const longCacheWrite = long === undefined ? 0 : tokensAt(path, long.index) - cacheRead;
  return { input: tokensAt(path, path.length - 1) - end, cacheRead, cacheWrite: end - cacheRead, longCacheWrite };
}

function tokensAt(path: readonly PrefixNode[], index: number): number {
  return path[index]?.tokens ?? 0;
}

function minimumFor(model: string): number {
  return MARKED_MINIMUM_TOKENS.find(({ models }) => models.test(model.toLowerCase()))?.tokens ?? USUAL_MINIMUM_TOKENS;
}

const MINIMUM_TOKENS = 1_024;
const STEP_TOKENS = 128;
/**
 * Entries expire after this time without use. Real services keep them for five to ten minutes, longer at off-peak
 * times.
 */
const LIFE_MS = 300_000;

/**
 * A cache that stores every prompt automatically, in steps of 128 tokens from 1,024 on. Prompts share a cache if they
 * have the same key or the same first block.
 */
function createAutomaticCache(countTokens: CountTokens, minimum = MINIMUM_TOKENS) {
  const trees = new Map<string, PrefixNode>();
  return (prompt: Prompt, now: number): CachedUsage => {
    const cacheName = `${prompt.model} ${prompt.cacheKey ?? prompt.parts[0]?.block.id ?? ''}`;
    const tree = trees.get(cacheName) ?? createPrefixTree();
    trees.set(cacheName, tree);
    const before = neighbours(tree, prompt);
    const path = prefixPath(tree, prompt);
    const end = path.findIndex((node) => !isCached(node, now));
    const whole = end < 0 ? path.length : end;
    const known = path[whole - 1]?.tokens ?? 0;
    const matched = known + countTokens(commonPrefix(prompt.parts[whole]?.block.text, before[whole] ?? [], now));
    for (const node of path) storeEntry(node, now, LIFE_MS);
    const total = path.at(-1)?.tokens ?? 0;
    const cacheRead = matched < minimum ? 0 : Math.min(total, matched - (matched % STEP_TOKENS));
    return { input: total - cacheRead, cacheRead, cacheWrite: 0, longCacheWrite: 0 };
  };
}

/** For each position of the prompt, the blocks of other prompts that have the same prefix before it. */
function neighbours(tree: PrefixNode, { parts }: Prompt): PrefixNode[][] {
  const found: PrefixNode[][] = [];
  let node: PrefixNode | undefined = tree;
  for (const { block } of parts) {
    const next: PrefixNode | undefined = node.children.get(block.id);
    found.push(next === undefined ? [...node.children.values()] : []);
    if (next === undefined) break;
    node = next;
  }
  return found;
}

/** The longest common prefix of a text and one of the others. */
function commonPrefix(text: string | undefined, others: readonly PrefixNode[], now: number): string {
  if (text === undefined) return '';
  const lengths = others
    .filter((node) => isCached(node, now))
    .map((node) => commonLength(text, node.block?.text ?? ''));
  return text.slice(0, Math.max(0, ...lengths));
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
