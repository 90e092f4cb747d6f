import type { EntryKind } from './allow-list-matching.ts';

export { createApprovalGuard } from './approval-guard.ts';
export { credentialLocations, isEnvFile } from './files/secrets.ts';
export { outsideSandbox, unlessIsolated } from './in-sandbox.ts';
export { type AskReviewer, createCommandReviewer } from './review-command.ts';

/** How each entry of `command_allowlist` is interpreted. */
export async function kindsOfEntries(entries: readonly string[]): Promise<{ entry: string; kind: EntryKind }[]> {
  const { kindOfEntry } = await import('./allow-list-matching.ts');
  return entries.map((entry) => ({ entry, kind: kindOfEntry(entry) }));
}
