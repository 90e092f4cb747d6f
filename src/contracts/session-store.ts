import type {
  Attachment,
  CacheMiss,
  ChangedFile,
  Cost,
  ExitReason,
  Message,
  ToolStatus,
  Usage,
} from '../base/index.ts';
import type { ApiStore } from './api-store.ts';
import type { AuxiliaryTask } from './auxiliary.ts';
import type { CronStore } from './cron-store.ts';
import type { GatewayStore } from './gateway-store.ts';
import type { PaidTask } from './media-service.ts';
import type { QuestionStore } from './questions.ts';
import type { ResponseStore } from './response-store.ts';
import type { SessionLeases } from './session-leases.ts';
import type { SessionLineage } from './session-lineage.ts';
import type { SessionSetups } from './session-setup.ts';
import type { SessionInsights } from './session-statistics.ts';
import type { SessionTransfer } from './session-transfer.ts';
import type { TurnCommandStore } from './turn-commands.ts';

/** The session store. When the promise of a writing method resolves, the data is durable. */
export interface SessionStore
  extends SessionLineage,
    SessionTransfer,
    SessionRemoval,
    SessionUndo,
    SessionLeases,
    SessionBlobs,
    SessionInsights,
    SessionSetups,
    QuestionStore,
    TurnCommandStore {
  /** The tables of the messaging gateway; its code is loaded here, because most commands do not need it. */
  openGatewayStore(): Promise<GatewayStore>;
  /** The runs of scheduled jobs, loaded like the tables of the gateway. */
  openCronStore(): Promise<CronStore>;
  /** The tables of the API server, loaded like the tables of the gateway. */
  openApiStore(): Promise<ApiStore>;
  /** The responses and conversations of the API server, loaded like the tables of the gateway. */
  openResponseStore(): Promise<ResponseStore>;
  createSession(session: NewSession): Promise<void>;
  getSession(id: string): Promise<SessionRecord | undefined>;
  /**
   * Finds a session by id, title (the newest of its numbered titles) or unique id prefix. Throws if a prefix is
   * ambiguous.
   */
  resolveSession(reference: string): Promise<SessionRecord | undefined>;
  /** The session with the newest message that matches the filter. */
  latestSession(filter?: LatestFilter): Promise<SessionRecord | undefined>;
  /** Sorted by start, newest first. `title` matches a part of the title, case-insensitively. */
  listSessions(options?: ListOptions): Promise<SessionSummary[]>;
  /** Ends a session. A session that ended by compression keeps that end reason. */
  endSession(id: string, reason: string): Promise<void>;
  reopenSession(id: string): Promise<void>;
  setSystemPrompt(id: string, prompt: string): Promise<void>;
  setSessionModel(id: string, model: string): Promise<void>;
  setSessionOrigin(id: string, origin: SessionOrigin): Promise<void>;
  /** Titles are unique among all sessions; undefined removes the title. */
  setSessionTitle(id: string, title: string | undefined): Promise<void>;
  /**
   * Sets the title of a session without one, with a number if the title is taken. Returns the title, or undefined if
   * the session already has one or no longer exists.
   */
  proposeSessionTitle(id: string, title: string): Promise<string | undefined>;
  /** Appends messages in order, all or none. The call that produced them is recorded in the same transaction. */
  appendMessages(
    sessionId: string,
    messages: readonly Message[],
    call?: CallRecord,
    details?: AppendDetails,
  ): Promise<void>;
  /**
   * Updates the attachments of the newest message before it is first sent, for example with descriptions. Rejected
   * unless that message is the user's and has the same number of attachments, because answered messages never change.
   * With `toolCallId`, the result of that call is updated instead, as long as no answer follows it.
   */
  setAttachments(sessionId: string, attachments: readonly Attachment[], toolCallId?: string): Promise<void>;
  /**
   * Sets the text that is sent instead of the newest message. Rejected unless that message is the user's, because
   * answered messages never change.
   */
  setSentContent(sessionId: string, sentContent: string): Promise<void>;
  /** All messages, or some of them. A page can have fewer messages than its limit, and is empty only at the end. */
  getMessages(sessionId: string, options?: MessagePage): Promise<StoredMessage[]>;
  /** What the tool calls of a session changed in files, by call id. */
  getFileChanges(sessionId: string): Promise<ReadonlyMap<string, readonly ChangedFile[]>>;
  /** The history as the loop uses it. */
  getConversation(sessionId: string): Promise<Message[]>;
  /**
   * Records a call that produced no message (failed, repeated or a summary). A call with a purpose is stored even if
   * the session does not exist, because it was paid for.
   */
  recordCall(sessionId: string, call: CallRecord): Promise<void>;
  recordTurn(turn: TurnRecord): Promise<void>;
  getTurns(sessionId: string): Promise<TurnRecord[]>;
  /** Spending since a point in time, over all sessions and processes. `unpriced` counts calls of unknown cost. */
  spendingSince(timestamp: number): Promise<SpendingTotal>;
  /**
   * Spending of a session, including its spending before compression and that of its subagents. Branches count
   * separately.
   */
  sessionSpending(sessionId: string): Promise<SpendingTotal>;
  /** All calls of a session in order, auxiliary ones included. */
  getCalls(sessionId: string): Promise<CallRecord[]>;
  /** The newest chat call of each model. */
  getLastCalls(sessionId: string): Promise<CallRecord[]>;
  /** The newest chat call whose answer is part of the history. */
  getLastCall(sessionId: string): Promise<CallRecord | undefined>;
  /** Messages that match a query, best first. Never fails because of the query text. */
  searchMessages(query: MessageQuery): Promise<MessageSearch>;
  close(): Promise<void>;
}

