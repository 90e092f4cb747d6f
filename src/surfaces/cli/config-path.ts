import { homePaths, resolveHome } from '../../config/index.ts';
import type { CliIo } from './cli-io.ts';

export function showConfigPath(io: CliIo): number {
  io.stdout.write(`${homePaths(resolveHome(io.env)).configFile}\n`);
  return 0;
}
