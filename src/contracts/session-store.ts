import type { Attachment, Cost, ExitReason, Message, ToolStatus, Usage } from '../base/index.ts';
import type { AuxiliaryTask } from './auxiliary.ts';
import type { PaidTask } from './media-service.ts';
import type { QuestionStore } from './questions.ts';
import type { SessionLeases } from './session-leases.ts';
import type { SessionLineage } from './session-lineage.ts';
import type { SessionInsights } from './session-statistics.ts';
import type { SessionTransfer } from './session-transfer.ts';
import type { TurnCommandStore } from './turn-commands.ts';

/** Keeps every conversation. Each method that writes has written, durably, when its promise resolves. */
export interface SessionStore
  extends SessionLineage,
    SessionTransfer,
    SessionRemoval,
    SessionUndo,
    SessionLeases,
    SessionBlobs,
    SessionInsights,
    QuestionStore,
    TurnCommandStore {
  createSession(session: NewSession): Promise<void>;
  getSession(id: string): Promise<SessionRecord | undefined>;
  /** By id, title (the newest of its numbers), or unique id prefix; the error says when a prefix fits several. */
  resolveSession(reference: string): Promise<SessionRecord | undefined>;
  latestSession(filter?: { source?: string }): Promise<SessionRecord | undefined>;
  /** Newest start first; `title` is a part of the title, in capitals or not. */
  listSessions(options?: ListOptions): Promise<SessionSummary[]>;
  /** One that was compressed keeps that as its reason. */
  endSession(id: string, reason: string): Promise<void>;
  reopenSession(id: string): Promise<void>;
  setSystemPrompt(id: string, prompt: string): Promise<void>;
  setSessionModel(id: string, model: string): Promise<void>;
  /** Unique over all sessions; undefined removes it. */
  setSessionTitle(id: string, title: string | undefined): Promise<void>;
  /**
   * Gives a title to a session that has none, with a number where another one has it; the title it got, undefined where
   * someone was faster or the session is gone.
   */
  proposeSessionTitle(id: string, title: string): Promise<string | undefined>;
  /** Appends messages in order, all or none. The call that made them is counted in the same step. */
  appendMessages(
    sessionId: string,
    messages: readonly Message[],
    call?: CallRecord,
    details?: AppendDetails,
  ): Promise<void>;
  /**
   * What was found out about the attachments of the newest message before it was first sent, such as a description.
   * Refused where that is no message of the user with as many: what was answered is never changed.
   */
  setAttachments(sessionId: string, attachments: readonly Attachment[]): Promise<void>;
  /**
   * What is sent in the place of the newest message, where something is added to it after it was stored. Refused where
   * that is no message of the user: what was answered is never changed.
   */
  setSentContent(sessionId: string, sentContent: string): Promise<void>;
  /** All, or only those that were stored behind the one with this id. */
  getMessages(sessionId: string, options?: { after?: number }): Promise<StoredMessage[]>;
  /** The conversation as the loop works on it. */
  getConversation(sessionId: string): Promise<Message[]>;
  /**
   * Counts a call that left no message behind (failed, repeated or a summary). A call with a purpose is also kept where
   * there is no such session (any more), because the money is spent.
   */
  recordCall(sessionId: string, call: CallRecord): Promise<void>;
  recordTurn(turn: TurnRecord): Promise<void>;
  getTurns(sessionId: string): Promise<TurnRecord[]>;
  /** What was spent since a moment, over all sessions and processes; `unpriced` are calls whose cost nobody knows. */
  spendingSince(timestamp: number): Promise<SpentSoFar>;
  /** With what was spent before compression and by all subagents of it; branches count for themselves. */
  sessionSpending(sessionId: string): Promise<SpentSoFar>;
  /** The newest call of the chat itself whose answer is part of the conversation. */
  getLastCall(sessionId: string): Promise<CallRecord | undefined>;
  /** Messages that answer a query, best first. Whatever is typed, it never fails over the query. */
  searchMessages(query: MessageQuery): Promise<MessageSearch>;
  close(): Promise<void>;
}

/** The source of sessions in which a subagent works; those that continue one after compression have it too. */
export const SUBAGENT_SOURCE = 'subagent';

export type ListOptions = {
  limit?: number;
  offset?: number;
  source?: string;
  title?: string;
  /**
   * Without those that were compressed and go on in another: each conversation once. Those of subagents are only there
   * where their source is asked for.
   */
  newestOnly?: boolean;
};

export type NewSession = {
  id: string;
  source: string;
  startedAt: number;
  model?: string;
  systemPrompt?: string;
  parentSessionId?: string;
  title?: string;
};

