import type { Cost, Message, ToolStatus, Usage } from '../base/index.ts';
import type { CallRecord, TurnRecord } from './session-store.ts';

/** Sessions as plain records, for files and for other stores. */
export interface SessionTransfer {
  /** One session, whole by itself. */
  exportSession(id: string): Promise<SessionExport>;
  /** Sessions one after another, parents first; what a parent shows already, its children only refer to. */
  exportAll(options?: ExportOptions): AsyncIterable<SessionExport>;
  /** Takes a session in under its own id, all or nothing. One that exists stays as it is. */
  importSession(record: SessionExport): Promise<ImportOutcome>;
  /** The calls of sessions that were deleted: the money stays spent. */
  exportRemovedCalls(): AsyncIterable<RemovedCalls>;
  /** Takes in those that are not there yet; how many. */
  importRemovedCalls(record: RemovedCalls): Promise<number>;
}

export type RemovedCalls = { sessionId: string; calls: CallRecord[] };

export type ExportOptions = {
  source?: string;
  /** Only this session, its ancestors and its descendants, subagents included. */
  lineageOf?: string;
};

/** Everything of a session, in a form that survives JSON. */
export type SessionExport = {
  format: 'hermes-session';
  version: 1;
  session: ExportedSession;
  messages: ExportedMessage[];
  turns: Omit<TurnRecord, 'sessionId'>[];
  calls: CallRecord[];
  blobs: ExportedBlob[];
  /** How many messages were taken back and could be restored; they themselves are not part of it. */
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
  title?: string;
  userId?: string;
  usage: Usage;
  cost?: Cost;
};

export type ExportedMessage = {
  timestamp: number;
  /** Absent where the export shows the same message in another session already; a shortened copy is always there. */
  message?: Message;
  toolStatus?: ToolStatus;
  /** The message this is a copy of, counted from 0 within its session. */
  copyOf?: { sessionId: string; position: number };
  /** A summary or a map, which nobody said. */
  isReplacement?: true;
};

export type ExportedBlob = { hash: string; mediaType: string; base64: string };

export type ImportOutcome = {
  sessionId: string;
  status: 'imported' | 'exists';
  messages: number;
  /** What could not be kept as it was, as sentences for the person. */
  notes: string[];
};
