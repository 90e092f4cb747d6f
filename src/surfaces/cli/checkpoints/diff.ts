import type { CliIo } from '../cli-io.ts';
import { createStyle } from '../style.ts';
import { formatDiff } from '../../text/format-checkpoints.ts';
import { openOwn } from './open.ts';

export async function diffCheckpoint(number: number, paths: readonly string[], io: CliIo): Promise<number> {
  const diff = await (await openOwn(io)).diff(number, { paths });
  io.stdout.write(formatDiff(number, diff, createStyle(io.stdout, io.env)));
  return 0;
}
