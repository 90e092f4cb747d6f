import { homePaths, resolveHome } from '../../../config/index.ts';
import type { CliIo } from '../cli-io.ts';

export type PathOptions = { env?: boolean };

export async function showConfigPath({ env }: PathOptions, io: CliIo): Promise<number> {
  const { configFile, envFile } = homePaths(resolveHome(io.env));
  io.stdout.write(`${env ? envFile : configFile}\n`);
  return 0;
}
