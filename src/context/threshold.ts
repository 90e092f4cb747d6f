import type { CompressionSettings } from '../config/index.ts';
import type { CompressionThreshold } from '../contracts/index.ts';

/** Up to this window, compression starts as late as possible, because the prompt leaves little room. */
const SMALL_WINDOW = 32_000;
const SMALL_SHARE = 0.85;
/** Tokens of a small window that stay free for the next output and the results of its calls. */
const RESERVE = 2_000;
/** From this window on, half of it is enough. */
const LARGE_WINDOW = 100_000;
const LARGE_SHARE = 0.5;

/**
 * The size in tokens at which a session is compressed. A share that the user has set applies unchanged. By default, the
 * share depends on the window, and a large window is not filled further than `maxTokens`: every call reads the whole
 * conversation, so its price grows with it.
 */
export function compressionThreshold(
  contextLength: number,
  { threshold, maxTokens }: Pick<CompressionSettings, 'threshold' | 'maxTokens'>,
): CompressionThreshold {
  if (threshold !== undefined) return { tokens: contextLength * threshold, rule: 'configured' };
  const share = contextLength * defaultShare(contextLength);
  const available = Math.max(contextLength - RESERVE, contextLength * LARGE_SHARE);
  if (maxTokens < Math.min(share, available)) return { tokens: maxTokens, rule: 'max_tokens' };
  return available < share ? { tokens: available, rule: 'reserve' } : { tokens: share, rule: 'window' };
}

/** The largest request that compression may leave: a share of the window, and some room for the output. */
const MAX_SHARE = 0.97;
const OUTPUT_RESERVE = 1_000;

/** The size in tokens above which a request hardly leaves room for an answer, so that even user texts are truncated. */
export function largestRequest(contextLength: number): number {
  const available = Math.max(contextLength - OUTPUT_RESERVE, contextLength * LARGE_SHARE);
  return Math.min(contextLength * MAX_SHARE, available);
}

/** 0.85 up to 32k tokens, falling linearly to 0.5 at 100k. */
function defaultShare(contextLength: number): number {
  const position = (contextLength - SMALL_WINDOW) / (LARGE_WINDOW - SMALL_WINDOW);
  return SMALL_SHARE + (LARGE_SHARE - SMALL_SHARE) * Math.min(Math.max(position, 0), 1);
}
