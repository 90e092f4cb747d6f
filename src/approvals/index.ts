import type { ReviewCommand } from '../contracts/index.ts';
import type { EntryKind } from './allow-list-matching.ts';
import type { AskReviewer } from './review-command.ts';

export { isNarrowerEntry } from './allow-entries.ts';
export { createApprovalGuard } from './approval-guard.ts';
export { credentialLocations, isEnvFile } from './files/secrets.ts';
export { outsideSandbox, unlessIsolated } from './in-sandbox.ts';
export type { AskReviewer } from './review-command.ts';

/** Creates the approval reviewer for the mode `smart`, which is loaded by the first review. */
export function createCommandReviewer(complete: AskReviewer): ReviewCommand {
  return async (...asked) => (await import('./review-command.ts')).createReviewer(complete)(...asked);
}

/** How each entry of `command_allowlist` is interpreted. */
export async function kindsOfEntries(entries: readonly string[]): Promise<{ entry: string; kind: EntryKind }[]> {
  const { kindOfEntry } = await import('./allow-list-matching.ts');
  return entries.map((entry) => ({ entry, kind: kindOfEntry(entry) }));
}
