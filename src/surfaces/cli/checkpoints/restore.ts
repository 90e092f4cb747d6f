import type { CliIo } from '../cli-io.ts';
import { confirm } from '../sessions/confirm.ts';
import { createStyle } from '../style.ts';
import { formatDiff, formatReport } from '../../text/format-checkpoints.ts';
import { openOwn } from './open.ts';

export type RestoreOptions = { yes?: boolean };

/** The diff comes first, so that whoever says yes knows to what. */
export async function restoreCheckpoint(
  number: number,
  paths: readonly string[],
  { yes }: RestoreOptions,
  io: CliIo,
): Promise<number> {
  const checkpoints = await openOwn(io);
  const style = createStyle(io.stdout, io.env);
  const diff = await checkpoints.diff(number, { paths });
  const isSame = diff.changes.length === 0;
  if (isSame || !yes) io.stdout.write(formatDiff(number, diff, style));
  if (isSame) return 0;
  if (!(await confirm(`Go back to checkpoint ${number}?`, yes, io, 'This changes your files'))) return 1;
  const again = (before: number) => `\`hermes checkpoints restore ${before}\``;
  io.stdout.write(formatReport(number, await checkpoints.restore(number, { paths }), style, again));
  return 0;
}
