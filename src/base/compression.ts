/**
 * Why a conversation is compressed: it was loaded too large, grew too large by results, a provider refused it, the
 * person asked, or a surface tidies up before a turn.
 */
export type CompressionReason = 'preflight' | 'results' | 'overflow' | 'command' | 'hygiene';

/** What a compression came to. */
export type CompressionReport = {
  /** Where the conversation goes on: the child, or for a preview the session as it is. */
  sessionId: string;
  messagesBefore: number;
  messagesAfter: number;
  /** By the same guess before and after, with what goes along with every request. */
  tokensBefore: number;
  tokensAfter: number;
  /** Who wrote what stands for the rest: a model, an extract without one, a map of what was removed, or nobody. */
  by: 'model' | 'extract' | 'map' | 'none';
  /** `provider/model`. */
  model?: string;
  /** Why it was not a model. */
  why?: string;
};
