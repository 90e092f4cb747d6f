import * as prompts from '@clack/prompts';
import { openStore } from '../../../runtime/open-store.ts';
import { importFromOriginal, type OriginalDatabase } from '../../../store/sqlite/index.ts';
import { counted } from '../../text/counted.ts';
import type { CliIo } from '../cli-io.ts';
import { printable } from '../style.ts';
import { formatImport, withImportProgress } from './report-import.ts';
import { readShownNotices, recordShown } from './shown-notices.ts';
import { importCommand } from './start-notices.ts';

/**
 * Offers to import the sessions of a later version of the original, once per version. A signal ends the process: each
 * session is stored by itself, and the next import continues. Returns whether the question was asked.
 */
export async function offerImport(io: CliIo, home: string, database: OriginalDatabase): Promise<boolean> {
  const { file, schema, missing } = database;
  if (missing === 0 || (await readShownNotices(home)).sessionsOffered === String(schema)) return false;
  const answer = await prompts.select({
    message:
      `This home directory has ${counted(missing, 'session')} of the original Hermes (${printable(file)}, schema ${schema}). ` +
      'Import them? The file is not changed.',
    options: [
      { value: 'import', label: 'Import them', hint: 'can be interrupted and continued' },
      { value: 'later', label: 'Not now', hint: printable(importCommand(database)) },
    ],
  });
  if (answer === 'import') {
    const store = await openStore({ home });
    try {
      const tally = await withImportProgress(io, (onProgress) => importFromOriginal(store, file, { onProgress }));
      io.stdout.write(formatImport(tally));
    } finally {
      await store.close();
    }
  }
  const answered = String(schema);
  if (!prompts.isCancel(answer)) await recordShown(home, { sessionsOffered: answered, sessionsMentioned: answered });
  return true;
}
