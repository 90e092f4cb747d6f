import { type Clock, ConfigurationError, newSessionId } from '../base/index.ts';
import type { HeldLease, SessionRecord, SessionStore, StoredMessage } from '../contracts/index.ts';
import { describeProcess, isGone } from './session-lease.ts';

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

/** How often a session that another process holds is looked at. Both looks are cheap, and nobody waits shorter. */
const LOOK_EVERY_MS = 400;

/** Whoever works on a session now. A process that has died holds nothing, even where its lease has not run out. */
export async function findHolder(store: SessionStore, sessionId: string): Promise<HeldLease | undefined> {
  const held = await store.findLeaseHolder(sessionId);
  return held === undefined || isGone(held, describeProcess('')) ? undefined : held;
}

/**
 * Resolves when nobody works on the session any more, with the session to go on with: another one where it was
 * compressed meanwhile. Rejects where the signal comes first.
 */
export async function waitUntilFree(
  { store, clock }: { store: SessionStore; clock: Clock },
  sessionId: string,
  signal: AbortSignal,
): Promise<string> {
  for (;;) {
    const id = (await store.newestInLineage(sessionId))?.id ?? sessionId;
    if ((await findHolder(store, id)) === undefined) return id;
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}

export type FollowOptions = {
  /** The message behind which it begins. */
  after: number;
  signal: AbortSignal;
  /** Goes on when the turn has ended, with the turns that come later. */
  forever?: boolean;
};

/**
 * The messages that another process stores in a session, as they come, until its turn has ended or the session is
 * deleted. Where it is compressed, those of its continuation follow.
 */
export async function* followMessages(
  { store, clock }: { store: SessionStore; clock: Clock },
  sessionId: string,
  { after, signal, forever = false }: FollowOptions,
): AsyncGenerator<StoredMessage> {
  let [id, last] = [sessionId, after];
  for (;;) {
    // Looked for first: what was stored before the turn ended is then among the messages read afterwards.
    const isRunning = forever || (await findHolder(store, id)) !== undefined;
    const newest = await store.newestInLineage(id);
    for (const stored of await store.getMessages(id, { after: last })) {
      last = stored.id;
      // What a continuation begins with has been seen where it came from.
      if (stored.copyOf === undefined && !stored.isReplacement) yield stored;
    }
    if (newest === undefined) return;
    const hasMoved = newest.id !== id;
    id = newest.id;
    if (hasMoved) continue;
    if (!isRunning) return;
    try {
      await clock.sleep(LOOK_EVERY_MS, signal);
    } catch (thrown) {
      if (signal.aborted) return;
      throw thrown;
    }
  }
}

/** A new session that begins with the messages of another so far; that one is left alone. */
export async function branchSession(
  { store, clock }: { store: SessionStore; clock: Clock },
  sessionId: string,
  source: string,
): Promise<SessionRecord> {
  const startedAt = clock.now();
  return store.branchSession(sessionId, { id: newSessionId(startedAt), source, startedAt });
}

/** Ends a session that this process is done with, unless another one works on it; false where there is no such session. */
export async function leaveSession(store: SessionStore, sessionId: string, reason: string): Promise<boolean> {
  if ((await store.getSession(sessionId)) === undefined) return false;
  if ((await findHolder(store, sessionId)) === undefined) await store.endSession(sessionId, reason);
  return true;
}
