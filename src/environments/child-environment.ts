import { looksLikeKey } from '../util/index.ts';

/** Names that say they hold a secret, and names that only sound like it. */
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW(?:OR)?D|PASSPHRASE|CREDENTIAL|_PAT$|^HERMES_DATABASE_URL$/i;
const HARMLESS_NAME =
  /^(?:TOKENIZERS_PARALLELISM|GNOME_KEYRING_\w+|KEYTIMEOUT|SSH_AUTH_SOCK|SSH_ASKPASS|\w*KEYBOARD\w*)$/i;
/** Files that a shell without a terminal would run before the command. */
const SHELL_START_UP = new Set(['BASH_ENV', 'ENV']);

/** The environment a command gets: that of this process without anything that looks like a secret, unless it is wanted. */
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

/** Whether a variable holds a secret, by its name or by what its value looks like. */
export function isSecretVariable(name: string, value: string): boolean {
  return (SECRET_NAME.test(name) && !HARMLESS_NAME.test(name)) || looksLikeKey(value);
}
