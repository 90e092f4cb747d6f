/** How summaries written by the original program start and end; older versions wrote the second opening. */
const OPENINGS = ['[CONTEXT COMPACTION', '[CONTEXT SUMMARY]'] as const;
const HEADING = /\n#{1,3} \S/;
const END = /\n[^\n]*END OF CONTEXT SUMMARY[^\n]*(?:\n|$)/;

/** The first opening, for queries that skip such summaries. */
export const ORIGINAL_SUMMARY_OPENING = OPENINGS[0];

/** A summary of the original: its body, and the text of the message after it, which may be empty. */
export type OriginalSummary = { body: string; rest: string };

/** Splits a message that starts with a summary of the original; undefined for any other message. */
export function readOriginalSummary(text: string): OriginalSummary | undefined {
  if (!OPENINGS.some((opening) => text.startsWith(opening)) || !HEADING.test(text)) return undefined;
  const end = END.exec(text);
  const whole = end === null ? text : text.slice(0, end.index);
  const rest = end === null ? '' : text.slice(end.index + end[0].length).trim();
  return { body: whole.replace(/^[^\n\]]*\]?:?/, '').trim(), rest };
}
