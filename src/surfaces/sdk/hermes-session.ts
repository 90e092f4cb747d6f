import {
  type Actor,
  type AgentEvent,
  type ApprovalAnswer,
  type ApprovalRequest,
  type AttachedFile,
  type ClarifyRequest,
  ConfigurationError,
  errorMessage,
  type InteractionAnswer,
  type InteractionRequest,
  type JsonValue,
  type Message,
  type ReasonedDenial,
  type RunResult,
} from '../../base/index.ts';
import type { JsonSchema, Logger } from '../../contracts/index.ts';
import type { Conversation, ConversationMessage, ConversationTurn } from '../../conversations/index.ts';
import { type AnswerSchema, createAnswerSchema, runWithSchema } from '../../runtime/answer-schema/index.ts';
import { isObjectSchema, type ObjectSchema, parseWith, toJsonSchema } from './define-tool.ts';
import type { SessionCopies } from './session-storage.ts';

/** What the callbacks get besides the question. */
export type QuestionContext = {
  readonly sessionId: string;
  /** Aborted when the question is closed: it timed out, or the turn ended. */
  readonly signal: AbortSignal;
};

/** The callbacks that answer the questions of turns. */
export type QuestionHandlers = {
  /** Decides whether a call may run. Without it, calls that need approval are denied. */
  onApproval?: (
    request: ApprovalRequest,
    context: QuestionContext,
  ) => ApprovalAnswer | ReasonedDenial | Promise<ApprovalAnswer | ReasonedDenial>;
  /** Answers a question of the model. */
  onQuestion?: (request: ClarifyRequest, context: QuestionContext) => string | Promise<string>;
};

export type SendOptions<Data = unknown> = {
  /** The final answer must match it: a zod schema, or a JSON Schema. `data` of the result is then the parsed answer. */
  schema?: ObjectSchema<Data> | JsonSchema;
  /** Images and PDF files. */
  attachments?: readonly AttachedFile[];
  /** Text for this turn that is added to the system prompt and not stored. */
  systemMessage?: string;
  /** Aborting it interrupts the turn. */
  signal?: AbortSignal;
};

/** The result of a turn. `data` is set if the turn had a schema and completed. */
export type TurnResult<Data = JsonValue> = RunResult & { data?: Data };

/** A turn. Iterating over it yields its events; any number of readers may do so. */
export interface HermesTurn<Data = JsonValue> extends AsyncIterable<AgentEvent> {
  /** A turn that fails has a result with `error`. This rejects only if the turn did not start or was not saved. */
  readonly result: Promise<TurnResult<Data>>;
  /** Passes a message to the model with its next request. Returns false if the turn no longer accepts messages. */
  steer(text: string): boolean;
  interrupt(reason?: string): void;
}

/** A stored conversation. One turn runs at a time; messages that are sent meanwhile wait. */
export interface HermesSession {
  /** Changes when the session is compressed. The latest one resumes it. */
  readonly id: string;
  send<Data = JsonValue>(text: string, options?: SendOptions<Data>): HermesTurn<Data>;
  /** Answers the question of a `request` event, if there is no callback for it. */
  answer(requestId: string, answer: InteractionAnswer): Promise<boolean>;
  messages(): Promise<Message[]>;
  /** Interrupts a running turn and releases the session, which can be resumed later. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export type SessionParts = {
  conversation: Conversation;
  actor: Actor;
  logger: Logger;
  messagesOf(sessionId: string): Promise<Message[]>;
  /** Absent if the program has no storage of its own. */
  copies: SessionCopies | undefined;
  onClosed(session: HermesSession): void;
};

export function createHermesSession(parts: SessionParts): HermesSession {
  const { conversation, actor } = parts;
  async function close(): Promise<void> {
    await conversation.close();
    await conversation.endSession('closed');
    parts.onClosed(session);
  }
  const session: HermesSession = {
    get id() {
      return conversation.sessionId;
    },
    send: (text, options = {}) => startTurn(parts, text, options),
    answer: async (requestId, answer) => (await conversation.answer(requestId, answer, actor)) === 'answered',
    messages: () => parts.messagesOf(conversation.sessionId),
    close,
    [Symbol.asyncDispose]: close,
  };
  return session;
}

const SEND_KEYS = ['schema', 'attachments', 'systemMessage', 'signal'];

function startTurn<Data>(parts: SessionParts, text: string, options: SendOptions<Data>): HermesTurn<Data> {
  checkSend(text, options);
  const { schema, ...message } = options;
  const turns = createTurnSequence(parts);
  const answered =
    schema === undefined
      ? turns.run({ text, ...message })
      : runWithAnswerSchema(turns, { text, ...message }, readSchema(schema));
  const result = turns.end(answered.then((ended) => withData(ended, schema)));
  // A program that only reads the events finds the error there.
  result.catch(() => undefined);
  return {
    result: result as Promise<TurnResult<Data>>,
    steer: (more) => turns.current().steer(more),
    interrupt: (reason) => turns.current().interrupt(reason),
    [Symbol.asyncIterator]: () => turns.read(),
  };
}

function checkSend(text: string, options: object): void {
  if (typeof text !== 'string') throw new ConfigurationError('send: the message must be a string.');
  const unknown = Object.keys(options).find((key) => !SEND_KEYS.includes(key));
  if (unknown !== undefined)
    throw new ConfigurationError(`send: "${unknown}" is not an option; the options are ${SEND_KEYS.join(', ')}.`);
}

function readSchema(schema: ObjectSchema<unknown> | JsonSchema): AnswerSchema {
  const made = createAnswerSchema(toJsonSchema(schema, 'The answer'));
  if ('fault' in made) throw new ConfigurationError(`send: \`schema\` is not usable: ${made.fault}.`);
  return made;
}

