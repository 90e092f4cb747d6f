import type { ApiMode, CacheTtl, ModelRequest } from '../contracts/index.ts';
import type { ModelQuirks } from './model-quirks.ts';

/** How many messages at the end get a marker, and the maximum number of markers in a request. */
const MESSAGES_WITH_MARKER = 3;
const MAX_MARKERS = 4;

export type MarkerOptions = {
  apiMode: ApiMode | 'bedrock_converse';
  model: string;
  quirks?: ModelQuirks;
  cacheTtl?: CacheTtl;
};

/** The lifetime of cache entries; undefined if this endpoint gets no markers for this model. */
export function cacheTtlOf({ apiMode, model, quirks, cacheTtl = '5m' }: MarkerOptions): CacheTtl | undefined {
  const isAnthropic = apiMode === 'anthropic_messages';
  const family = quirks?.cacheMarkers ?? (isAnthropic ? 'claude' : false);
  const hasMarkers = isAnthropic || apiMode === 'chat_completions' || apiMode === 'bedrock_converse';
  if (!family || !hasMarkers) return undefined;
  if (!model.toLowerCase().includes(family)) return undefined;
  return quirks?.shortCacheOnly ? '5m' : cacheTtl;
}

/** The JSON field of a cache marker. Five minutes is the providers' default lifetime, so it is not written. */
export function markerField(ttl: CacheTtl): string {
  return ttl === '5m' ? '"cache_control":{"type":"ephemeral"}' : '"cache_control":{"type":"ephemeral","ttl":"1h"}';
}

/** The marker for a request; undefined for a one-off request, because writing to the cache costs more than reading. */
export function markerFor({ cacheKey }: ModelRequest, marker: string | undefined): string | undefined {
  return cacheKey === undefined ? undefined : marker;
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
