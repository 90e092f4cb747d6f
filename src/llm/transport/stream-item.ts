import type { JsonObject } from '../../base/index.ts';
import type { FailureFacts } from '../failure/failure-facts.ts';

/** One piece of a stream: an event's data, or something that is no event. */
export type StreamItem = { event: JsonObject } | { failure: FailureFacts };

/** Turns bytes into events. Feed it as the bytes come; cuts may fall anywhere, even inside a character. */
export type EventReader = {
  feed(bytes: Uint8Array): StreamItem[];
  /** The stream is over: an event without its closing mark counts if it is whole. */
  end(): StreamItem[];
};

/** No event of any provider comes near this. */
export const LARGEST_EVENT = 16 * 1024 * 1024;

export function brokenStream(what: string): StreamItem {
  return { failure: { kind: 'invalid_response', message: `The stream cannot be read: ${what}` } };
}
