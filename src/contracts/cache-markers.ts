import type { Message } from '../base/index.ts';
import type { LimitOwner } from './model-facts.ts';

/** How long a provider keeps a cache entry after its last use. */
export const CACHE_TTLS = ['5m', '1h'] as const;
export type CacheTtl = (typeof CACHE_TTLS)[number];

/** Every provider keeps cache entries at least this long after their last use. */
export const SHORT_CACHE_MS = 300_000;

/** `auto`: five minutes, and an hour after the first pause of a session in which its cache entries expired. */
export const CACHE_TTL_SETTINGS = [...CACHE_TTLS, 'auto'] as const;
export type CacheTtlSetting = (typeof CACHE_TTL_SETTINGS)[number];

/** Whether requests get cache markers; `auto` decides by the model and the endpoint, and learns. */
export const CACHING_MODES = ['auto', 'on', 'off'] as const;
export type CachingMode = (typeof CACHING_MODES)[number];

/**
 * Which messages carry cache markers: all, including tool results (`results`); tool calls instead of tool results
 * (`calls`); only messages with text (`text`); none. Each level carries less than the one before.
 */
export const MARKER_LEVELS = ['results', 'calls', 'text', 'none'] as const;
export type MarkerLevel = (typeof MARKER_LEVELS)[number];

/** What an endpoint may support for a model, before anything was learned about it. */
export type MarkerSupport = {
  /** In the order in which they are tried; the last one is `none`. */
  levels: readonly MarkerLevel[];
  ttl: CacheTtlSetting;
};

/** The cache markers of one request. */
export type RequestMarkers = {
  level: MarkerLevel;
  /** Whether it is not known yet that the endpoint supports this level. One marker then stays on a text. */
  isTrial: boolean;
  ttl: CacheTtl;
};

/** The marker levels that endpoints are known to support, learned from refusals and from usage. */
export interface LearnedMarkers {
  find(route: LimitOwner): MarkerLevel | undefined;
  learn(route: LimitOwner, level: MarkerLevel): void;
}

/** Markers that had no effect: a long marked prompt was sent twice, and the provider reported no cached tokens. */
export type UnusedMarkers = { provider: string; model: string; tokens: number };

/** Whether a message can carry a marker in chat completions. Of the results of a tool batch, the last one can. */
export function canCarryMarker(messages: readonly Message[], index: number, level: MarkerLevel): boolean {
  const message = messages[index];
  if (message === undefined || level === 'none') return false;
  if (message.role === 'tool') return level === 'results' && messages[index + 1]?.role !== 'tool' && hasText(message);
  return hasText(message) || (level === 'calls' && carriesCalls(message));
}

function carriesCalls(message: Message): boolean {
  return message.role === 'assistant' && (message.toolCalls?.length ?? 0) > 0;
}

function hasText(message: Message): boolean {
  return ((message.role === 'user' ? message.sentContent : undefined) ?? message.content).trim() !== '';
}
