import { type Attachment, type Clock, type Message, newSessionId } from '../base/index.ts';
import type {
  AgentToolState,
  AppendDetails,
  CallRecord,
  CompressedMessage,
  KeptMessage,
  PromptContext,
  SessionOrigin,
  SessionRecord,
  SessionStore,
  StoredMessage,
} from '../contracts/index.ts';
import type { AgentOptions } from './agent-options.ts';
import { type AttachmentPresenter, createAttachmentPresenter } from './attachments/present-attachments.ts';
import { createHistory, type History } from './history.ts';
import type { CacheLedger } from './cache-ledger.ts';
import { resumeSession } from './resume-session.ts';
import { forgetShownText } from './seen-files.ts';
import { createSentRequests, type SentRequests } from './sent-requests.ts';
import { createSessionPrompt, type SessionPrompt } from './session-prompt.ts';
import { measure, type MeasuredUsage } from './token-figure.ts';

/** The session of an agent, in memory and in the store. Both always change together. */
export interface AgentSession {
  /** The number of messages at the start of the history that an earlier compression kept. */
  readonly inherited: number;
  /** Changes with every compression. */
  readonly id: string;
  /** The oldest session of the lineage; compression does not change it. */
  readonly lineageId: string;
  readonly history: readonly Message[];
  readonly callIds: History['callIds'];
  readonly systemPrompt: string;
  readonly toolState: AgentToolState;
  /** Actual token usage of the last call; undefined before the first call and after a compression. */
  readonly measured: MeasuredUsage | undefined;
  /** A provider rejected some characters, so later requests replace them. */
  plainText: boolean;
  /** Reasoning fields that a provider refused to accept back; later requests omit them. */
  readonly refusedReasoning: Set<'reasoningDetails' | 'codexReasoningItems'>;
  readonly attachments: AttachmentPresenter;
  readonly sent: SentRequests;
  readonly cacheHistory: CacheHistory;
  /** The previous working directory, if the session was resumed in another one; returned once. */
  takeMovedFrom(): string | undefined;
  /** Whether the session exists, in memory or in the store. */
  isStored(): Promise<boolean>;
  /** Loads or creates the session, and closes tool calls that a crash left without a result. */
  open(prompt: PromptContext, from: OpenFrom): Promise<void>;
  /** Reloads the history from the store after it was changed there on purpose. */
  reload(): Promise<void>;
  /** Rebuilds the system prompt at the next turn. */
  renewPrompt(): void;
  /** Forgets what the previous providers refused, because other routes are used from now on. */
  forgetRefusals(): void;
  /** Stores messages, then adds them to the history. */
  append(messages: readonly Message[], call?: CallRecord, details?: AppendDetails): Promise<void>;
  /** Stores the descriptions of the newest message's attachments. Must be called before that message is first sent. */
  setAttachments(attachments: Attachment[], toolCallId?: string): Promise<void>;
  /**
   * Splits the session: ends it by compression and continues with these messages in a child session. Writes to the
   * store first, then to memory.
   */
  continueWith(messages: readonly CompressedMessage[]): Promise<void>;
  /** Stores the text that is sent instead of the newest message. Must be called before that message is first sent. */
  setSentContent(sentContent: string): Promise<void>;
}

/** What cache misses are explained with. */
export type CacheHistory = {
  /** Created by the first answer. */
  ledger?: CacheLedger;
  /** The session as it was read from the store, until the calls before that were taken into account. */
  resumed?: SessionRecord | undefined;
};

export type OpenFrom = {
  /** Starts from these messages instead of the stored history. */
  history?: readonly Message[];
  /** Set if another process may have continued the session, so that the history in memory may be outdated. */
  storedChanged?: boolean;
};

/** The internal parts of a session, shared by the functions that open, resume and split it. */
export type SessionParts = {
  readonly store: AgentOptions['store'];
  readonly clock: Clock;
  readonly history: History;
  readonly toolState: AgentToolState;
  readonly sent: SentRequests;
  readonly prompt: SessionPrompt;
  /** The parent of a newly created session, if this agent is a subagent. */
  readonly parentSessionId: string | undefined;
  readonly origin: SessionOrigin | undefined;
  /** Uses the approvals shared by all sessions with this session root. */
  useApprovals(rootId: string): void;
  /** Values that change when the session is split or read from the store again. */
  readonly current: {
    id: string;
    lineageId: string;
    source: string;
    measured: MeasuredUsage | undefined;
    inherited: number;
    movedFrom?: string | undefined;
    readonly cacheHistory: CacheHistory;
  };
};

export function createAgentSession(options: AgentOptions, clock: Clock): AgentSession {
  const parts = createParts(options, clock);
  const { store, history, toolState, prompt: systemPrompt, current } = parts;
  const writing = createWriting(parts);
  let opened = false;

  const session: AgentSession = {
    history: history.messages,
    callIds: history.callIds,
    toolState,
    plainText: false,
    refusedReasoning: new Set(),
    attachments: createAttachmentPresenter(store),
    sent: parts.sent,
    cacheHistory: current.cacheHistory,
    ...writing,
    get id() {
      return current.id;
    },
    get lineageId() {
      return current.lineageId;
    },
    get measured() {
      return current.measured;
    },
    get inherited() {
      return current.inherited;
    },
    takeMovedFrom: () => takeMovedFrom(current),
    get systemPrompt() {
      return systemPrompt.text;
    },
    isStored: async () => opened || (await store.getSession(current.id)) !== undefined,
    async open(prompt, { history: given, storedChanged = false }) {
      const stored = opened && !storedChanged ? undefined : await store.getSession(current.id);
      if (stored) await resumeSession(parts, stored, writing.append);
      else if (!opened) await create(parts, prompt);
      if (!stored && !opened && given) await writing.append(given);
      opened = true;
      if (given) {
        history.replace(given);
        current.measured = undefined;
        current.inherited = 0;
      }
      if (given || stored) delete toolState.seenFiles;
      if ((await systemPrompt.update(prompt)) || given) session.sent.invalidate(given !== undefined);
    },
    async reload() {
      // A session that is not open yet will be read from the store anyway.
      if (opened && (await readAgain(parts, writing.append))) session.sent.invalidate(true);
    },
    renewPrompt: systemPrompt.renew,
    forgetRefusals() {
      session.plainText = false;
      session.refusedReasoning.clear();
    },
    continueWith: (messages) => split(parts, messages, session.sent),
  };
  return session;
}

