type SessionFacts = { now: number; model: string; provider: string; sessionId?: string | undefined };

/** A date, not a time of day: the prompt stays the same bytes for the whole session. */
export function sessionLayer({ now, model, provider, sessionId }: SessionFacts): string {
  const at = new Date(now);
  const date = `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')}`;
  const id = sessionId === undefined ? '' : ` Session id: ${sessionId}.`;
  // The heading ends what a file of the project said before it.
  return `# Session\n\nSession started on ${date}. Model: ${model}, provider: ${provider}.${id}`;
}
