import type { Message } from '../base/index.ts';

/** Saves what should last before a conversation is made smaller. */
export interface MemoryFlush {
  /** Takes 30 s at most; a failure is only logged. Throws only the signal's reason. */
  beforeCompression(
    messages: readonly Message[],
    context: { sessionId: string; taskId?: string; signal: AbortSignal },
  ): Promise<void>;
}
