import type { Message } from '../base/index.ts';
import type { ModelRequest, ModelRoute } from '../contracts/index.ts';

/**
 * Tracks what was sent to each model of the session, because provider caches work only for requests that extend
 * earlier ones.
 */
export interface SentRequests {
  /** The last message that was sent to this model, even if another model has answered since. */
  readUpTo(route: ModelRoute): Message | undefined;
  record(route: ModelRoute, request: ModelRequest): void;
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
  const keyOf = ({ provider, model }: ModelRoute) => `${provider} ${model}`;
  let [starts, edits] = [0, 0];
  return {
    readUpTo: (route) => lastMessages.get(keyOf(route)),
    record(route, { messages, tailLength = 0 }) {
      const last = messages.at(-1 - tailLength);
      if (last !== undefined) lastMessages.set(keyOf(route), last);
    },
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
