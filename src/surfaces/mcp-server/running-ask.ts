import {
  type Actor,
  type AgentEvent,
  type Clock,
  errorMessage,
  type InteractionRequest,
  type RunResult,
} from '../../base/index.ts';
import type { Logger } from '../../contracts/index.ts';
import type { Conversation, ConversationTurn } from '../../conversations/index.ts';
import { redactSecrets, shorten } from '../../util/index.ts';
import { describeCall } from '../text/describe-call.ts';
import { fromForm } from './elicitation.ts';
import type { ElicitationAnswer } from './served-parts.ts';

/** Clients give up after a minute without a sign of life. */
const HEARTBEAT_MS = 15_000;
const MAX_PROGRESS_CHARACTERS = 200;

/** A question of the turn that nobody has answered. `closed` is aborted when it is answered or times out. */
export type OpenQuestion = { requestId: string; request: InteractionRequest; closed: AbortSignal };

export type AskStep = { kind: 'question'; question: OpenQuestion } | { kind: 'ended'; result: RunResult };

/**
 * A turn that a client started. In newer protocol versions the client calls again to answer a question, so the turn
 * outlives the call that started it.
 */
export interface RunningAsk {
  readonly id: string;
  readonly actorId: string;
  readonly sessionId: string;
  /** Resolves or rejects when the turn has ended. */
  readonly ended: Promise<RunResult>;
  /** Reports the progress to this function until the returned one is called. */
  attach(progress: (text: string) => void): () => void;
  /** The next question to answer, or the end of the turn. */
  next(): Promise<AskStep>;
  /** Answers a question. It may have been answered elsewhere in the meantime; the first answer counts. */
  answer(requestId: string, answer: ElicitationAnswer | undefined): Promise<void>;
  interrupt(reason: string): void;
}

type AskParts = {
  id: string;
  actor: Actor;
  conversation: Conversation;
  turn: ConversationTurn;
  /** How long a question stays open. */
  questionMs: number;
  clock: Clock;
  logger: Logger;
};

export function createRunningAsk(parts: AskParts): RunningAsk {
  const { id, actor, conversation, turn, clock, logger } = parts;
  const open = new Map<string, { question: OpenQuestion; closing: AbortController; expiresAt: number }>();
  let report: ((text: string) => void) | undefined;
  let changed = Promise.withResolvers<void>();
  let isEnded = false;

  function notify(): void {
    changed.resolve();
    changed = Promise.withResolvers();
  }

  function take(event: AgentEvent): void {
    if (event.type === 'request') {
      const { requestId, request } = event;
      const closing = new AbortController();
      const question = { requestId, request, closed: closing.signal };
      open.set(requestId, { question, closing, expiresAt: clock.now() + parts.questionMs });
    } else if (event.type === 'request-closed') {
      const closed = open.get(event.requestId);
      closed?.closing.abort();
      open.delete(event.requestId);
      // The client did not come back with an answer, so nobody waits for the rest of the turn.
      if (report === undefined && closed !== undefined && clock.now() >= closed.expiresAt)
        conversation.interrupt('the client did not answer');
    } else report?.(describeProgress(event));
  }

  async function read(): Promise<RunResult> {
    const beating = new AbortController();
    void beat(clock, (text) => report?.(text), beating.signal);
    try {
      for await (const event of turn) {
        take(event);
        if (event.type === 'request' || event.type === 'request-closed') notify();
      }
      return await turn.result;
    } finally {
      beating.abort();
      isEnded = true;
      notify();
    }
  }

  const ended = read();
  // The call that follows the turn gets the error.
  ended.catch((thrown: unknown) => logger.warn('an MCP call failed', { error: errorMessage(thrown) }));
  return {
    id,
    actorId: actor.id,
    ended,
    get sessionId() {
      return conversation.sessionId;
    },
    attach(progress) {
      const own = (text: string) => text !== '' && progress(text);
      report = own;
      return () => {
        if (report === own) report = undefined;
      };
    },
    async next() {
      for (;;) {
        const [first] = open.values();
        if (isEnded) return { kind: 'ended', result: await ended };
        if (first !== undefined) return { kind: 'question', question: first.question };
        await changed.promise;
      }
    },
    async answer(requestId, given) {
      const found = open.get(requestId);
      open.delete(requestId);
      if (found !== undefined) await conversation.answer(requestId, fromForm(found.question.request, given), actor);
    },
    interrupt: (reason) => void conversation.interrupt(reason),
  };
}

async function beat(clock: Clock, report: (text: string) => void, signal: AbortSignal): Promise<void> {
  for (let seconds = 0; ; ) {
    await clock.sleep(HEARTBEAT_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    seconds += HEARTBEAT_MS / 1000;
    report(`working for ${seconds} s`);
  }
}

/** What a client shows while the turn runs; empty for events that tell its user nothing. */
function describeProgress(event: AgentEvent): string {
  const say = (text: string) => redactSecrets(shorten(text, MAX_PROGRESS_CHARACTERS));
  switch (event.type) {
    case 'started':
      return `${event.model} is thinking`;
    case 'tool-started':
      return say([event.name, describeCall(event.name, event.arguments)].filter(Boolean).join(': '));
    case 'retry':
      return say(`${event.message}; retrying`);
    case 'fallback':
      return say(`${event.from} failed; continuing with ${event.to}`);
    case 'compression-started':
      return 'compressing the conversation';
    case 'warning':
      return say(event.message);
    default:
      return '';
  }
}
