import type { CliIo } from '../cli-io.ts';
import { openOwn } from './open.ts';

export async function pruneCheckpoints(io: CliIo, signal: AbortSignal): Promise<number> {
  const checkpoints = await openOwn(io);
  await checkpoints.prune(signal);
  io.stdout.write(
    `The checkpoints are within their limits; this directory has ${(await checkpoints.list()).length}.\n`,
  );
  return 0;
}
