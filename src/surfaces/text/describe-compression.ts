import type { AgentEvent, CompressionReport } from '../../base/index.ts';
import { shorten } from '../../util/index.ts';
import { printable } from './style.ts';

const MAX_REASON_LENGTH = 120;

/** Rounds a token count, because it is an estimate: `21,300`, `850`. */
export function aboutTokens(tokens: number): string {
  return (tokens < 1_000 ? tokens : Math.round(tokens / 100) * 100).toLocaleString('en-US');
}

/** Formats `120 → 34 messages, about 90,000 → 21,300 tokens`. */
export function describeSaving(report: CompressionReport): string {
  const { messagesBefore, messagesAfter, tokensBefore, tokensAfter } = report;
  const tokens = `${aboutTokens(tokensBefore)} → ${aboutTokens(tokensAfter)} tokens`;
  return `${messagesBefore} → ${messagesAfter} messages, about ${tokens}`;
}

/** Describes what replaced the messages and which model wrote it; empty if there is nothing to add. */
export function describeSummary({ by, model, why }: CompressionReport): string {
  const reason = why === undefined ? '' : ` (${shorten(printable(why), MAX_REASON_LENGTH)})`;
  if (by === 'model') return model === undefined ? '' : `summary by ${printable(model)}`;
  if (by === 'extract') return `replaced by an extract, because no model wrote a summary${reason}`;
  return by === 'map' ? 'replaced by a map of the removed messages' : '';
}

/** Describes a compression in one line. */
export function describeCompressed(event: Extract<AgentEvent, { type: 'compressed' }>): string {
  const summary = describeSummary(event);
  return `(compressed: ${describeSaving(event)}${summary === '' ? '' : `; ${summary}`})`;
}
