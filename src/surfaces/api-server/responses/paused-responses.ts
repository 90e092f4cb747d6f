import { HttpError } from '../../../http/index.ts';
import type { ChatToolCall } from '../chat/chat-request.ts';
import type { Scope } from '../chat/find-session.ts';
import { hashMessages } from '../chat/prefix-hashes.ts';
import type { LiveTurn } from './live-turn.ts';
import type { Place } from './place-response.ts';
import type { ResponseInput } from './read-input.ts';
import { invalid } from '../read-fields.ts';

/** A turn that waits for the results of the client. */
export type PausedTurn = {
  live: LiveTurn;
  /** The work of the turn; it never rejects. */
  done: Promise<void>;
  calls: readonly ChatToolCall[];
  /** The response that ended with the calls. */
  responseId: string;
  conversationId: string | undefined;
  /** Where the next response begins, as soon as that response has ended. */
  next: Promise<Place>;
  scope: Scope;
  /** What the user had said, for clients that send everything with each request. */
  saidByUser: ResponseInput['saidByUser'];
};

export type PauseQuery = {
  scope: Scope;
  input: ResponseInput;
  responseId: string | undefined;
  conversationId: string | undefined;
};

/** The turns that wait for results of clients. */
export interface PausedResponses {
  add(turn: PausedTurn): void;
  /**
   * Returns the turn that waits for the results in a request, which is no longer paused then. Throws `HttpError` if some
   * results are missing, or if no turn waits for them and there is nothing else to answer.
   */
  take(query: PauseQuery): PausedTurn | undefined;
}

export function createPausedResponses(): PausedResponses {
  const paused = new Set<PausedTurn>();

  function isMeant(turn: PausedTurn, query: PauseQuery): boolean {
    const { input, responseId, conversationId } = query;
    if (turn.live.stop.signal.aborted || ownerOf(turn.scope) !== ownerOf(query.scope)) return false;
    if (!turn.calls.some(({ id }) => input.results.has(id))) return false;
    if (responseId !== undefined) return turn.responseId === responseId;
    if (conversationId !== undefined) return turn.conversationId === conversationId;
    return said(query.scope, input.saidByUser) === said(turn.scope, turn.saidByUser);
  }

  return {
    add(turn) {
      paused.add(turn);
      void turn.done.then(() => paused.delete(turn));
    },
    take(query) {
      const { results, message } = query.input;
      if (results.size === 0) return undefined;
      const found = [...paused].find((turn) => isMeant(turn, query));
      if (found === undefined) {
        if (message.length > 0) return undefined;
        const problem = 'No turn waits for these results: it has ended, or they were sent before.';
        throw refusal(409, 'turn_ended', `${problem} Send a message to continue.`);
      }
      const file = message.flatMap(({ files }) => files)[0];
      if (file !== undefined) throw invalid(file.field, 'is a file; send files after the turn has ended');
      const missing = found.calls.find(({ id }) => !results.has(id));
      if (missing !== undefined)
        throw refusal(400, 'missing_output', `No tool output found for function call ${missing.id}.`);
      paused.delete(found);
      return found;
    },
  };
}

/** A scope begins with the kind of the request, which the name of the key follows. */
const ownerOf = ([kind, owner]: Scope) => `${kind} ${owner}`;

const said = (scope: Scope, messages: ResponseInput['saidByUser']) => hashMessages(scope, messages).at(-1);

function refusal(status: number, code: string, message: string): HttpError {
  return new HttpError(status, code, message, { 'x-should-retry': 'false' }, 'input');
}
