import type { JsonValue } from '../../../base/index.ts';
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

/** A value on one line: texts as they are, lists with commas between their entries, everything else as JSON. */
export function formatValue(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((entry) => typeof entry === 'string')) {
    return value.length === 0 ? '[]' : value.join(', ');
  }
  return JSON.stringify(value);
}

const SHOW = '`hermes config show` shows what there is.';

/** What to do about a key that is not there: the nearest ones, or else where all of them are. */
export function keyHint(near: readonly string[], otherwise = SHOW): string {
  return near.length > 0 ? `Did you mean ${near.join(' or ')}?` : otherwise;
}
