import { systemClock } from '../../../base/index.ts';
import type { CliIo } from '../cli-io.ts';
import { confirm } from './confirm.ts';
import { writeRemoved } from './write-removed.ts';
import { withStore } from './with-store.ts';

export type PruneOptions = { olderThan: number; source?: string; yes?: boolean; json?: boolean };

const DAY_MS = 86_400_000;

/** Deletes sessions that ended and in which nothing happened for some days. */
export async function pruneSessions(options: PruneOptions, io: CliIo): Promise<number> {
  const { olderThan, source, yes, json } = options;
  const which = source === undefined ? 'sessions' : `sessions from ${source}`;
  const question = `Delete all ended ${which} in which nothing happened for ${olderThan} days or more?`;
  if (!(await confirm(question, yes, io))) return 1;
  const inactiveSince = systemClock.now() - olderThan * DAY_MS;
  writeRemoved(await withStore(io, (store) => store.pruneSessions({ inactiveSince, source })), json, io);
  return 0;
}
