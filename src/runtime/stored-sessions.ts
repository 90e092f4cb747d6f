import { type Clock, ConfigurationError, newSessionId } from '../base/index.ts';
import type { HeldLease, SessionKind, SessionRecord, SessionStore, StoredMessage } from '../contracts/index.ts';
import { describeProcess, hasHolderDied } from './session-lease.ts';

/** Which stored session to continue; a new one if neither is set. */
export type SessionChoice = {
  /** An id, the start of an id, or a title. */
  resume?: string;
  /** The latest session of this surface, preferably of this working directory. */
  continueLatest?: boolean;
};

/** Who asks for the latest session. */
type Caller = { source: string; workingDirectory: string; kind?: SessionKind };

export async function findSession(
  store: SessionStore,
  choice: SessionChoice,
  caller: Caller,
): Promise<SessionRecord | undefined> {
  if (choice.resume !== undefined) {
    const found = await store.resolveSession(choice.resume);
    // A compressed session continues in the newest session of its lineage.
    if (found) return (await store.newestInLineage(found.id)) ?? found;
    throw new ConfigurationError(`There is no session "${choice.resume}".`, {
      hint: 'Pass an id, the start of one (at least 4 characters) or a title; `hermes sessions list` shows them.',
    });
  }
  if (!choice.continueLatest) return undefined;
  const latest = await findLatest(store, caller);
  if (latest) return latest;
  throw new ConfigurationError('There is no session to continue.', {
    hint: 'Start one without --continue, or choose one with --resume; `hermes sessions list` shows all.',
  });
}

/**
 * The latest session of this working directory, or of any other. A chat continues only chats; a single command also
 * continues the sessions of single commands.
 */
async function findLatest(store: SessionStore, { source, workingDirectory, kind = 'interactive' }: Caller) {
  const kinds: readonly SessionKind[] = ['interactive', kind];
  return (await store.latestSession({ source, kinds, workingDirectory })) ?? store.latestSession({ source, kinds });
}

/** How often a session that another process holds is polled. */
const POLL_MS = 400;

/** The holder of a session lease; undefined if the holder has died, even if its lease has not expired yet. */
export async function findHolder(store: SessionStore, sessionId: string): Promise<HeldLease | undefined> {
  const held = await store.findLeaseHolder(sessionId);
  return held === undefined || hasHolderDied(held, describeProcess('')) ? undefined : held;
}

/**
 * Waits until no process holds the session, and returns the id of the session to continue, which differs if the
 * session was compressed in the meantime. Rejects if the signal is aborted first.
 */
export async function waitUntilFree(
  { store, clock }: { store: SessionStore; clock: Clock },
  sessionId: string,
  signal: AbortSignal,
): Promise<string> {
  for (;;) {
    const id = (await store.newestInLineage(sessionId))?.id ?? sessionId;
    if ((await findHolder(store, id)) === undefined) return id;
    await clock.sleep(POLL_MS, signal);
  }
}

export type FollowOptions = {
  /** Starts after the message with this id. */
  after: number;
  signal: AbortSignal;
  /** Keep following after the turn has ended. */
  forever?: boolean;
};

/**
 * Yields the messages that another process stores in a session, until its turn has ended or the session is deleted.
 * After a compression, it continues with the child session.
 */
export async function* followMessages(
  { store, clock }: { store: SessionStore; clock: Clock },
  sessionId: string,
  { after, signal, forever = false }: FollowOptions,
): AsyncGenerator<StoredMessage> {
  let [id, last] = [sessionId, after];
  for (;;) {
    // Checked before reading, so that everything stored before the turn ended is included.
    const isRunning = forever || (await findHolder(store, id)) !== undefined;
    const newest = await store.newestInLineage(id);
    for (const stored of await store.getMessages(id, { after: last })) {
      last = stored.id;
      // The first messages of a child session are copies that were already yielded.
      if (stored.copyOf === undefined && !stored.isReplacement) yield stored;
    }
    if (newest === undefined) return;
    const hasMoved = newest.id !== id;
    id = newest.id;
    if (hasMoved) continue;
    if (!isRunning) return;
    try {
      await clock.sleep(POLL_MS, signal);
    } catch (thrown) {
      if (signal.aborted) return;
      throw thrown;
    }
  }
}

/** Creates a branch: a session that starts with copies of all messages of another one. */
export async function branchSession(
  { store, clock }: { store: SessionStore; clock: Clock },
  sessionId: string,
  source: string,
): Promise<SessionRecord> {
  const startedAt = clock.now();
  return store.branchSession(sessionId, { id: newSessionId(startedAt), source, startedAt });
}

/** Ends a session, unless another process holds it. Returns false if the session does not exist. */
export async function endSessionIfFree(store: SessionStore, sessionId: string, reason: string): Promise<boolean> {
  if ((await store.getSession(sessionId)) === undefined) return false;
  if ((await findHolder(store, sessionId)) === undefined) await store.endSession(sessionId, reason);
  return true;
}