/** The session source of subagents, including after a compression. */
export const SUBAGENT_SOURCE = 'subagent';

export type ListOptions = {
  limit?: number;
  offset?: number;
  source?: string;
  title?: string;
  /**
   * Omits sessions that continue in another one after compression, so that each conversation is listed once. Subagent
   * sessions are listed only if their source is given.
   */
  newestOnly?: boolean;
};

export type LatestFilter = {
  source?: string;
  workingDirectory?: string;
  /** Only sessions of these kinds. Sessions without an origin match any kind. */
  kinds?: readonly SessionKind[];
};

/** How a session is used: in a chat, by one command, or by a turn in the background. */
export const SESSION_KINDS = ['interactive', 'one_shot', 'background'] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

/** Where and how a session was used last. */
export type SessionOrigin = { workingDirectory: string; kind: SessionKind };

export type NewSession = {
  id: string;
  source: string;
  startedAt: number;
  model?: string;
  systemPrompt?: string;
  parentSessionId?: string;
  title?: string;
  /** A session that continues or branches another one inherits its origin. */
  origin?: SessionOrigin;
};

export type SessionRecord = {
  id: string;
  source: string;
  model: string | undefined;
  systemPrompt: string | undefined;
  /** The system prompt came with an import: it may be exported, but must not be sent. */
  isPromptImported?: true;
  parentSessionId: string | undefined;
  title: string | undefined;
  startedAt: number;
  endedAt: number | undefined;
  endReason: string | undefined;
  /** Undefined for sessions of other programs and of earlier versions. */
  origin: SessionOrigin | undefined;
  /** Whether the session started with copies of its parent's messages and continues independently. */
  isBranch: boolean;
  /** Whether this is the session of a subagent, which worked for its parent without seeing the parent's messages. */
  isDelegated: boolean;
  /** Number of the session's own messages; message copies count in the parent. */
  messageCount: number;
  toolCallCount: number;
  usage: Usage;
};

export type SessionSummary = SessionRecord & {
  /** The first 63 characters of the first user message with content. */
  preview: string;
  /** Time of the newest message, or the start if there is none. */
  lastActiveAt: number;
};

export type StoredMessage = {
  id: number;
  sessionId: string;
  timestamp: number;
  message: Message;
  toolStatus?: ToolStatus;
  /** The ancestor's message that this is a copy of. */
  copyOf?: number;
  /** A replacement: a summary or removal map in place of ancestor messages. It was not sent by the user or the model. */
  isReplacement?: true;
};

/** The messages stored after the one with the id `after`, and at most `limit` of them. */
export type MessagePage = { after?: number | undefined; limit?: number | undefined };

