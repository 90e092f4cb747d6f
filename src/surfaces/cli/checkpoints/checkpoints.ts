import { realpathSync } from 'node:fs';
import { createCheckpoints, listDirectories, removeDirectory } from '../../../checkpoints/index.ts';
import { homePaths, loadSettings, readCheckpointSettings, resolveHome } from '../../../config/index.ts';
import type { Checkpoints } from '../../../contracts/index.ts';
import { localTime } from '../../../util/index.ts';
import { counted } from '../../text/counted.ts';
import { formatDiff, formatRecords, formatReport } from '../../text/format-checkpoints.ts';
import type { CliIo } from '../cli-io.ts';
import { confirm } from '../sessions/confirm.ts';
import { formatBytes } from '../sessions/format-bytes.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, printable } from '../style.ts';

export type ListOptions = { all?: boolean; json?: boolean };

export async function listCheckpoints({ all, json }: ListOptions, io: CliIo): Promise<number> {
  if (all) return listAllDirectories(json ?? false, io);
  const records = await (await openCheckpointsHere(io)).list();
  if (json) writeJson(io.stdout, records);
  else if (records.length === 0) {
    io.stdout.write(
      `There are no checkpoints of ${printable(io.workingDirectory)}. Chats started with --checkpoints take them before files are changed.\n`,
    );
  } else io.stdout.write(formatRecords(records, { style: createStyle(io.stdout, io.env) }));
  return 0;
}

async function listAllDirectories(json: boolean, io: CliIo): Promise<number> {
  const kept = (await listDirectories(checkpointsFolder(io))).toReversed();
  const rows = kept.map(({ paths, bytes, usedAt }) => ({ directory: paths.directory, bytes, usedAt }));
  if (json) writeJson(io.stdout, rows);
  else if (rows.length === 0) io.stdout.write('There are no checkpoints.\n');
  else {
    for (const { directory, bytes, usedAt } of rows) {
      io.stdout.write(`${localTime(usedAt)}  ${formatBytes(bytes).padStart(9)}  ${printable(directory)}\n`);
    }
  }
  return 0;
}

export async function diffCheckpoint(number: number, paths: readonly string[], io: CliIo): Promise<number> {
  const diff = await (await openCheckpointsHere(io)).diff(number, { paths });
  io.stdout.write(formatDiff(number, diff, createStyle(io.stdout, io.env)));
  return 0;
}

export type RestoreOptions = { yes?: boolean };

/** Shows the diff before it asks for confirmation. */
export async function restoreCheckpoint(
  number: number,
  paths: readonly string[],
  { yes }: RestoreOptions,
  io: CliIo,
): Promise<number> {
  const checkpoints = await openCheckpointsHere(io);
  const style = createStyle(io.stdout, io.env);
  const diff = await checkpoints.diff(number, { paths });
  const isSame = diff.changes.length === 0;
  if (isSame || !yes) io.stdout.write(formatDiff(number, diff, style));
  if (isSame) return 0;
  if (!(await confirm(`Restore checkpoint ${number}?`, yes, io, 'This overwrites files'))) return 1;
  const again = (before: number) => `\`hermes checkpoints restore ${before}\``;
  io.stdout.write(formatReport(number, await checkpoints.restore(number, { paths }), style, again));
  return 0;
}

export async function pruneCheckpoints(io: CliIo, signal: AbortSignal): Promise<number> {
  const checkpoints = await openCheckpointsHere(io);
  await checkpoints.prune(signal);
  io.stdout.write(`Old checkpoints were pruned; this directory has ${(await checkpoints.list()).length}.\n`);
  return 0;
}

export type ClearOptions = { all?: boolean; yes?: boolean };

export async function clearCheckpoints({ all, yes }: ClearOptions, io: CliIo): Promise<number> {
  const own = realpathSync(io.workingDirectory);
  const kept = (await listDirectories(checkpointsFolder(io))).filter(({ paths }) => all || paths.directory === own);
  if (kept.length === 0) {
    io.stdout.write(`There are no checkpoints${all ? '' : ` of ${printable(own)}`}.\n`);
    return 0;
  }
  const bytes = formatBytes(kept.reduce((sum, one) => sum + one.bytes, 0));
  const what = all ? counted(kept.length, 'directory', 'directories') : printable(own);
  if (!(await confirm(`Delete all checkpoints of ${what} (${bytes})?`, yes, io))) return 1;
  const removed = await Promise.all(kept.map(({ paths }) => removeDirectory(paths)));
  const busy = removed.filter((done) => !done).length;
  io.stdout.write(
    `Deleted the checkpoints of ${what}${busy === 0 ? '' : `; ${busy} are in use and were not deleted`}.\n`,
  );
  return busy === 0 ? 0 : 1;
}

function checkpointsFolder({ env }: CliIo): string {
  return homePaths(resolveHome(env)).checkpointsFolder;
}

/** Opens the checkpoints of the current working directory. */
async function openCheckpointsHere(io: CliIo): Promise<Checkpoints> {
  const home = resolveHome(io.env);
  const { checkpoints = readCheckpointSettings(undefined) } = await loadSettings({ home, env: io.env });
  return createCheckpoints({ ...checkpoints, folder: checkpointsFolder(io), home, directory: io.workingDirectory });
}
