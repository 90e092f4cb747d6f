import { homePaths, readEnvFile, readIfPresent, resolveHome } from '../../../config/index.ts';
import type { CliIo } from '../cli-io.ts';

/** Reads config.yaml; the content is empty if there is no file. */
export async function openConfigFile(io: CliIo): Promise<{ home: string; file: string; content: string }> {
  const home = resolveHome(io.env);
  const { configFile } = homePaths(home);
  return { home, file: configFile, content: (await readIfPresent(configFile)) ?? '' };
}

/** Whether a name is that of an environment variable, which is stored in `.env`. */
export function isVariableName(key: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(key);
}

/** The variables in `.env` that have a value. */
export async function savedVariables(home: string): Promise<[name: string, value: string][]> {
  return Object.entries(await readEnvFile(home)).filter(([, value]) => value !== '');
}

const SHOW = '`hermes config show` lists the known keys.';

/** The hint for an unknown key: the most similar known keys, or where all keys are listed. */
export function keyHint(near: readonly string[], otherwise = SHOW): string {
  return near.length > 0 ? `Did you mean ${near.join(' or ')}?` : otherwise;
}