/** The parsed answer. Refinements of a zod schema that JSON Schema cannot express are checked here. */
async function withData<Data>(ended: RunResult, schema: SendOptions<Data>['schema']): Promise<TurnResult<unknown>> {
  if (schema === undefined || !ended.completed) return ended;
  const answer = JSON.parse(ended.finalResponse) as JsonValue;
  if (!isObjectSchema(schema)) return { ...ended, data: answer };
  const checked = await parseWith(schema, answer);
  if ('value' in checked) return { ...ended, data: checked.value };
  const error = { message: `The answer does not match the schema: ${checked.problem}.` };
  return { ...ended, exitReason: 'failed', completed: false, failed: true, error };
}

/** The turns that answer one message: two if the first answer does not match the schema. */
interface TurnSequence {
  current(): ConversationTurn;
  run(message: ConversationMessage): Promise<RunResult>;
  /** Declares the result of the sequence. It settles when everything is in the storage of the program. */
  end(result: Promise<TurnResult<unknown>>): Promise<TurnResult<unknown>>;
  /** The events of all turns, with a single `finished` event. */
  read(): AsyncGenerator<AgentEvent>;
}

function createTurnSequence({ conversation, copies }: SessionParts): TurnSequence {
  const turns: ConversationTurn[] = [];
  const result = Promise.withResolvers<TurnResult<unknown>>();
  let changed = Promise.withResolvers<void>();
  let isEnded = false;

  function notify(): void {
    changed.resolve();
    changed = Promise.withResolvers();
  }

  return {
    current: () => turns.at(-1) as ConversationTurn,
    run(message) {
      const turn = conversation.queue(message);
      turns.push(turn);
      notify();
      if (copies !== undefined) void saveSteps(turn, copies).catch(() => undefined);
      return turn.result;
    },
    async end(given) {
      try {
        const ended = await given;
        await copies?.save(ended.sessionId);
        result.resolve(ended);
      } catch (thrown) {
        result.reject(thrown);
      }
      isEnded = true;
      notify();
      return result.promise;
    },
    async *read() {
      for (let at = 0; at < turns.length || !isEnded; ) {
        const turn = turns[at];
        if (turn === undefined) {
          await changed.promise;
          continue;
        }
        for await (const event of turn) if (event.type !== 'finished') yield event;
        at += 1;
      }
      yield { type: 'finished', result: await result.promise };
    },
  };
}

/** Saves the session after each step, so that a program that is killed loses at most the current one. */
async function saveSteps(turn: ConversationTurn, copies: SessionCopies): Promise<void> {
  let sessionId = '';
  for await (const event of turn) {
    if (event.type === 'started') ({ sessionId } = event);
    // The parent is saved before its child, which continues it.
    if (event.type === 'compressed') await copies.save(sessionId);
    if (event.type === 'compressed') ({ sessionId } = event);
    if (event.type === 'step-finished' || event.type === 'compressed') await copies.save(sessionId);
  }
}

function runWithAnswerSchema(
  turns: TurnSequence,
  { text, attachments, ...message }: ConversationMessage,
  schema: AnswerSchema,
): Promise<RunResult> {
  return runWithSchema({
    schema,
    message: { userMessage: text },
    runTurn: ({ userMessage, sentMessage, outputSchema, resume }) =>
      turns.run({
        ...message,
        text: userMessage,
        sent: sentMessage,
        outputSchema,
        // The second turn continues the session of the first, which has the files already.
        ...(resume === undefined && { attachments }),
      }),
    onInvalid: () => undefined,
  });
}

const NO_APPROVAL = 'This program does not approve calls.';

/** Passes the questions of a turn to the callbacks of the program. */
export async function answerQuestions(
  turn: ConversationTurn,
  handlers: QuestionHandlers,
  { conversation, actor, logger }: Pick<SessionParts, 'conversation' | 'actor' | 'logger'>,
): Promise<void> {
  const open = new Map<string, AbortController>();
  for await (const event of turn) {
    if (event.type === 'request-closed') open.get(event.requestId)?.abort();
    if (event.type !== 'request') continue;
    const { requestId, request } = event;
    const closing = new AbortController();
    open.set(requestId, closing);
    const context = { sessionId: conversation.sessionId, signal: closing.signal };
    void askHandler(handlers, request, context)
      .then((answer) => conversation.answer(requestId, answer, actor))
      .catch((thrown: unknown) => logger.error('a question could not be answered', { error: errorMessage(thrown) }));
  }
}

/** A callback that throws denies the call, because nobody has allowed it, and does not answer a question. */
async function askHandler(
  { onApproval, onQuestion }: QuestionHandlers,
  request: InteractionRequest,
  context: QuestionContext,
): Promise<InteractionAnswer> {
  if (request.kind === 'clarify') {
    const ask = async () => onQuestion?.(request, context);
    return { kind: 'clarify', text: (await ask().catch(() => undefined)) ?? '' };
  }
  try {
    const given = (await onApproval?.(request, context)) ?? { answer: 'deny', reason: NO_APPROVAL };
    const { answer, reason } = typeof given === 'string' ? { answer: given, reason: undefined } : given;
    if (!APPROVAL_ANSWERS.includes(answer)) throw new Error(`onApproval returned ${JSON.stringify(given)}`);
    return { kind: 'approval', answer, ...(reason !== undefined && { reason }) };
  } catch (thrown) {
    return { kind: 'approval', answer: 'deny', reason: errorMessage(thrown) };
  }
}

const APPROVAL_ANSWERS: readonly string[] = ['once', 'session', 'always', 'deny'];
