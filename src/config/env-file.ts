import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { ConfigurationError, errorMessage } from '../base/index.ts';
import { ensurePrivateFolder, writeFileAtomic } from '../util/index.ts';
import { type EnvironmentVariables, homePaths } from './paths.ts';

/** The variables of `$HERMES_HOME/.env`. They are handed on as values and never put into `process.env`. */
export async function readEnvFile(home: string): Promise<Record<string, string>> {
  const content = await readIfPresent(homePaths(home).envFile);
  return content === undefined ? {} : (parseEnv(content) as Record<string, string>);
}

/**
 * `.env` over the environment: what was saved wins over an export that is left in some shell. An empty line in the
 * file does not hide a variable.
 */
export function mergeVariables(
  env: EnvironmentVariables,
  saved: Readonly<Record<string, string>>,
): EnvironmentVariables {
  const filled = Object.entries(saved).filter(([, value]) => value !== '');
  return { ...env, ...Object.fromEntries(filled) };
}

/** Saves variables and leaves every other line as it is. The file is readable by its owner only. */
export async function updateEnvFile(home: string, changes: Readonly<Record<string, string>>): Promise<void> {
  const file = homePaths(home).envFile;
  let content = (await readIfPresent(file)) ?? '';
  for (const [name, value] of Object.entries(changes)) content = replaceLine(content, name, value);
  await ensurePrivateFolder(home);
  await writeFileAtomic(file, content, { mode: 0o600 });
}

/** The content of a file; undefined where there is none. Anything else that keeps it from being read is an error. */
export async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ConfigurationError(`${file} cannot be read: ${errorMessage(thrown)}.`, {
      hint: 'Make it a file that you may read, or remove it.',
      cause: thrown,
    });
  }
}

function replaceLine(content: string, name: string, value: string): string {
  const line = `${name}=${quote(name, value)}`;
  const existing = new RegExp(`^(?:export\\s+)?${name}\\s*=.*$`, 'm');
  // A function, because `$` in a replacement text has a meaning of its own.
  if (existing.test(content)) return content.replace(existing, () => line);
  const separator = content === '' || content.endsWith('\n') ? '' : '\n';
  return `${content}${separator}${line}\n`;
}

function quote(name: string, value: string): string {
  if (/^[\w.:/+@%=-]*$/.test(value)) return value;
  const mark = ["'", '"', '`'].find((candidate) => !value.includes(candidate));
  if (mark === undefined || /[\r\n]/.test(value)) {
    throw new ConfigurationError(`The value for ${name} cannot be saved: it has line breaks or every kind of quote.`);
  }
  return `${mark}${value}${mark}`;
}