/** Stored with messages but not part of the history. */
export type AppendDetails = {
  /** The status of tool calls, by call id. */
  toolStatus?: Readonly<Record<string, ToolStatus>>;
  /** What tool calls changed in files, by call id. */
  fileChanges?: Readonly<Record<string, readonly ChangedFile[]>>;
};

/**
 * `text` is the search query as typed: words, "phrases", OR, NOT, parentheses, and prefixes with a star. Unspaced script
 * matches any part of a word. Messages that have all words come first. If there are fewer than `limit` of them, those
 * follow that have some of the words, in any form and without stop words, unless others match a query with quotation
 * marks, prefixes or operators.
 */
export type MessageQuery = {
  text: string;
  sources?: readonly string[];
  excludedSources?: readonly string[];
  /** Include only these session ids, or exclude them. */
  sessions?: readonly string[];
  excludedSessions?: readonly string[];
  roles?: readonly Message['role'][];
  /** Only messages that have all words. */
  allWords?: boolean;
  /** 20 by default. */
  limit?: number;
  offset?: number;
};

export type MessageSearch = {
  hits: MessageHit[];
  /** False if the search timed out before all messages were checked; older hits may be missing. */
  complete: boolean;
};

export type MessageHit = {
  id: number;
  sessionId: string;
  role: Message['role'];
  timestamp: number;
  /** Whether the message has only some of the words, or other forms of them. */
  partial: boolean;
  /** The text around the best match, with matches as >>>match<<<. */
  snippet: string;
  /** The neighbouring messages in its session, truncated to 200 characters. */
  context: { before?: ContextMessage; after?: ContextMessage };
  source: string;
  model: string | undefined;
  sessionStartedAt: number;
};

export type ContextMessage = { role: Message['role']; content: string };

export type SpendingTotal = { usd: number; tokens: number; unpriced: number };

/** The record of one call to a model or a paid service. */
export type CallRecord = {
  taskId: string;
  /** The call purpose; absent for the chat. */
  purpose?: AuxiliaryTask | PaidTask;
  provider: string;
  model: string;
  baseUrl: string;
  startedAt: number;
  durationMs: number;
  usage: Usage;
  cost: Cost;
  /** Why the prompt was not read from the cache; absent if it was, and for auxiliary calls. */
  cacheMiss?: CacheMiss;
  outcome: 'ok' | 'discarded' | 'failed';
};

/** The turn record. Its exit reason is unrelated to the session's end reason. */
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

/** Binary data, stored once regardless of how many sessions refer to it. */
export interface SessionBlobs {
  putBlob(sessionId: string, bytes: Uint8Array, mediaType: string): Promise<BlobReference>;
  getBlob(hash: string): Promise<{ bytes: Uint8Array; mediaType: string } | undefined>;
}

/** A reference to a blob, stored in a message. */
export type BlobReference = {
  /** SHA-256 in hexadecimal. */
  hash: string;
  mediaType: string;
  size: number;
};

/** Deleting sessions. Their blobs and spill files are deleted with them. */
export interface SessionRemoval {
  /**
   * Deletes a session and its subagents. Rejected while a turn runs in the session, and while it has descendants
   * unless `withDescendants` is set.
   */
  deleteSession(id: string, options?: { withDescendants?: boolean }): Promise<RemovedSessions>;
  /**
   * Deletes sessions that ended and have been inactive since a point in time, but never an ancestor of a remaining
   * one. Subagent sessions are deleted with the session they worked for, whatever its source.
   */
  pruneSessions(options: { inactiveSince: number; source?: string }): Promise<RemovedSessions>;
  /** Deletes the messages but keeps the session. */
  clearMessages(id: string): Promise<void>;
}

export type RemovedSessions = { sessionIds: string[]; messages: number };

/** Undo and redo. */
export interface SessionUndo {
  /**
   * Removes a message and everything after it from a session. Removed messages are no longer sent, found or counted,
   * but kept for redo. The originals of removed copies are removed too, except that a branch does not change the
   * session it came from. Returns the number of messages. Rejected if the message does not exist or a replacement
   * would be removed.
   */
  undoMessages(sessionId: string, from: number): Promise<number>;
  /**
   * Restores the messages that were undone last, unless a new message followed. Returns their number, 0 if there is
   * nothing to restore.
   */
  restoreMessages(sessionId: string): Promise<number>;
}
