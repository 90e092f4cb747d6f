import {
  type ApiMode,
  type CacheTtl,
  type CacheTtlSetting,
  type CachingMode,
  MARKER_LEVELS,
  type MarkerSupport,
  type ModelRequest,
  type RequestMarkers,
} from '../contracts/index.ts';
import type { ModelQuirks } from './model-quirks.ts';

/** How many messages at the end get a marker, and the maximum number of markers in a request. */
const MESSAGES_WITH_MARKER = 3;
const MAX_MARKERS = 4;

export type MarkerOptions = {
  apiMode: ApiMode | 'bedrock_converse';
  model: string;
  quirks?: ModelQuirks;
  cacheTtl?: CacheTtlSetting;
  cachingMode?: CachingMode;
};

/** The models whose providers cache only what is marked. */
const FAMILIES = { claude: /claude|(?:^|[/.@_-])(?:sonnet|opus|haiku)-?\d/, qwen: /qwen/ } as const;

/** What an endpoint may support of cache markers for a model; undefined if its requests get none. */
export function markerSupportOf(options: MarkerOptions): MarkerSupport | undefined {
  const { apiMode, model, quirks, cacheTtl: ttl = '5m', cachingMode: mode = 'auto' } = options;
  const isChat = apiMode === 'chat_completions';
  const hasMarkers = isChat || apiMode === 'anthropic_messages' || apiMode === 'bedrock_converse';
  if (!hasMarkers || mode === 'off' || (mode === 'auto' && !isLikely(model, quirks?.cacheMarkers))) return undefined;
  // Only in chat completions, gateways differ in what they pass on.
  const levels = isChat ? MARKER_LEVELS : (['results', 'none'] as const);
  return { levels, ttl: quirks?.shortCacheOnly ? '5m' : ttl };
}

/**
 * Whether markers are likely to have an effect. Any endpoint may be a gateway in front of Claude; models of other
 * vendors need markers only at the endpoints that say so.
 */
function isLikely(model: string, family: ModelQuirks['cacheMarkers'] = 'claude'): boolean {
  return family !== false && FAMILIES[family].test(model.toLowerCase());
}

/** The configured lifetime of cache entries; undefined if this endpoint gets no markers for this model. */
export function cacheTtlOf(options: MarkerOptions): CacheTtlSetting | undefined {
  return markerSupportOf(options)?.ttl;
}

/**
 * The markers of a request; undefined if it has none. A one-off request never has any, because writing to the cache
 * costs more than reading.
 */
export function markersOf(request: ModelRequest, support: MarkerSupport | undefined): RequestMarkers | undefined {
  const [level = 'none'] = support?.levels ?? [];
  if (support === undefined || request.cacheKey === undefined) return undefined;
  const markers = request.cacheMarkers ?? { level, isTrial: false, ttl: support.ttl === '1h' ? '1h' : '5m' };
  return markers.level === 'none' ? undefined : markers;
}

/** The JSON field of a cache marker. Five minutes is the providers' default lifetime, so it is not written. */
export function markerField(ttl: CacheTtl): string {
  return ttl === '5m' ? '"cache_control":{"type":"ephemeral"}' : '"cache_control":{"type":"ephemeral","ttl":"1h"}';
}

/**
 * The indexes that get a marker: the last three that can have one. If other models responded in between, the third
 * marker would be useless there, so it goes to the last message that this model has read (`known`; -1 if there is
 * none).
 */
export function findMarkerIndexes(count: number, canCarry: (index: number) => boolean, known = -1): number[] {
  const found = carriersBefore(count, canCarry, MESSAGES_WITH_MARKER);
  const [read] = carriersBefore(known + 1, canCarry, 1);
  const oldest = found[MESSAGES_WITH_MARKER - 1];
  return read === undefined || oldest === undefined || read >= oldest ? found : [...found.slice(0, -1), read];
}

/**
 * Like `findMarkerIndexes`, for an endpoint of which it is not known yet whether it supports all carriers. Two markers
 * go to the last messages that certainly can have one: the newer one caches the prompt at least up to there, and the
 * older one finds the entry of the previous request.
 */
export function findTrialIndexes(
  count: number,
  canCarry: (index: number) => boolean,
  isCertain: (index: number) => boolean,
): number[] {
  const [newest, ...others] = carriersBefore(count, canCarry, MESSAGES_WITH_MARKER);
  if (newest === undefined) return [];
  const certain = carriersBefore(count, isCertain, MESSAGES_WITH_MARKER - 1);
  return [...new Set([newest, ...certain, ...others])].slice(0, MESSAGES_WITH_MARKER);
}

function carriersBefore(end: number, canCarry: (index: number) => boolean, most: number): number[] {
  const found: number[] = [];
  for (let index = end - 1; index >= 0 && found.length < most; index -= 1) {
    if (canCarry(index)) found.push(index);
  }
  return found;
}

/** Whether a marker is left for the tool definitions, which requests with another system prompt may share. */
export function hasUnusedMarker(marks: number): boolean {
  return marks < MAX_MARKERS;
}

/**
 * Inserts the marker into an encoded object before its closing brackets. Nothing is encoded again, and without the
 * marker the bytes are the same.
 */
export function insertMarker(text: string, marker: string, closing = '}'): string {
  return `${text.slice(0, -closing.length)},${marker}${closing}`;
}

/** Adds the marker to the last of these objects. */
export function withMarkerOnLast(texts: readonly string[], marker: string): string[] {
  const last = texts.at(-1);
  return last === undefined ? [] : [...texts.slice(0, -1), insertMarker(last, marker)];
}
