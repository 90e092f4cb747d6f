import { systemClock } from '../../../base/index.ts';
import { branchSession } from '../../../runtime/index.ts';
import type { CliIo } from '../cli-io.ts';
import { showable } from '../style.ts';
import { requireSession, withStore } from './with-store.ts';
import { writeJson } from './write-json.ts';

/** Makes a session that begins with all messages of another and goes its own way from there. */
export async function makeBranch(reference: string, { json }: { json?: boolean }, io: CliIo): Promise<number> {
  await withStore(io, async (store) => {
    const parent = await requireSession(store, reference);
    const { id, title } = await branchSession({ store, clock: systemClock }, parent.id, 'cli');
    const messages = (await store.getMessages(id)).length;
    if (json) return writeJson(io.stdout, { id, title, parentSessionId: parent.id, messages });
    const name = title === undefined ? '' : ` "${showable(title)}"`;
    io.stdout.write(`Made a branch of ${showable(parent.id)}:\n${id}${name}\nGo on with: hermes --resume ${id}\n`);
  });
  return 0;
}
