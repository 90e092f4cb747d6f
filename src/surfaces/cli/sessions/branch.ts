import { systemClock } from '../../../base/index.ts';
import { branchSession } from '../../../runtime/index.ts';
import type { CliIo } from '../cli-io.ts';
import { printable } from '../style.ts';
import { requireSession, withStore } from './with-store.ts';
import { writeJson } from './write-json.ts';

/** Creates a session that starts with all messages of another one and continues independently. */
export async function makeBranch(reference: string, { json }: { json?: boolean }, io: CliIo): Promise<number> {
  await withStore(io, async (store) => {
    const parent = await requireSession(store, reference);
    const { id, title } = await branchSession({ store, clock: systemClock }, parent.id, 'cli');
    const messages = (await store.getMessages(id)).length;
    if (json) return writeJson(io.stdout, { id, title, parentSessionId: parent.id, messages });
    const name = title === undefined ? '' : ` "${printable(title)}"`;
    io.stdout.write(
      `Created a branch of ${printable(parent.id)}:\n${id}${name}\nContinue with: hermes --resume ${id}\n`,
    );
  });
  return 0;
}
