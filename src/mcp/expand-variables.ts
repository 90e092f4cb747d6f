import type { McpServerSettings } from '../config/index.ts';
import { isSecretVariable } from '../environments/index.ts';
import { isSecretName, redactSecrets, rememberSecrets } from '../util/index.ts';
import { ServerFailure } from './server-failure.ts';

/** The minimum length of a secret to redact; shorter values occur in ordinary text. */
const MIN_SECRET_LENGTH = 6;

export type Variables = Readonly<Record<string, string | undefined>>;

/** Placeholders that are not environment variables. */
export type Placeholders = { workspaceFolder: string };

const REFERENCE = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/** Expands `${NAME}`, `${env:NAME}` and `${NAME:-default}`. An unset variable is an error, never an empty string. */
export function expandText(text: string, variables: Variables, places: Placeholders, where: string): string {
  return text.replace(REFERENCE, (whole, name: string, otherwise: string | undefined) => {
    if (name === 'workspaceFolder') return places.workspaceFolder;
    const value = variables[name] || otherwise;
    if (value !== undefined) return value;
    throw new ServerFailure('settings', `${where} uses the environment variable ${name}, which is not set.`, {
      hint: `Set ${name} in the environment or in .env, or give a default: ${whole.replace(/\}$/, ':-…}')}.`,
    });
  });
}

export function expandValues(
  texts: Readonly<Record<string, string>>,
  variables: Variables,
  places: Placeholders,
  where: string,
): Record<string, string> {
  const filled = Object.entries(texts).map(([key, text]) => [
    key,
    expandText(text, variables, places, `${where}.${key}`),
  ]);
  return Object.fromEntries(filled) as Record<string, string>;
}

/** Environment variables that are safe to pass to third-party programs. */
const SAFE_NAMES = new Set(
  [
    'PATH HOME USER LOGNAME SHELL TERM LANG LANGUAGE TZ TMPDIR TEMP TMP PWD HOSTNAME DISPLAY',
    'XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS',
    // Required on Windows to start any program.
    'APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROGRAMDATA PROGRAMFILES SYSTEMDRIVE SYSTEMROOT USERPROFILE WINDIR',
  ].flatMap((line) => line.split(' ')),
);

/** The environment of a server: the safe variables of this process, and those in its settings. */
export function serverEnvironment(
  variables: Variables,
  named: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) {
    // A value that begins with `()` is an exported shell function.
    if (value !== undefined && (SAFE_NAMES.has(name) || name.startsWith('LC_')) && !value.startsWith('()'))
      kept[name] = value;
  }
  return { ...kept, ...named };
}

/** Removes from a text the secrets that a server received. */
export type RedactServerSecrets = (text: string) => string;

/**
 * Error messages of servers often quote secrets that they received. No pattern recognizes these, so the values come
 * from the settings. Everything else that looks like a secret is redacted as well.
 */
export function createServerRedactor(
  settings: Pick<McpServerSettings, 'env' | 'headers' | 'args' | 'url' | 'login'>,
  variables: Variables,
): RedactServerSecrets {
  const { env, headers, args, url = '', login } = settings;
  const named = [...Object.entries(env), ...Object.entries(headers)];
  const texts = [...named.map(([, text]) => text), ...args, url];
  const secrets = [
    ...named.flatMap(([name, text]) => secretsIn(name, expandOrEmpty(text, variables))),
    ...texts.flatMap((text) => referencesIn(text).flatMap((name) => secretsIn(name, variables[name] ?? ''))),
    login?.clientSecret ?? '',
  ];
  rememberSecrets(secrets);
  const known = [...new Set(secrets)]
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length);
  return (text) => redactSecrets(known.reduce((rest, secret) => rest.replaceAll(secret, '***'), text));
}

/** The value and its last word, because servers may quote the token of `Bearer …` without the scheme. */
function secretsIn(name: string, value: string): string[] {
  if (!isSecretName(name) && !isSecretVariable(name, value)) return [];
  return [value, value.split(' ').at(-1) ?? ''];
}

/** Expands like `expandText`, but without an error for unset variables. */
function expandOrEmpty(text: string, variables: Variables): string {
  return text.replace(REFERENCE, (_, name: string, otherwise = '') => variables[name] || otherwise);
}

function referencesIn(text: string): string[] {
  return [...text.matchAll(REFERENCE)].map(([, name = '']) => name);
}
