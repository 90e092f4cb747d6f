import { createCheckpoints } from '../../../checkpoints/index.ts';
import { homePaths, loadSettings, readCheckpointSettings, resolveHome } from '../../../config/index.ts';
import type { Checkpoints } from '../../../contracts/index.ts';
import type { CliIo } from '../cli-io.ts';

export function checkpointsFolder({ env }: CliIo): string {
  return homePaths(resolveHome(env)).checkpointsFolder;
}

/** Those of the directory that the command was called in. */
export async function openOwn(io: CliIo): Promise<Checkpoints> {
  const home = resolveHome(io.env);
  const { checkpoints = readCheckpointSettings(undefined) } = await loadSettings({ home, env: io.env });
  return createCheckpoints({ ...checkpoints, folder: checkpointsFolder(io), home, directory: io.workingDirectory });
}
