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
