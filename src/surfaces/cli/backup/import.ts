import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { resolveHome } from '../../../config/index.ts';
import { unpackBackup } from '../../../runtime/backup/index.ts';
import type { CliIo } from '../cli-io.ts';
import { confirm } from '../sessions/confirm.ts';
import { counted } from '../../text/counted.ts';
import { writeJson } from '../sessions/write-json.ts';
import { showable } from '../style.ts';

export type ImportCommandOptions = { yes?: boolean; json?: boolean };

/** Checks a backup before anything is asked, and asks before anything is moved. */
export async function importHome(
  given: string,
  options: ImportCommandOptions,
  io: CliIo,
  signal: AbortSignal,
): Promise<number> {
  const home = resolveHome(io.env);
  const file = resolve(io.workingDirectory, given);
  const unpacked = await unpackBackup(file, home, signal);
  try {
    const { manifest } = unpacked;
    const what = `${counted(manifest.files.length, 'file')} of ${manifest.createdAt.slice(0, 16).replace('T', ' ')}`;
    const question = `Put this backup (${what}) in the place of ${home}? What is there now is kept beside it.`;
    // What the program itself keeps of its own code is nobody's loss.
    const isUsed = (await readdir(home).catch(() => [])).some((name) => name !== 'cache');
    if (isUsed && !(await confirm(question, options.yes, io, `${home} is in use`))) return 1;
    const { kept } = await unpacked.place();
    const old = kept === undefined ? '' : ` What was there is in ${kept}.`;
    if (options.json) writeJson(io.stdout, { home, kept, files: manifest.files.length, quick: manifest.quick });
    else io.stdout.write(showable(`Imported ${what} into ${home}.${old}\n`));
    return 0;
  } finally {
    await unpacked.discard();
  }
}