export type SessionRecord = {
  id: string;
  source: string;
  model: string | undefined;
  systemPrompt: string | undefined;
  parentSessionId: string | undefined;
  title: string | undefined;
  startedAt: number;
  endedAt: number | undefined;
  endReason: string | undefined;
  /** It began with its parent's messages and goes its own way beside it. */
  isBranch: boolean;
  /** It is that of a subagent, which worked for its parent and knows nothing of what was said there. */
  isDelegated: boolean;
  /** Its own; copies of a parent's messages are counted there. */
  messageCount: number;
  toolCallCount: number;
  usage: Usage;
};

export type SessionSummary = SessionRecord & {
  /** The first 63 characters of the first user message with content. */
  preview: string;
  /** The newest message, else the start. */
  lastActiveAt: number;
};

export type StoredMessage = {
  id: number;
  sessionId: string;
  timestamp: number;
  message: Message;
  toolStatus?: ToolStatus;
  /** The message of an ancestor that this is a copy of. */
  copyOf?: number;
  /** Nobody said it: a summary or a map that stands in for messages of an ancestor. */
  isReplacement?: true;
};

/** What is stored beside messages and is no part of a conversation. */
export type AppendDetails = {
  /** How tool calls ended, by call id. */
  toolStatus?: Readonly<Record<string, ToolStatus>>;
};

/**
 * `text` is what a person types: words that must all be there, "phrases", OR, NOT, parentheses, and beginnings of words
 * with a star. Script without spaces is found by any part of it.
 */
export type MessageQuery = {
  text: string;
  sources?: readonly string[];
  excludedSources?: readonly string[];
  /** Only in these, by id, or in none of those. */
  sessions?: readonly string[];
  excludedSessions?: readonly string[];
  roles?: readonly Message['role'][];
  /** 20 unless told otherwise. */
  limit?: number;
  offset?: number;
};

export type MessageSearch = {
  hits: MessageHit[];
  /** False where the time for a search was up before all messages were looked at: older ones may be missing. */
  complete: boolean;
};

export type MessageHit = {
  id: number;
  sessionId: string;
  role: Message['role'];
  timestamp: number;
  /** The surroundings of the best match, matches as >>>match<<<. */
  snippet: string;
  /** The messages next to it in its session, cut at 200 characters. */
  context: { before?: ContextMessage; after?: ContextMessage };
  source: string;
  model: string | undefined;
  sessionStartedAt: number;
};

export type ContextMessage = { role: Message['role']; content: string };

export type SpentSoFar = { usd: number; tokens: number; unpriced: number };

/** One call to a model or a service, as it is accounted for. */
export type CallRecord = {
  taskId: string;
  /** What it was for; absent for the chat itself. */
  purpose?: AuxiliaryTask | PaidTask;
  provider: string;
  model: string;
  baseUrl: string;
  startedAt: number;
  durationMs: number;
  usage: Usage;
  cost: Cost;
  outcome: 'ok' | 'discarded' | 'failed';
};

/** How a turn ended; kept apart from the session's own end reason. */
export type TurnRecord = {
  sessionId: string;
  taskId: string;
  startedAt: number;
  endedAt: number;
  exitReason: ExitReason;
  apiCalls: number;
  toolCalls: number;
  model: string;
  provider: string;
  error?: string;
};

/** Images and other bytes, kept once however many sessions refer to them. */
export interface SessionBlobs {
  putBlob(sessionId: string, bytes: Uint8Array, mediaType: string): Promise<BlobReference>;
  getBlob(hash: string): Promise<{ bytes: Uint8Array; mediaType: string } | undefined>;
}

/** Stands in a message for the bytes themselves. */
export type BlobReference = {
  /** SHA-256 in hexadecimal digits. */
  hash: string;
  mediaType: string;
  size: number;
};

/** Taking away. What a session left beside the store, such as blobs and spill files, goes with it. */
export interface SessionRemoval {
  /**
   * Refused while a turn runs in it, and while it has descendants, unless they are to go too. Its subagents go with it in
   * any case.
   */
  deleteSession(id: string, options?: { withDescendants?: boolean }): Promise<RemovedSessions>;
  /**
   * Sessions that have ended and rested since a moment; never an ancestor of one that stays. Those of subagents go with the
   * session that they worked for, whatever its source.
   */
  pruneSessions(options: { inactiveSince: number; source?: string }): Promise<RemovedSessions>;
  /** Takes away the messages and keeps the session. */
  clearMessages(id: string): Promise<void>;
}

export type RemovedSessions = { sessionIds: string[]; messages: number };

/** Taking back what was said last, and the way back from there. */
export interface SessionUndo {
  /**
   * Takes a message and all that came after it out of a conversation: they are neither sent, found nor counted any more,
   * and are kept beside it. Where they are copies of what stood in a session before compression, that goes too; a branch
   * leaves the session it came from alone. How many it were. Refused where a replacement is among them, or there is no
   * such message.
   */
  undoMessages(sessionId: string, from: number): Promise<number>;
  /** Puts back what was taken out last, as long as nothing was said since; how many it were, 0 where there is nothing. */
  restoreMessages(sessionId: string): Promise<number>;
}
