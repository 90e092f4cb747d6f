import { ConfigurationError } from '../base/index.ts';
import type { SessionRecord, SessionStore } from '../contracts/index.ts';

/** Which stored session to go on with; neither means a new one. */
export type SessionChoice = {
  /** An id, the beginning of one, or a title. */
  resume?: string;
  /** The newest session of this surface. */
  continueLatest?: boolean;
};

export async function findSession(
  store: SessionStore,
  choice: SessionChoice,
  source: string,
): Promise<SessionRecord | undefined> {
  if (choice.resume !== undefined) {
    const found = await store.resolveSession(choice.resume);
    // One that was compressed goes on where its newest continuation is.
    if (found) return (await store.newestInLineage(found.id)) ?? found;
    throw new ConfigurationError(`There is no session "${choice.resume}".`, {
      hint: '`hermes sessions list` shows the ids and titles there are; a prompt goes behind -q.',
    });
  }
  if (!choice.continueLatest) return undefined;
  const latest = await store.latestSession({ source });
  if (latest) return latest;
  throw new ConfigurationError('There is no session to continue yet.', {
    hint: 'Start one without --continue.',
  });
}
