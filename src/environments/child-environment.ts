import { isSecretVariableName, looksLikeKey } from '../util/index.ts';

/** Variables that name a start-up file, which a non-interactive shell would run before the command. */
const SHELL_START_UP = new Set(['BASH_ENV', 'ENV']);

/** The environment variables of a command: those of this process without secrets, except the ones in `passed`. */
export function childEnvironment(
  source: Readonly<Record<string, string | undefined>>,
  passed: readonly string[] = [],
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined || SHELL_START_UP.has(name)) continue;
    if (isSecretVariable(name, value) && !passed.includes(name)) continue;
    kept[name] = value;
  }
  return kept;
}

/** Whether a variable holds a secret, judged by its name or the format of its value. */
export function isSecretVariable(name: string, value: string): boolean {
  return isSecretVariableName(name) || looksLikeKey(value);
}
