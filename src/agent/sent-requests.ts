import type { Message, Usage } from '../base/index.ts';
import type { CallRecord, ModelRequest, ModelRoute } from '../contracts/index.ts';

/** The usage of a call with cache markers. */
export type SentCall = {
  startedAt: number;
  usage: Usage;
  /** The request revision; undefined for a call of an earlier process. */
  revision?: string | undefined;
  /** Set if it had markers that may be ignored: estimated tokens between a certain marker and the last, and after it. */
  trial?: { between: number; after: number } | undefined;
};

/**
 * Tracks what was sent to each model of the session, because provider caches work only for requests that extend
 * earlier ones.
 */
export interface SentRequests {
  /**
   * The message up to which a cache entry of this model should be used and kept: the last one that was sent to it, even
   * if another model has answered since; or the last one that the next clearing will leave as it is.
   */
  readUpTo(route: ModelRoute, history?: readonly Message[]): Message | undefined;
  record(route: ModelRoute, request: ModelRequest): void;
  /** The last call with cache markers to this model. */
  lastCall(route: ModelRoute): SentCall | undefined;
  /** Whether cache entries of this session expired in a pause. */
  cacheExpired: boolean;
  recordCall(route: Pick<CallRecord, 'provider' | 'model'>, call: SentCall): void;
  /**
   * Records that only the messages up to the first of these are still as they were sent, and that all up to the second
   * will stay as they are.
   */
  rewind(unchanged: Message | undefined, settled: Message | undefined): void;
  /**
   * Records that the prompt or, with `isEdit`, messages that had been sent were changed on purpose, so later requests do
   * not extend earlier ones.
   */
  invalidate(isEdit: boolean): void;
  /** How many times messages were changed on purpose; part of the request revision. */
  readonly invalidations: number;
  /** How many of these were edits of messages. */
  readonly edits: number;
}

export function createSentRequests(): SentRequests {
  const lastMessages = new Map<string, Message>();
  let newest: Message | undefined;
  let settledUpTo: Message | undefined;
  const calls = new Map<string, SentCall>();
  const keyOf = ({ provider, model }: Pick<CallRecord, 'provider' | 'model'>) => `${provider} ${model}`;
  let [starts, edits] = [0, 0];
  return {
    cacheExpired: false,
    readUpTo(route, history = []) {
      const last = lastMessages.get(keyOf(route));
      return last !== newest || settledUpTo === undefined || hasManyCalls(history) ? last : settledUpTo;
    },
    record(route, { messages, tailLength = 0 }) {
      const last = messages.at(-1 - tailLength);
      if (last === undefined) return;
      lastMessages.set(keyOf(route), last);
      newest = last;
    },
    rewind(unchanged, settled) {
      for (const key of lastMessages.keys()) {
        if (unchanged === undefined) lastMessages.delete(key);
        else lastMessages.set(key, unchanged);
      }
      newest = undefined;
      settledUpTo = settled;
    },
    lastCall: (route) => calls.get(keyOf(route)),
    recordCall: (route, call) => void calls.set(keyOf(route), call),
    invalidate(isEdit) {
      starts += 1;
      if (isEdit) edits += 1;
    },
    get edits() {
      return edits;
    },
    get invalidations() {
      return starts;
    },
  };
}

/** With more calls, the entry of the previous request is too far away for the markers at the end of the request. */
const MAX_CALLS = 16;

function hasManyCalls(history: readonly Message[]): boolean {
  const answer = history.findLast(({ role }) => role === 'assistant');
  return answer?.role === 'assistant' && (answer.toolCalls ?? []).length > MAX_CALLS;
}
