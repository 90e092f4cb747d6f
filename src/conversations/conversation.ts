import type { CompressOptions, RunInput, UndoneTurns } from '../agent/index.ts';
import {
  type Actor,
  type AttachedFile,
  type CompressionReport,
  HermesError,
  type InteractionAnswer,
  type InteractionRequest,
  newId,
  type RunResult,
} from '../base/index.ts';
import type { AllowedActors, AnswerOutcome, SessionRecord, StoredQuestion } from '../contracts/index.ts';
import {
  type AgentBlueprint,
  branchSession,
  carryOver,
  findHolder,
  leaveSession,
  type OpenedAgent,
  type Services,
  type SessionChoice,
  SessionHeld,
  startHeldRun,
} from '../runtime/index.ts';
import { joinSignals } from '../util/index.ts';
import { applyBusyMode, type BusyMode, type BusyPolicy } from './busy-policy.ts';
import { type ConversationTurn, createTurnHandle, type TurnHandle, TurnNotStarted } from './conversation-turn.ts';
import { openSession, type OnHeld, type OpenedSession, type SessionNotice } from './opened-session.ts';
import { createStoredQuestions, type StoredQuestions } from './stored-questions.ts';
import { type ControlRoles, controlTurn } from './turn-control.ts';

/** A message of a person. `sent` goes to the model in its place, for example with the text of a skill. */
export type ConversationMessage = {
  text: string;
  sent?: string | undefined;
  attachments?: readonly AttachedFile[] | undefined;
  /** Interrupts its turn when it is aborted. */
  signal?: AbortSignal;
} & Pick<RunInput, 'systemMessage' | 'outputSchema'>;

/** What became of a message. */
export type Sent =
  | { outcome: 'started' | 'queued'; turn: ConversationTurn }
  | { outcome: 'steered'; turn: ConversationTurn }
  | { outcome: 'refused'; reason: 'busy' };

export type ConversationOptions = {
  services: Services;
  /** What its agents are made from. Called whenever one is opened, so that saved changes take effect. */
  blueprint: AgentBlueprint | (() => AgentBlueprint);
  /** The stored session to continue; a new one without it. */
  session?: SessionChoice;
  /** What it is known by: the chat it belongs to. Without one, it gets a key of its own. */
  key?: string;
  /** What a message does that arrives while a turn runs; `steer` if nothing is said. */
  busy?: BusyMode | BusyPolicy;
  /** What to do about a session that another process holds. Without it, such a turn fails with `SessionHeld`. */
  onHeld?: OnHeld;
  onNotice?: (notice: SessionNotice) => void;
  /** Called with each turn before it starts, so that readers can be attached. */
  onTurn?: (turn: ConversationTurn) => void;
  /**
   * What to do with words that were said to a turn after its last request. Without it, they are sent as the next message,
   * unless the turn was interrupted: the sender finds them in the result.
   */
  onUndelivered?: (text: string, result: RunResult) => void;
  /** Who may answer a question; admins may answer approvals and users may answer clarify questions if nothing is said. */
  mayAnswer?: (request: InteractionRequest) => AllowedActors;
  /** The roles that other processes need to steer and interrupt its turns. */
  controlRoles?: ControlRoles;
  /** `false` for turns that nobody can watch or control from another process, such as those of a batch. */
  isControllable?: boolean;
};

/** The single owner of the turns of one chat, whichever surface it is on. One turn runs at a time. */
export interface Conversation {
  readonly key: string;
  /** Changes with a compression, a reset and a switch. */
  readonly sessionId: string;
  opened(): OpenedAgent;
  /** The turn that runs or is about to; undefined between turns. */
  currentTurn(): ConversationTurn | undefined;
  /** Starts a turn, or does what the busy policy says if one is running. */
  send(message: ConversationMessage, actor: Actor): Sent;
  /** Gives the running turn a message; false if none takes it. */
  steer(text: string): boolean;
  /** Sends a message after the turns that run and wait now. */
  queue(message: ConversationMessage): ConversationTurn;
  /** The messages that wait, in order. */
  queued(): readonly ConversationMessage[];
  /** Interrupts the running turn; false if there is none. Queued messages are still sent. */
  interrupt(reason?: string): boolean;
  /** Answers an approval or clarify question of a turn. */
  answer(questionId: string, answer: InteractionAnswer, actor: Actor): Promise<AnswerOutcome>;
  openQuestions(): Promise<StoredQuestion[]>;
  compress(
    options?: Pick<CompressOptions, 'topic' | 'previewOnly'> & { signal?: AbortSignal },
  ): Promise<CompressionReport | undefined>;
  undo(turns: number): Promise<UndoneTurns | 'compressed' | undefined>;
  /** Restores the messages that were undone last; how many. */
  redo(): Promise<number>;
  /** Ends the session and continues in a new one. */
  reset(): Promise<void>;
  /** Continues in a copy of the session; undefined if nothing was said yet. */
  branch(): Promise<SessionRecord | undefined>;
  /** Continues with another stored session: by id, unique prefix of an id, or title. */
  switchTo(reference: string): Promise<'same' | 'other'>;
  /** Opens the agent again, so that changed choices and tools take effect. */
  reopen(): Promise<void>;
  /** If another process holds the session, settles that now instead of with the next message; false if it was cancelled. */
  ensureFree(): Promise<boolean>;
  /** Marks the session as ended, unless another process works on it; its id, or undefined if nothing was stored. */
  endSession(reason: string): Promise<string | undefined>;
  /** Interrupts what runs, drops what waits, and closes the agents with the background processes they started. */
  close(): Promise<void>;
}

