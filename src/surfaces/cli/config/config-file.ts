import { homePaths, readEnvFile, readIfPresent, resolveHome } from '../../../config/index.ts';
import type { CliIo } from '../cli-io.ts';

/** The files of the configuration as they are now. */
export async function openConfigFile(io: CliIo): Promise<{ home: string; file: string; content: string }> {
  const home = resolveHome(io.env);
  const { configFile } = homePaths(home);
  return { home, file: configFile, content: (await readIfPresent(configFile)) ?? '' };
}

/** The names that stand for variables, which are kept in `.env`. */
export function isVariableName(key: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(key);
}

/** The variables of `.env` that have a value. */
export async function savedVariables(home: string): Promise<[name: string, value: string][]> {
  return Object.entries(await readEnvFile(home)).filter(([, value]) => value !== '');
}
