import type { AgentEvent, CompressionReport } from '../../base/index.ts';
import { shorten } from '../../util/index.ts';
import { showable } from './style.ts';

const MAX_REASON_LENGTH = 120;

/** Tokens are guessed, so nobody needs their last digits: `21,300`, `850`. */
export function aboutTokens(tokens: number): string {
  return (tokens < 1_000 ? tokens : Math.round(tokens / 100) * 100).toLocaleString('en-US');
}

/** `120 → 34 messages, about 90,000 → 21,300 tokens`. */
export function describeSaving(report: CompressionReport): string {
  const { messagesBefore, messagesAfter, tokensBefore, tokensAfter } = report;
  const tokens = `${aboutTokens(tokensBefore)} → ${aboutTokens(tokensAfter)} tokens`;
  return `${messagesBefore} → ${messagesAfter} messages, about ${tokens}`;
}

/** Who wrote what stands for the rest, where there is something to say about it. */
export function describeSummary({ by, model, why }: CompressionReport): string {
  const reason = why === undefined ? '' : ` (${shorten(showable(why), MAX_REASON_LENGTH)})`;
  if (by === 'model') return model === undefined ? '' : `summary by ${showable(model)}`;
  if (by === 'extract') return `an extract stands for the rest, since no model wrote a summary${reason}`;
  return by === 'map' ? 'a map of what was removed stands for it' : '';
}

/** One line in a chat. */
export function describeCompressed(event: Extract<AgentEvent, { type: 'compressed' }>): string {
  const summary = describeSummary(event);
  return `(compressed: ${describeSaving(event)}${summary === '' ? '' : `; ${summary}`})`;
}
