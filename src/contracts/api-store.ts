import type { JsonObject } from '../base/index.ts';

/** An event of a stored stream. Sequence numbers start at 1 and have no gaps. */
export type StoredEvent = { sequence: number; event: JsonObject };

/** A stream of events that one process writes and any number of clients read. */
export type EventStream = {
  id: string;
  /** The process that writes it, as `processName` calls it. */
  holder: string;
  isEnded: boolean;
  /** Whether its process has not renewed it in time. */
  isExpired: boolean;
};

/** The life of a run. `unknown`: its process died. */
export type ApiRunState = 'running' | 'completed' | 'failed' | 'interrupted' | 'unknown';

/** A run of the API, which clients can follow and control after the request that started it. */
export type ApiRun = {
  id: string;
  owner: string;
  /** The session it runs in; changes if the session is compressed. */
  sessionId: string;
  state: ApiRunState;
  createdAt: number;
  endedAt: number | undefined;
  /** The result record; undefined while it runs. */
  result: JsonObject | undefined;
};

/** The point in a session that a conversation of a client has reached. */
export type ApiPrefix = {
  /** The hash of the conversation so far, including who it belongs to. */
  hash: string;
  sessionId: string;
  /** The id of the last stored message that belongs to it; 0 before the first message. */
  messageId: number;
};

/** The tables of the API server. Conversations are sessions like all others; these rows only refer to them. */
export interface ApiStore {
  /** Records that a session belongs to a key and is used now. A session keeps its first owner as long as it exists. */
  bindSession(sessionId: string, owner: string, usedAt: number): Promise<void>;
  /** The key that a session, or the session that it continues after compression, belongs to. */
  findSessionOwner(sessionId: string): Promise<string | undefined>;
  /** The ids of the sessions of a key, those used last first. */
  listOwnedSessions(owner: string, page: { limit: number; offset: number }): Promise<string[]>;
  /** What the sessions of a key and their subagents have cost since a time, in US dollars, also if they were deleted. */
  spendingOfOwner(owner: string, since: number): Promise<number>;
  /** Adds or replaces prefixes. */
  savePrefixes(prefixes: readonly ApiPrefix[]): Promise<void>;
  /** The first of these hashes that is known. */
  findPrefix(hashes: readonly string[]): Promise<ApiPrefix | undefined>;
  addRun(run: Pick<ApiRun, 'id' | 'owner' | 'sessionId' | 'createdAt'>): Promise<void>;
  getRun(id: string): Promise<ApiRun | undefined>;
  /** Ends a run that is still running. Returns false if it has ended. */
  endRun(id: string, end: Pick<ApiRun, 'state' | 'sessionId' | 'endedAt' | 'result'>): Promise<boolean>;
  /** Creates a stream that the holder has for some time. */
  addStream(id: string, holder: string, createdAt: number, ttlMs: number): Promise<void>;
  getStream(id: string): Promise<EventStream | undefined>;
  renewStream(id: string, holder: string, ttlMs: number): Promise<void>;
  /**
   * Appends events after the last one, and ends the stream if `end` is set. Returns false, and changes nothing, if the
   * stream has ended or another process holds it.
   */
  appendEvents(id: string, holder: string, events: readonly JsonObject[], end?: boolean): Promise<boolean>;
  readEvents(id: string, after: number, limit: number): Promise<StoredEvent[]>;
  /** Deletes streams and runs that were created before a point in time and have ended, or whose process died. */
  pruneApi(before: number): Promise<void>;
}
