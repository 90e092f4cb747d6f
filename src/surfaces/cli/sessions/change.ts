import { ConfigurationError, systemClock } from '../../../base/index.ts';
import type { RemovedSessions } from '../../../contracts/index.ts';
import { sanitiseTitle } from '../../../store/index.ts';
import { counted } from '../../text/counted.ts';
import type { CliIo } from '../cli-io.ts';
import { printable } from '../style.ts';
import { confirm } from './confirm.ts';
import { requireSession, withStore } from './with-store.ts';
import { writeJson } from './write-json.ts';

export async function renameSession(
  reference: string,
  wanted: string,
  { json }: { json?: boolean },
  io: CliIo,
): Promise<number> {
  const title = sanitiseTitle(wanted);
  if (title === undefined) {
    throw new ConfigurationError('The title contains no visible characters.', { hint: 'Choose another title.' });
  }
  await withStore(io, async (store) => {
    const { id } = await requireSession(store, reference);
    await store.setSessionTitle(id, title);
    if (json) writeJson(io.stdout, { id, title });
    else io.stdout.write(`Renamed session ${printable(id)} to "${title}".\n`);
  });
  return 0;
}

export type DeleteOptions = { yes?: boolean; withDescendants?: boolean; json?: boolean };

export async function deleteSession(reference: string, options: DeleteOptions, io: CliIo): Promise<number> {
  const { withDescendants, yes, json } = options;
  return withStore(io, async (store) => {
    const { id, title, messageCount, isBranch } = await requireSession(store, reference);
    const name = title === undefined ? id : `${id} (${title})`;
    const subagents = (await store.getDescendants(id)).filter(({ isDelegated }) => isDelegated).length;
    const ofThem = subagents === 0 ? '' : `, with ${counted(subagents, 'subagent session')}`;
    const more = withDescendants ? ' and all sessions that continue it' : ofThem;
    if (!(await confirm(`Delete session ${name}, messages: ${messageCount}${more}?`, yes, io))) return 1;
    const earlier = isBranch ? [] : await store.getAncestors(id);
    writeRemoved(await store.deleteSession(id, { withDescendants }), json, io);
    const [oldest] = earlier;
    if (oldest !== undefined && !json) io.stdout.write(describeEarlier(earlier.length, oldest.id));
    return 0;
  });
}

/** A list shows a lineage once, so users may expect the earlier sessions to be deleted too. */
function describeEarlier(count: number, oldest: string): string {
  const what = count === 1 ? 'The session it continued still exists' : `The ${count} sessions it continued still exist`;
  return `${what}; to delete all of them, run: hermes sessions delete ${printable(oldest)} --with-descendants\n`;
}

export type PruneOptions = { olderThan: number; source?: string; yes?: boolean; json?: boolean };

const DAY_MS = 86_400_000;

/** Deletes ended sessions without activity for a number of days. */
export async function pruneSessions(options: PruneOptions, io: CliIo): Promise<number> {
  const { olderThan, source, yes, json } = options;
  const which = source === undefined ? 'sessions' : `sessions from ${source}`;
  const question = `Delete all ended ${which} without activity for ${olderThan} days or more?`;
  if (!(await confirm(question, yes, io))) return 1;
  const inactiveSince = systemClock.now() - olderThan * DAY_MS;
  writeRemoved(await withStore(io, (store) => store.pruneSessions({ inactiveSince, source })), json, io);
  return 0;
}

function writeRemoved(removed: RemovedSessions, json: boolean | undefined, io: CliIo): void {
  if (json) return writeJson(io.stdout, removed);
  const { sessionIds, messages } = removed;
  const sentence = `Deleted ${counted(sessionIds.length, 'session')} with ${counted(messages, 'message')}.`;
  io.stdout.write(sessionIds.length === 0 ? 'No sessions to delete.\n' : `${sentence}\n`);
}
