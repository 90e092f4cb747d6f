import type { CliIo } from '../cli-io.ts';
import { confirm } from './confirm.ts';
import { writeRemoved } from './write-removed.ts';
import { requireSession, withStore } from './with-store.ts';

export type DeleteOptions = { yes?: boolean; withDescendants?: boolean; json?: boolean };

export async function deleteSession(reference: string, options: DeleteOptions, io: CliIo): Promise<number> {
  const { withDescendants, yes, json } = options;
  return withStore(io, async (store) => {
    const { id, title, messageCount } = await requireSession(store, reference);
    const name = title === undefined ? id : `${id} (${title})`;
    const more = withDescendants ? ' and all sessions that go on from it' : '';
    if (!(await confirm(`Delete session ${name}, messages: ${messageCount}${more}?`, yes, io))) return 1;
    writeRemoved(await store.deleteSession(id, { withDescendants }), json, io);
    return 0;
  });
}
