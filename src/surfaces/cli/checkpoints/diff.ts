import type { CliIo } from '../cli-io.ts';
import { createStyle } from '../style.ts';
import { formatDiff } from '../../text/format-checkpoints.ts';
import { openOwn } from './open.ts';

export async function diffCheckpoint(number: number, paths: readonly string[], io: CliIo): Promise<number> {
  const diff = await (await openOwn(io)).diff(number, { paths });
  const style = createStyle(io.stdout, io.env);
  const isSame = diff.changes.length === 0;
  io.stdout.write(isSame ? `Nothing has changed since checkpoint ${number}.\n` : formatDiff(number, diff, style));
  return 0;
}
