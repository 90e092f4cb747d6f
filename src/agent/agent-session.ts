import { type Attachment, type Clock, HermesError, isJsonObject, type Message, newSessionId } from '../base/index.ts';
import type {
  AgentToolState,
  AppendDetails,
  CallRecord,
  ContextReduction,
  PromptContext,
  SessionRecord,
  TodoItem,
} from '../contracts/index.ts';
import type { AgentOptions } from './agent-options.ts';
import { type AttachmentPresenter, createAttachmentPresenter } from './attachments/present-attachments.ts';
import { closingDetails, closingResults, createHistory, type History } from './history.ts';
import { createSentRequests, type SentRequests } from './sent-requests.ts';
import { createSessionPrompt } from './session-prompt.ts';

/** The session an agent works on, in memory and in the store; the two change only together. */
export interface AgentSession {
  readonly id: string;
  /** The oldest session of its lineage: the same before and after a compression. */
  lineageId: string;
  readonly history: readonly Message[];
  readonly callIds: History['callIds'];
  readonly systemPrompt: string;
  readonly toolState: AgentToolState;
  /** A cut of the history that a provider asked for; later requests make the same one. */
  reduction: ContextReduction | undefined;
  /** Tokens of the last call, and how many messages the history had when it was made; counted anew after a cut. */
  measured: { tokens: number; messages: number } | undefined;
  /** A provider could not read some characters; they are left out of later requests. */
  plainText: boolean;
  /** Reasoning that a provider refused to take back is left out of later requests. */
  readonly refusedReasoning: Set<'reasoningDetails' | 'codexReasoningItems'>;
  readonly attachments: AttachmentPresenter;
  readonly sent: SentRequests;
  /** Loads or creates the session; calls that a crash left open are closed. */
  open(prompt: PromptContext, from: OpenFrom): Promise<void>;
  /** Forgets what providers refused or could not hold: others are asked from now on. */
  forgetLessons(): void;
  /** Stores messages, then adds them to the history. */
  append(messages: readonly Message[], call?: CallRecord, details?: AppendDetails): Promise<void>;
  /** Stores what was found out about the attachments of the newest message, before it is first sent. */
  setAttachments(attachments: Attachment[]): Promise<void>;
}

export type OpenFrom = {
  /** Goes on from these messages instead of the stored ones. */
  history?: readonly Message[];
  /** Another process may have gone on with the session: what is in memory counts no longer. */
  storedChanged?: boolean;
};

// After a crash, and in a branch of a session whose turn went on elsewhere.
const UNKNOWN_OUTCOME =
  'No result of this call was stored here. It may have run in part or in full: check before doing it again.';

const NOTHING_CUT = { reduction: undefined, measured: undefined };

export function createAgentSession(options: AgentOptions, clock: Clock): AgentSession {
  const { store, source } = options;
  const id = options.sessionId ?? newSessionId(clock.now());
  const history = createHistory();
  const toolState: AgentToolState = { todos: [], approvedRules: new Set() };
  const systemPrompt = createSessionPrompt(options.prompt, store, id);
  let opened = false;

  const { append, setAttachments } = createWriting(options, id, history);

  async function create(prompt: PromptContext, given: readonly Message[]): Promise<void> {
    const startedAt = clock.now();
    const text = await systemPrompt.build(prompt, startedAt);
    await store.createSession({ id, source, startedAt, model: prompt.model, systemPrompt: text });
    if (given.length > 0) await append(given);
  }

  async function resume(stored: SessionRecord): Promise<void> {
    if (stored.parentSessionId !== undefined) session.lineageId = (await store.getAncestors(id))[0]?.id ?? id;
    history.replace(await loadConversation(store, stored));
    toolState.todos = restoreTodos(history.messages);
    systemPrompt.restore(stored);
    if (stored.endedAt !== undefined) await store.reopenSession(id);
    const closing = closingResults(history.messages, UNKNOWN_OUTCOME);
    if (closing.length > 0) await append(closing, undefined, closingDetails(closing));
  }

  const session: AgentSession = {
    id,
    lineageId: id,
    history: history.messages,
    callIds: history.callIds,
    toolState,
    ...NOTHING_CUT,
    plainText: false,
    refusedReasoning: new Set(),
    attachments: createAttachmentPresenter(store),
    sent: createSentRequests(),
    append,
    setAttachments,
    get systemPrompt() {
      return systemPrompt.text;
    },
    async open(prompt, { history: given, storedChanged = false }) {
      const stored = opened && !storedChanged ? undefined : await store.getSession(id);
      if (stored) await resume(stored);
      else if (!opened) await create(prompt, given ?? []);
      opened = true;
      if (given) history.replace(given);
      if (given || stored) forgetHistory(session);
      if ((await systemPrompt.update(prompt)) || given) session.sent.startAnew();
    },
    forgetLessons() {
      Object.assign(session, NOTHING_CUT, { plainText: false });
      session.refusedReasoning.clear();
    },
  };
  return session;
}

/** Cuts, counts and what was seen belong to the history they were made for. */
function forgetHistory(session: AgentSession): void {
  Object.assign(session, NOTHING_CUT);
  delete session.toolState.seenFiles;
}

/** In the store, then in memory. */
function createWriting(
  { store }: AgentOptions,
  id: string,
  history: History,
): Pick<AgentSession, 'append' | 'setAttachments'> {
  return {
    async append(messages, call, details) {
      await store.appendMessages(id, messages, call, details);
      history.add(messages);
    },
    async setAttachments(attachments) {
      await store.setAttachments(id, attachments);
      history.setAttachments(attachments);
    },
  };
}

/** What there is of a session. One that was compressed by another process must not go on beside its continuation. */
async function loadConversation(store: AgentOptions['store'], { id, endReason }: SessionRecord): Promise<Message[]> {
  const newest = endReason === 'compression' ? await store.newestInLineage(id) : undefined;
  if (newest === undefined || newest.id === id) return store.getConversation(id);
  throw new HermesError(`Session ${id} was compressed meanwhile and goes on as session ${newest.id}.`, {
    hint: `Go on there: hermes --resume ${newest.id}`,
  });
}

/** The to-do list as the newest result of the `todo` tool shows it. */
function restoreTodos(history: readonly Message[]): TodoItem[] {
  const newest = history.findLast((message) => message.role === 'tool' && message.toolName === 'todo');
  if (newest?.role !== 'tool') return [];
  try {
    // The tool answers in one line; a steered message may follow it.
    const parsed: unknown = JSON.parse(newest.content.split('\n', 1)[0] ?? '');
    const todos = isJsonObject(parsed) ? parsed['todos'] : undefined;
    return Array.isArray(todos) ? (todos.filter(isJsonObject) as unknown as TodoItem[]) : [];
  } catch {
    return [];
  }
}
