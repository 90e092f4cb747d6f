import { type Clock, type JsonObject, systemClock, type Usage } from '../../base/index.ts';
import type { ApiMode } from '../../contracts/index.ts';
import { createAutomaticCache } from './automatic-cache.ts';
import { createMarkedCache } from './marked-cache.ts';
import { type CountTokens, createPromptReader, type Prompt } from './prompt.ts';

/** How a provider counts the input of a call. */
export type CachedUsage = Pick<Usage, 'input' | 'cacheRead' | 'cacheWrite'> & {
  /** The part of what was written that is kept for an hour, at a higher price. */
  longCacheWrite: number;
};

/** Keeps what it is told to (`marks`: Anthropic), keeps all by itself (`automatic`: OpenAI), or keeps nothing. */
export type CacheKind = 'marks' | 'automatic' | 'none';

export type CacheSimulatorOptions = {
  /** Four characters each unless told otherwise; a real tokenizer makes real figures. */
  countTokens?: CountTokens;
  /** Which cache answers a request; by API mode and model unless told otherwise. */
  kindOf?: (prompt: Prompt) => CacheKind;
  /** The shortest prefix that is kept, for all models. */
  minimumTokens?: number;
  clock?: Clock;
};

/** A provider's cache without a provider: says what of a run of requests it would have had already. */
export interface CacheSimulator {
  /** The exact body of a request as what a cache sees of it. */
  read(apiMode: ApiMode, body: JsonObject | string): Prompt;
  /** Takes a request, keeps what a provider would keep of it, and counts. Requests come in the order of their times. */
  serve(prompt: Prompt, at?: number): CachedUsage;
}

const CHARACTERS_PER_TOKEN = 4;

export function createCacheSimulator(options: CacheSimulatorOptions = {}): CacheSimulator {
  const countTokens = options.countTokens ?? ((text) => Math.ceil(text.length / CHARACTERS_PER_TOKEN));
  const { kindOf = usualKind, minimumTokens, clock = systemClock } = options;
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

function usualKind({ apiMode, model }: Prompt): CacheKind {
  if (apiMode === 'ollama_chat') return 'none';
  if (apiMode === 'anthropic_messages' || model.toLowerCase().includes('claude')) return 'marks';
  return 'automatic';
}

function withoutCache({ parts }: Prompt): CachedUsage {
  const input = parts.reduce((sum, { block }) => sum + block.tokens, 0);
  return { input, cacheRead: 0, cacheWrite: 0, longCacheWrite: 0 };
}
