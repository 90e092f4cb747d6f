import type { Cost, Message, ToolStatus, Usage } from '../base/index.ts';
import type { SessionSetup } from './session-setup.ts';
import type { CallRecord, SessionOrigin, TurnRecord } from './session-store.ts';

/** Export and import of sessions as plain records, for files and other stores. */
export interface SessionTransfer {
  /** One complete session. */
  exportSession(id: string): Promise<SessionExport>;
  /**
   * Exports sessions one by one, parents first. A child only references the messages that were already exported with
   * its parent.
   */
  exportAll(options?: ExportOptions): AsyncIterable<SessionExport>;
  /**
   * Imports a session under its own id, all or nothing. An existing session is not changed. Its system prompt is kept
   * for exports and rebuilt before the session continues, unless `options` says that it was built by us.
   */
  importSession(record: SessionExport, options?: ImportOptions): Promise<ImportOutcome>;
  /** The calls of deleted sessions, which still count as spending. */
  exportRemovedCalls(): AsyncIterable<RemovedCalls>;
  /** Imports the calls that do not exist yet; returns their number. */
  importRemovedCalls(record: RemovedCalls): Promise<number>;
}

export type ImportOptions = {
  /** The record comes from a store of the same user, where the system prompt was built. */
  isOwnPrompt?: boolean;
};

export type RemovedCalls = { sessionId: string; calls: CallRecord[] };

export type ExportOptions = {
  source?: string;
  /** Only this session, its ancestors and its descendants, including subagents. */
  lineageOf?: string;
};

/** A complete session in a form that survives JSON. */
export type SessionExport = {
  format: 'hermes-session';
  version: 1;
  session: ExportedSession;
  messages: ExportedMessage[];
  turns: Omit<TurnRecord, 'sessionId'>[];
  calls: CallRecord[];
  blobs: ExportedBlob[];
  /** Number of undone messages that could be restored; the messages themselves are not exported. */
  takenBack?: number;
};

export type ExportedSession = {
  id: string;
  source: string;
  startedAt: number;
  endedAt?: number;
  endReason?: string;
  model?: string;
  modelConfig?: string;
  systemPrompt?: string;
  parentSessionId?: string;
  isBranch?: true;
  origin?: SessionOrigin;
  /** An import keeps its tools only if they come from a store of the same user, like the system prompt. */
  setup?: SessionSetup;
  title?: string;
  userId?: string;
  usage: Usage;
  cost?: Cost;
};

export type ExportedMessage = {
  timestamp: number;
  /** Absent if another session of the export already contains the message; always present for a shortened copy. */
  message?: Message;
  toolStatus?: ToolStatus;
  /** The original of this copy: its session, and its position in that session from 0. */
  copyOf?: { sessionId: string; position: number };
  /** A summary or removal map. */
  isReplacement?: true;
};

export type ExportedBlob = { hash: string; mediaType: string; base64: string };

export type ImportOutcome = {
  sessionId: string;
  status: 'imported' | 'exists';
  messages: number;
  /** Sentences for the user about data that could not be preserved. */
  notes: string[];
};
