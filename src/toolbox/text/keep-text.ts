import { dirname } from 'node:path';
import { errorMessage } from '../../base/index.ts';
import type { ToolContext } from '../../contracts/index.ts';
import { ensurePrivateFolder, writeFileAtomic } from '../../util/index.ts';

/** Keeps the whole of a text that is shown in part; a full disk must not cost the model its result. */
export async function keepText(text: string, { spillFile, logger }: ToolContext): Promise<string | undefined> {
  const file = spillFile();
  if (file === undefined) return undefined;
  try {
    await ensurePrivateFolder(dirname(file));
    await writeFileAtomic(file, text, { mode: 0o600 });
    return file;
  } catch (thrown) {
    logger.warn('a long text could not be saved', { file, error: errorMessage(thrown) });
    return undefined;
  }
}
