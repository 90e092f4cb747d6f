import type { Message } from '../base/index.ts';
import type { ModelRequest, ModelRoute } from '../contracts/index.ts';

/** What the models of a session were sent: a provider's cache is of use only for what goes on from there. */
export interface SentRequests {
  /** The last message that this very model has read, whoever answered since. */
  readUpTo(route: ModelRoute): Message | undefined;
  note(route: ModelRoute, request: ModelRequest): void;
  /** The person changed what was sent before: other requests are no continuation of it. */
  startAnew(): void;
  /** How often that was. */
  readonly starts: number;
}

export function createSentRequests(): SentRequests {
  const lastMessages = new Map<string, Message>();
  const keyOf = ({ provider, model }: ModelRoute) => `${provider} ${model}`;
  let starts = 0;
  return {
    readUpTo: (route) => lastMessages.get(keyOf(route)),
    note(route, { messages, tailLength = 0 }) {
      const last = messages.at(-1 - tailLength);
      if (last !== undefined) lastMessages.set(keyOf(route), last);
    },
    startAnew() {
      starts += 1;
    },
    get starts() {
      return starts;
    },
  };
}
