import { mkdtemp, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ConfigurationError, errorMessage, HermesError } from '../../../base/index.ts';
import { loadSettings, resolveHome } from '../../../config/index.ts';
import type { MemoryTarget } from '../../../contracts/index.ts';
import { checkMemoryText, openMemoryFiles } from '../../../runtime/memory/index.ts';
import type { CliIo } from '../cli-io.ts';
import { showable } from '../style.ts';
import { findEditor, runEditor } from './run-editor.ts';

/**
 * Has the person edit a copy, and puts it in the place of the file where nothing else was written meanwhile. What they
 * wrote is never thrown away: where it cannot be used, the copy stays and its place is said.
 */
export async function editMemory(target: MemoryTarget, io: CliIo, signal: AbortSignal): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const files = openMemoryFiles(settings);
  const file = files.fileOf(target);
  const before = await files.read(target);
  // One that can be read but not understood is what the person may want to mend.
  if ('unusable' in before && before.bytes === undefined) {
    throw new ConfigurationError(`${file} ${before.unusable}.`, { hint: 'Move it aside and try again.' });
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
    if (fault !== undefined) throw kept(`What you wrote ${fault}, so it was not saved.`, copy);
    if (!(await files.replace(target, before.bytes, written))) {
      throw kept(`${file} was changed by someone else while you were editing.`, copy);
    }
    io.stdout.write(`Saved ${showable(file)}; new sessions see it.\n`);
    for (const warning of warnings) io.stderr.write(`hermes: ${showable(warning)}\n`);
  }
  await rm(folder, { recursive: true, force: true });
  return 0;
}

/** An editor, or the person in it, may well take the copy away or put something else in its place. */
async function readCopy(copy: string, file: string): Promise<Buffer> {
  try {
    return await readFile(copy);
  } catch (thrown) {
    // Only where it is empty: something of the person's may lie there under another name.
    await rmdir(dirname(copy)).catch(() => undefined);
    throw new HermesError(`The editor left nothing that can be read: ${errorMessage(thrown)}. Nothing was saved.`, {
      hint: `${file} is as it was.`,
    });
  }
}

function kept(message: string, copy: string): HermesError {
  return new HermesError(message, { hint: `Your text is in ${copy}.` });
}
