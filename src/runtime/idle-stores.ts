import { join } from 'node:path';
import { ConfigurationError } from '../base/index.ts';
import { listProfiles, profileHome } from '../config/index.ts';
import type { RunningTurn } from '../contracts/index.ts';
import { type LeasedDatabase, listFileLeases, lockDatabase } from '../store/sqlite/index.ts';
import { describeHolder, describeProcess, hasHolderDied } from './session-lease.ts';

/** `state.db`, and our own file next to a `state.db` that belongs to a later version of the original. */
const DATABASE_NAMES = ['state.db', 'hermes.db'];

/**
 * Runs a task that replaces or moves home directories. Throws if a turn is running in one of them, and lets no turn
 * start until the task has ended: what a turn stores afterwards would be in a file that nobody looks for.
 */
export async function whileIdle<Value>(homes: readonly string[], task: () => Promise<Value>): Promise<Value> {
  const locked: LeasedDatabase[] = [];
  try {
    for (const file of databasesIn(homes)) locked.push(await lockDatabase(file));
    assertNoTurns(locked.flatMap(({ turns }) => turns));
    return await task();
  } finally {
    for (const database of locked) database.release();
  }
}

/** Throws if a turn is running in one of the home directories. */
export async function assertIdle(homes: readonly string[]): Promise<void> {
  const turns = await Promise.all(databasesIn(homes).map(listFileLeases));
  assertNoTurns(turns.flat());
}

function databasesIn(homes: readonly string[]): string[] {
  return homes.flatMap((home) => DATABASE_NAMES.map((name) => join(home, name)));
}

/** Throws if one of these turns is running. The turns of processes that were killed do not count. */
export function assertNoTurns(turns: readonly RunningTurn[]): void {
  const self = describeProcess('');
  const [first, ...others] = turns.filter((turn) => !hasHolderDied(turn, self));
  if (first === undefined) return;
  const more = others.length === 0 ? '' : ` ${others.length} more turns are running.`;
  throw new ConfigurationError(`${describeHolder(first.sessionId, first)}${more} Nothing was changed.`, {
    hint: 'Wait until the turn has ended, or end that process. Then run this command again.',
  });
}

/** A home directory and the profiles in it. */
export async function homesIn(root: string): Promise<string[]> {
  return (await listProfiles(root)).map((name) => profileHome(root, name));
}
