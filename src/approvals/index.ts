import type { EntryKind } from './cover-findings.ts';

export { createApprovalGuard, unlessIsolated } from './guard.ts';
export { type AskReviewer, createCommandReviewer } from './review-command.ts';

/** What each entry of `command_allowlist` means. */
export async function kindsOfEntries(entries: readonly string[]): Promise<{ entry: string; kind: EntryKind }[]> {
  const { kindOfEntry } = await import('./cover-findings.ts');
  return entries.map((entry) => ({ entry, kind: kindOfEntry(entry) }));
}
