import { realpathSync } from 'node:fs';
import { listDirectories, removeDirectory } from '../../../checkpoints/index.ts';
import { counted } from '../../text/counted.ts';
import type { CliIo } from '../cli-io.ts';
import { confirm } from '../sessions/confirm.ts';
import { formatBytes } from '../sessions/format-bytes.ts';
import { showable } from '../style.ts';
import { checkpointsFolder } from './open.ts';

export type ClearOptions = { all?: boolean; yes?: boolean };

export async function clearCheckpoints({ all, yes }: ClearOptions, io: CliIo): Promise<number> {
  const own = realpathSync(io.workingDirectory);
  const kept = (await listDirectories(checkpointsFolder(io))).filter(({ place }) => all || place.directory === own);
  if (kept.length === 0) {
    io.stdout.write(`There are no checkpoints${all ? '' : ` of ${showable(own)}`}.\n`);
    return 0;
  }
  const bytes = formatBytes(kept.reduce((sum, one) => sum + one.bytes, 0));
  const what = all ? counted(kept.length, 'directory', 'directories') : showable(own);
  if (!(await confirm(`Delete all checkpoints of ${what} (${bytes})?`, yes, io))) return 1;
  const removed = await Promise.all(kept.map(({ place }) => removeDirectory(place)));
  const busy = removed.filter((done) => !done).length;
  io.stdout.write(`Deleted the checkpoints of ${what}${busy === 0 ? '' : `; ${busy} are in use and stay`}.\n`);
  return busy === 0 ? 0 : 1;
}
