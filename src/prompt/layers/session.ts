import { localDay } from '../../util/index.ts';

type SessionFacts = { now: number; model: string; provider: string; sessionId?: string | undefined };

/** A date, not a time of day: the prompt stays the same bytes for the whole session. */
export function sessionLayer({ now, model, provider, sessionId }: SessionFacts): string {
  const id = sessionId === undefined ? '' : ` Session id: ${sessionId}.`;
  // The heading ends what a file of the project said before it.
  return `# Session\n\nSession started on ${localDay(now)}. Model: ${model}, provider: ${provider}.${id}`;
}
