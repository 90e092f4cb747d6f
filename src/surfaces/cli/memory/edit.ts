import { mkdtemp, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ConfigurationError, errorMessage, HermesError } from '../../../base/index.ts';
import { loadSettings, resolveHome } from '../../../config/index.ts';
import type { MemoryTarget } from '../../../contracts/index.ts';
import { checkMemoryText, openMemoryFiles } from '../../../runtime/memory/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeNotice } from '../report-error.ts';
import { printable } from '../style.ts';
import { findEditor, runEditor } from './run-editor.ts';

/**
 * Opens a copy in the editor, and replaces the file if it has not changed since. Otherwise the copy is kept and its
 * path is printed, so the user's text is never lost.
 */
export async function editMemory(target: MemoryTarget, io: CliIo, signal: AbortSignal): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const files = openMemoryFiles(settings);
  const file = files.fileOf(target);
  const before = await files.read(target);
  // A file that is readable but invalid can still be edited, so that the user can correct it.
  if ('unusable' in before && before.bytes === undefined) {
    throw new ConfigurationError(`${file} ${before.unusable}.`, { hint: 'Move the file and try again.' });
  }
  const editor = findEditor(io, 'hermes memory edit');
  const folder = await mkdtemp(join(tmpdir(), 'hermes-memory-'));
  const copy = join(folder, files.nameOf(target));
  await writeFile(copy, before.bytes ?? '', { mode: 0o600 });
  await runEditor(editor, copy, io, signal);
  const written = await readCopy(copy, file);
  if (written.equals(before.bytes ?? Buffer.alloc(0))) {
    io.stdout.write('Nothing was changed.\n');
  } else {
    const { fault, warnings } = await checkMemoryText(files, target, written);
    if (fault !== undefined) throw editNotSaved(`Not saved: your text ${fault}.`, copy);
    if (!(await files.replace(target, before.bytes, written))) {
      throw editNotSaved(`${file} was changed by another program while you were editing.`, copy);
    }
    io.stdout.write(`Saved ${printable(file)}; new sessions use it.\n`);
    for (const warning of warnings) writeNotice(io, warning);
  }
  await rm(folder, { recursive: true, force: true });
  return 0;
}

/** The editor or the user may have deleted or replaced the copy. */
async function readCopy(copy: string, file: string): Promise<Buffer> {
  try {
    return await readFile(copy);
  } catch (thrown) {
    // Removes the folder only if it is empty, because the user may have saved something there under another name.
    await rmdir(dirname(copy)).catch(() => undefined);
    throw new HermesError(`Cannot read the edited file: ${errorMessage(thrown)}. Nothing was saved.`, {
      hint: `${file} was not changed.`,
    });
  }
}

function editNotSaved(message: string, copy: string): HermesError {
  return new HermesError(message, { hint: `Your text is in ${copy}.` });
}