export async function openConversation(options: ConversationOptions): Promise<Conversation> {
  const { services, key = newId('conversation') } = options;
  const questions = createStoredQuestions(services, { key, allowedFor: options.mayAnswer });
  const given = options.blueprint;
  const blueprint = typeof given === 'function' ? given : () => given;
  const session = await openSession({
    services,
    blueprint: () => ({ ...blueprint(), questionLog: questions.log }),
    session: options.session,
    onHeld: options.onHeld,
    onNotice: options.onNotice,
  });
  const { idle, ...turns } = createTurnQueue(options, session, questions);
  return {
    key,
    get sessionId() {
      return session.opened().agent.sessionId;
    },
    opened: session.opened,
    ...turns,
    openQuestions: () => questions.listOpen(),
    ...createSessionChanges(services, session, idle),
  };
}

type Waiting = { handle: TurnHandle; message: ConversationMessage };

type TurnMethods = Pick<
  Conversation,
  'currentTurn' | 'send' | 'steer' | 'queue' | 'queued' | 'interrupt' | 'answer' | 'close'
>;

/** Runs one turn after the other. `idle` resolves when none runs or waits. */
function createTurnQueue(
  options: ConversationOptions,
  session: OpenedSession,
  questions: StoredQuestions,
): TurnMethods & { idle(): Promise<void> } {
  const { busy = 'steer' } = options;
  const waiting: Waiting[] = [];
  let current: TurnHandle | undefined;
  let isClosed = false;
  let working: Promise<void> = Promise.resolve();

  function enqueue(message: ConversationMessage, where: 'first' | 'last'): ConversationTurn {
    if (isClosed) throw new HermesError('The conversation is closed, so the message was not sent.');
    const handle: TurnHandle = createTurnHandle(() => withdraw(handle));
    options.onTurn?.(handle.turn);
    if (where === 'first') waiting.unshift({ handle, message });
    else waiting.push({ handle, message });
    return handle.turn;
  }

  function add(message: ConversationMessage): ConversationTurn {
    const turn = enqueue(message, 'last');
    if (current === undefined) working = work();
    return turn;
  }

  /** An interrupted turn that still waits is not run. */
  function withdraw(handle: TurnHandle): void {
    const at = waiting.findIndex((entry) => entry.handle === handle);
    if (at < 0) return;
    waiting.splice(at, 1);
    handle.settle(Promise.reject(handle.signal.reason));
  }

  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { handle, message } = next;
      current = handle;
      const result = runTurn(options, { session, questions, handle, message });
      handle.settle(result);
      await result.then(keepUndelivered, () => undefined);
      current = undefined;
    }
  }

  function keepUndelivered(result: RunResult): void {
    if (result.undelivered === undefined) return;
    if (options.onUndelivered !== undefined) options.onUndelivered(result.undelivered, result);
    else if (!result.interrupted && !isClosed) enqueue({ text: result.undelivered }, 'first');
  }

  return {
    idle: () => working,
    currentTurn: () => current?.turn,
    send(message, actor) {
      if (current === undefined) return { outcome: 'started', turn: add(message) };
      const mode = typeof busy === 'function' ? busy(message, actor) : busy;
      const outcome = applyBusyMode(mode, message, current.turn);
      if (outcome === 'steered') return { outcome, turn: current.turn };
      if (outcome === 'refused') return { outcome, reason: 'busy' };
      return { outcome: 'queued', turn: add(message) };
    },
    steer: (text) => current?.turn.steer(text) ?? false,
    queue: add,
    queued: () => waiting.map(({ message }) => message),
    interrupt(reason) {
      current?.turn.interrupt(reason);
      return current !== undefined;
    },
    answer: (id, answer, actor) => questions.answer(id, answer, actor, current?.run()),
    async close() {
      isClosed = true;
      for (const { handle } of waiting.splice(0))
        handle.settle(Promise.reject(new TurnNotStarted('The message was not sent: the conversation was closed.')));
      current?.turn.interrupt('the conversation was closed');
      await working;
      await session.close();
    },
  };
}

