import type { CliIo } from '../cli-io.ts';
import { showable } from '../style.ts';
import { confirm } from './confirm.ts';
import { counted } from '../../text/counted.ts';
import { writeRemoved } from './write-removed.ts';
import { requireSession, withStore } from './with-store.ts';

export type DeleteOptions = { yes?: boolean; withDescendants?: boolean; json?: boolean };

export async function deleteSession(reference: string, options: DeleteOptions, io: CliIo): Promise<number> {
  const { withDescendants, yes, json } = options;
  return withStore(io, async (store) => {
    const { id, title, messageCount, isBranch } = await requireSession(store, reference);
    const name = title === undefined ? id : `${id} (${title})`;
    const subagents = (await store.getDescendants(id)).filter(({ isDelegated }) => isDelegated).length;
    const ofThem = subagents === 0 ? '' : `, with ${counted(subagents, 'session')} of subagents`;
    const more = withDescendants ? ' and all sessions that go on from it' : ofThem;
    if (!(await confirm(`Delete session ${name}, messages: ${messageCount}${more}?`, yes, io))) return 1;
    const earlier = isBranch ? [] : await store.getAncestors(id);
    writeRemoved(await store.deleteSession(id, { withDescendants }), json, io);
    const [oldest] = earlier;
    if (oldest !== undefined && !json) io.stdout.write(describeEarlier(earlier.length, oldest.id));
    return 0;
  });
}

/** A list shows a conversation once, so whoever deletes what it shows may take that for all of it. */
function describeEarlier(count: number, oldest: string): string {
  const what = count === 1 ? 'The session it went on from is' : `The ${count} sessions it went on from are`;
  return `${what} still there; all together: hermes sessions delete ${showable(oldest)} --with-descendants\n`;
}
