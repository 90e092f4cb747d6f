import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HermesError } from '../../../base/index.ts';
import { checkFile } from '../../../config/keys/index.ts';
import { ensurePrivateFolder, writeFileAtomic } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { findEditor, runEditor } from '../memory/run-editor.ts';
import { showable } from '../style.ts';
import { openConfigFile } from './config-file.ts';

/**
 * Has the person edit a copy, and puts it in the place of the file where it can be read and nobody else wrote meanwhile.
 * What they wrote is never thrown away: where it cannot be used, the copy stays and its place is said.
 */
export async function editConfigFile(io: CliIo, signal: AbortSignal): Promise<number> {
  const { home, file, content } = await openConfigFile(io);
  const editor = findEditor(io, 'hermes config edit');
  const folder = await mkdtemp(join(tmpdir(), 'hermes-config-'));
  const copy = join(folder, 'config.yaml');
  await writeFile(copy, content, { mode: 0o600 });
  await runEditor(editor, copy, io, signal);
  const written = await readFile(copy, 'utf8');
  if (written === content) {
    io.stdout.write('Nothing was changed.\n');
  } else {
    await requireSound(copy, written, file);
    if ((await openConfigFile(io)).content !== content) {
      throw kept(`${file} was changed by someone else while you were editing.`, copy, file);
    }
    await ensurePrivateFolder(home);
    await writeFileAtomic(file, written);
    io.stdout.write(showable(`Saved ${file}.\n`));
    for (const { line, message, hint } of checkFile(file, written)) {
      io.stderr.write(showable(`hermes: line ${line}: ${[message, hint].filter(Boolean).join(' ')}\n`));
    }
  }
  await rm(folder, { recursive: true, force: true });
  return 0;
}

async function requireSound(copy: string, written: string, file: string): Promise<void> {
  const fault = checkFile(copy, written).find(({ status }) => status === 'wrong');
  if (fault === undefined) return;
  const place = fault.line === undefined ? '' : `line ${fault.line}: `;
  throw kept(`It was not saved: ${place}${fault.message}`, copy, file);
}

function kept(message: string, copy: string, file: string): HermesError {
  return new HermesError(message, { hint: `Your text is in ${copy}; ${file} is as it was.` });
}
