import { ConfigurationError } from '../../../base/index.ts';
import { sanitiseTitle } from '../../../store/index.ts';
import type { CliIo } from '../cli-io.ts';
import { showable } from '../style.ts';
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
    throw new ConfigurationError('The title has nothing in it that can be seen.', { hint: 'Choose another title.' });
  }
  await withStore(io, async (store) => {
    const { id } = await requireSession(store, reference);
    await store.setSessionTitle(id, title);
    if (json) writeJson(io.stdout, { id, title });
    else io.stdout.write(`Session ${showable(id)} is now called "${title}".\n`);
  });
  return 0;
}