type TurnParts = {
  session: OpenedSession;
  questions: StoredQuestions;
  handle: TurnHandle;
  message: ConversationMessage;
};

async function runTurn(
  options: ConversationOptions,
  { session, questions, handle, message }: TurnParts,
): Promise<RunResult> {
  const { text: userMessage, sent: sentMessage, signal: stop, ...input } = message;
  const { services, isControllable = true, controlRoles: roles } = options;
  const waiting = joinSignals([handle.signal, stop]);
  const held = session
    .hold(waiting.signal, async ({ agent }, held) => {
      handle.signal.throwIfAborted();
      const taskId = handle.turn.id;
      const { run, result } = startHeldRun(agent, held, { ...input, userMessage, sentMessage, taskId, signal: stop });
      handle.started(run);
      const control = isControllable ? controlTurn({ services, run, token: held.token, roles }) : undefined;
      if (held.storedChanged) questions.voidAbandoned(agent.sessionId, taskId);
      try {
        return await result;
      } finally {
        await control?.stop();
      }
    })
    .finally(waiting.release);
  // An interrupted turn that has not started does not wait for the session: its task gives up when it gets it.
  return Promise.race([held, handle.withdrawn]);
}

type SessionMethods = Pick<
  Conversation,
  'compress' | 'undo' | 'redo' | 'reset' | 'branch' | 'switchTo' | 'reopen' | 'ensureFree' | 'endSession'
>;

/** What is done to the session between two turns. */
function createSessionChanges(
  { store, clock }: Services,
  session: OpenedSession,
  idle: () => Promise<void>,
): SessionMethods {
  const never = new AbortController().signal;

  async function endSession(reason: string): Promise<string | undefined> {
    const { sessionId } = session.opened().agent;
    return (await leaveSession(store, sessionId, reason)) ? sessionId : undefined;
  }

  return {
    endSession,
    compress: ({ signal = never, ...request } = {}) =>
      session.hold(signal, ({ agent }, held) =>
        agent.compress({
          ...request,
          storedChanged: held.storedChanged,
          signal: AbortSignal.any([signal, held.signal]),
        }),
      ),
    undo: (turns) => session.hold(never, ({ agent }, { storedChanged }) => agent.undo({ turns, storedChanged })),
    redo: () => session.hold(never, ({ agent }, { storedChanged }) => agent.redo({ storedChanged })),
    async reset() {
      await idle();
      await endSession('new_session');
      session.use(await session.open({ session: {} }));
    },
    async branch() {
      await idle();
      const { agent, choices } = session.opened();
      const source = (await store.getSession(agent.sessionId))?.source;
      if (source === undefined) return undefined;
      const branch = await branchSession({ store, clock }, agent.sessionId, source);
      const opened = await session.open({ session: { resume: branch.id }, choices: { ...choices } });
      await endSession('branched');
      session.use(carryOver(session.opened(), opened));
      return branch;
    },
    async switchTo(reference) {
      await idle();
      const other = await session.open({ session: { resume: reference } });
      if (other.resumed?.id === session.opened().agent.sessionId) return 'same';
      await endSession('switched');
      session.use(other);
      return 'other';
    },
    async reopen() {
      await idle();
      const { sessionId } = session.opened().agent;
      const isStored = (await store.getSession(sessionId)) !== undefined;
      await session.reopen(isStored ? { resume: sessionId } : {});
    },
    async ensureFree() {
      const { sessionId } = session.opened().agent;
      const holder = await findHolder(store, sessionId);
      if (holder === undefined) return true;
      try {
        await session.settle(new SessionHeld(sessionId, holder), never);
        return true;
      } catch (thrown) {
        if (thrown instanceof TurnNotStarted) return false;
        throw thrown;
      }
    },
  };
}
