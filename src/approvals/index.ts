import type { EntryKind } from './cover-findings.ts';

export { createApprovalGuard, unlessIsolated } from './guard.ts';
export { type AskReviewer, createCommandReviewer } from './review-command.ts';

/** How each entry of `command_allowlist` is interpreted. */
export async function kindsOfEntries(entries: readonly string[]): Promise<{ entry: string; kind: EntryKind }[]> {
  const { kindOfEntry } = await import('./cover-findings.ts');
  return entries.map((entry) => ({ entry, kind: kindOfEntry(entry) }));
}
