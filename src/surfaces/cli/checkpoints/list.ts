import { listDirectories } from '../../../checkpoints/index.ts';
import { localTime } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { formatBytes } from '../sessions/format-bytes.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, showable } from '../style.ts';
import { formatRecords } from '../../text/format-checkpoints.ts';
import { checkpointsFolder, openOwn } from './open.ts';

export type ListOptions = { all?: boolean; json?: boolean };

export async function listCheckpoints({ all, json }: ListOptions, io: CliIo): Promise<number> {
  if (all) return listEverywhere(json ?? false, io);
  const records = await (await openOwn(io)).list();
  if (json) writeJson(io.stdout, records);
  else if (records.length === 0) {
    io.stdout.write(
      `There are no checkpoints of ${showable(io.workingDirectory)}. Chats with --checkpoints take them before files change.\n`,
    );
  } else io.stdout.write(formatRecords(records, { style: createStyle(io.stdout, io.env) }));
  return 0;
}

async function listEverywhere(json: boolean, io: CliIo): Promise<number> {
  const kept = (await listDirectories(checkpointsFolder(io))).toReversed();
  const rows = kept.map(({ place, bytes, usedAt }) => ({ directory: place.directory, bytes, usedAt }));
  if (json) writeJson(io.stdout, rows);
  else if (rows.length === 0) io.stdout.write('There are no checkpoints.\n');
  else {
    for (const { directory, bytes, usedAt } of rows) {
      io.stdout.write(`${localTime(usedAt)}  ${formatBytes(bytes).padStart(9)}  ${showable(directory)}\n`);
    }
  }
  return 0;
}