function createParts(options: AgentOptions, clock: Clock): SessionParts {
  const { store, source, approvals } = options;
  const id = options.sessionId ?? newSessionId(clock.now());
  const location: SessionParts['current'] = {
    id,
    lineageId: id,
    source,
    measured: undefined,
    inherited: 0,
    cacheHistory: {},
  };
  const history = createHistory();
  const toolState: AgentToolState = { todos: [], approvedRules: new Set(), resultOf: history.resultOf };
  const prompt = createSessionPrompt(options.prompt, store, () => location.id);
  const keepApprovals = (rootId: string) => {
    if (approvals !== undefined) toolState.approvedRules = approvals.rulesOf(rootId);
  };
  const { parentSessionId, origin } = options;
  return {
    store,
    clock,
    history,
    toolState,
    sent: createSentRequests(),
    prompt,
    parentSessionId,
    origin,
    useApprovals: keepApprovals,
    current: location,
  };
}

async function create(
  { store, clock, prompt, current, useApprovals, parentSessionId, origin }: SessionParts,
  context: PromptContext,
): Promise<void> {
  const startedAt = clock.now();
  const systemPrompt = await prompt.build(context, startedAt);
  const { id, source } = current;
  await store.createSession({ id, source, startedAt, model: context.model, systemPrompt, parentSessionId, origin });
  useApprovals(id);
}

/** Reads the session from the store again. Returns false if it is not stored. */
async function readAgain(parts: SessionParts, append: AgentSession['append']): Promise<boolean> {
  const stored = await parts.store.getSession(parts.current.id);
  if (stored === undefined) return false;
  await resumeSession(parts, stored, append);
  delete parts.toolState.seenFiles;
  return true;
}

function takeMovedFrom(current: SessionParts['current']): string | undefined {
  const { movedFrom } = current;
  current.movedFrom = undefined;
  return movedFrom;
}

/** Writes to the store first, then to memory. */
function createWriting({
  store,
  current,
  history,
}: SessionParts): Pick<AgentSession, 'append' | 'setAttachments' | 'setSentContent'> {
  return {
    async append(messages, call, details) {
      await store.appendMessages(current.id, messages, call, details);
      history.add(messages);
      if (call !== undefined) current.measured = measure(call, messages.at(-1), history.messages.length);
    },
    async setAttachments(attachments, toolCallId) {
      await store.setAttachments(current.id, attachments, toolCallId);
      history.setAttachments(attachments, toolCallId);
    },
    async setSentContent(sentContent) {
      await store.setSentContent(current.id, sentContent);
      history.setSentContent(sentContent);
    },
  };
}

async function split(parts: SessionParts, messages: readonly CompressedMessage[], sent: SentRequests): Promise<void> {
  const { store, clock, history, toolState, prompt, current } = parts;
  const startedAt = clock.now();
  const child = { id: newSessionId(startedAt), source: current.source, startedAt };
  const stored = await keptMessages(store, current.id, history.messages, messages);
  await store.splitSession(current.id, { ...child, model: prompt.model, systemPrompt: prompt.text }, stored);
  current.id = child.id;
  current.measured = undefined;
  const before = [...history.messages];
  history.replace(messagesAfter(history.messages, messages));
  current.inherited = messages.length;
  const kept = new Set(before);
  forgetShownText(
    toolState,
    history.messages.filter((message) => kept.has(message)),
  );
  const changed = history.messages.findIndex((message, index) => message !== before[index]);
  sent.rewind(before[changed - 1], history.messages.at(-1));
}

/** The history after a compression. Unchanged messages stay the same objects. */
function messagesAfter(history: readonly Message[], compressed: readonly CompressedMessage[]): Message[] {
  return compressed.map((kept) => kept.message ?? (history[(kept as { index: number }).index] as Message));
}

/**
 * The compressed messages in the form the store expects: a kept message is referenced by its stored id. A history
 * that the caller passed in is not stored, so all of its messages are written as new ones.
 */
async function keptMessages(
  store: Pick<SessionStore, 'getMessages'>,
  sessionId: string,
  history: readonly Message[],
  compressed: readonly CompressedMessage[],
): Promise<KeptMessage[]> {
  const stored = await store.getMessages(sessionId);
  const isKnown = isStored(history, stored);
  return compressed.map((kept) => {
    if (!('index' in kept)) return { ...kept, isReplacement: true };
    if (!isKnown) return { message: kept.message ?? (history[kept.index] as Message) };
    const copyOf = (stored[kept.index] as StoredMessage).id;
    return kept.message === undefined ? { copyOf } : { copyOf, message: kept.message };
  });
}

function isStored(history: readonly Message[], stored: readonly StoredMessage[]): boolean {
  if (history.length !== stored.length) return false;
  return history.every(({ role, content }, index) => {
    const { message } = stored[index] as StoredMessage;
    return message.role === role && message.content === content;
  });
}
