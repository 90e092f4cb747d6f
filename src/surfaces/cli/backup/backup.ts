import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ConfigurationError } from '../../../base/index.ts';
import { findImportLimits, type ImportLimits, resolveHome } from '../../../config/index.ts';
import { unpackBackup, writeBackup } from '../../../runtime/backup/index.ts';
import { assertIdle, homesIn, whileIdle } from '../../../runtime/idle-stores.ts';
import { findStore } from '../../../runtime/open-store.ts';
import { timestampForFileName } from '../../../util/index.ts';
import { counted } from '../../text/counted.ts';
import type { CliIo } from '../cli-io.ts';
import { confirm } from '../sessions/confirm.ts';
import { formatBytes } from '../sessions/format-bytes.ts';
import { storeLocation } from '../sessions/with-store.ts';
import { writeJson } from '../sessions/write-json.ts';
import { printable } from '../style.ts';
import { VERSION } from '../version.ts';

export type BackupCommandOptions = { output?: string; quick?: boolean; json?: boolean };

const MAX_NAMED = 10;

export async function backUpHome(options: BackupCommandOptions, io: CliIo, signal: AbortSignal): Promise<number> {
  const home = resolveHome(io.env);
  if (!(await isPresent(home))) {
    throw new ConfigurationError(`There is nothing to back up: ${home} does not exist.`, {
      hint: 'Select another home directory with HERMES_HOME.',
    });
  }
  const target = resolve(
    io.workingDirectory,
    options.output ?? `hermes-backup-${timestampForFileName(Date.now())}.tar.gz`,
  );
  assertNew(target);
  const report = await writeBackup({ home, target, quick: options.quick ?? false, version: VERSION, signal });
  if (options.json) {
    writeJson(io.stdout, report);
    return 0;
  }
  io.stdout.write(
    printable(`Wrote ${counted(report.files, 'file')} to ${report.file} (${formatBytes(report.bytes)}).\n`),
  );
  if (report.links.length > 0) {
    const named = report.links.slice(0, MAX_NAMED).join(', ');
    const more = report.links.length - MAX_NAMED;
    const others = more > 0 ? ` and ${more} more` : '';
    io.stderr.write(printable(`Not included, because they are links to other locations: ${named}${others}.\n`));
  }
  const location = await findStore(await storeLocation(io));
  if ('database' in location) io.stderr.write(printable(withoutSessions(location.database)));
  io.stderr.write('The backup contains your credentials: store it where only you can read it.\n');
  return 0;
}

/** Throws if the folder cannot be accessed. */
async function isPresent(folder: string): Promise<boolean> {
  try {
    await readdir(folder);
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw thrown;
  }
}

function assertNew(target: string): void {
  const stats = statSync(target, { throwIfNoEntry: false });
  if (stats === undefined) return;
  throw stats.isDirectory()
    ? new ConfigurationError(`${target} is a directory, but -o expects a file.`, {
        hint: `Pass a file name, for example -o ${join(target, 'hermes-backup.tar.gz')}.`,
      })
    : new ConfigurationError(`${target} already exists and was not overwritten.`, {
        hint: 'Pass another file name with -o, or move the file away.',
      });
}

export type ImportCommandOptions = { yes?: boolean; json?: boolean; maxSize?: number; maxRatio?: number };

/** Verifies the backup before asking, and asks before anything is moved. */
export async function importHome(
  given: string,
  options: ImportCommandOptions,
  io: CliIo,
  signal: AbortSignal,
): Promise<number> {
  const home = resolveHome(io.env);
  const file = resolve(io.workingDirectory, given);
  const homes = await homesIn(home);
  // Checked before anything is unpacked or asked, and again when the directory is replaced.
  await assertIdle(homes);
  const unpacked = await unpackBackup({ file, home, limits: await chooseLimits(options, home), signal });
  try {
    const { manifest } = unpacked;
    const what = `${counted(manifest.files.length, 'file')} of ${manifest.createdAt.slice(0, 16).replace('T', ' ')}`;
    const question = `Replace ${home} with this backup (${what})? The current directory is renamed, not deleted.`;
    // The compile cache alone does not count as data.
    const isUsed = (await readdir(home).catch(() => [])).some((name) => name !== 'cache');
    if (isUsed && !(await confirm(question, options.yes, io, `${home} contains data`))) return 1;
    const { kept } = await whileIdle(homes, unpacked.install);
    const old = kept === undefined ? '' : ` The previous home directory was moved to ${kept}.`;
    if (options.json) writeJson(io.stdout, { home, kept, files: manifest.files.length, quick: manifest.quick });
    else io.stdout.write(printable(`Imported ${what} into ${home}.${old}\n`));
    return 0;
  } finally {
    await unpacked.discard();
  }
}

async function chooseLimits({ maxSize, maxRatio }: ImportCommandOptions, home: string): Promise<ImportLimits> {
  const limits = await findImportLimits(home);
  if (maxSize !== undefined) limits.maxBytes = maxSize * 1024 * 1024;
  if (maxRatio !== undefined) limits.maxRatio = maxRatio;
  return limits;
}

/** Sessions in an external store are not part of a backup. */
function withoutSessions(database: string): string {
  return `Sessions are stored in the ${database} and are not part of the backup: save them with pg_dump --schema=hermes or \`hermes sessions export\`.\n`;
}
