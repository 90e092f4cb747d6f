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
