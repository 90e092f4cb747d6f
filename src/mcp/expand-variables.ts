import type { McpServerSettings } from '../config/index.ts';
import { isSecretVariable } from '../environments/index.ts';
import { isSecretName, redactSecrets } from '../util/index.ts';
import { ServerFailure } from './server-failure.ts';

/** Shorter ones are words that stand in any text. */
const SHORTEST = 6;

export type Variables = Readonly<Record<string, string | undefined>>;

/** What besides variables can stand in a text, by name. */
export type Places = { workspaceFolder: string };

const REFERENCE = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/** Fills in `${NAME}`, `${env:NAME}` and `${NAME:-otherwise}`. What is not set is a mistake, never an empty text. */
export function expandText(text: string, variables: Variables, places: Places, where: string): string {
  return text.replace(REFERENCE, (whole, name: string, otherwise: string | undefined) => {
    if (name === 'workspaceFolder') return places.workspaceFolder;
    const value = variables[name] || otherwise;
    if (value !== undefined) return value;
    throw new ServerFailure('settings', `${where} names the variable ${name}, which is not set.`, {
      hint: `Set ${name} in the environment or in .env, or write ${whole.replace(/\}$/, ':-…}')}.`,
    });
  });
}

export function expandValues(
  texts: Readonly<Record<string, string>>,
  variables: Variables,
  places: Places,
  where: string,
): Record<string, string> {
  const filled = Object.entries(texts).map(([key, text]) => [
    key,
    expandText(text, variables, places, `${where}.${key}`),
  ]);
  return Object.fromEntries(filled) as Record<string, string>;
}

/** What a program of others may know of this one: how to find programs and files, and which language to speak. */
const SAFE_NAMES = new Set(
  [
    'PATH HOME USER LOGNAME SHELL TERM LANG LANGUAGE TZ TMPDIR TEMP TMP PWD HOSTNAME DISPLAY',
    'XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS',
    // What Windows needs to start anything at all.
    'APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROGRAMDATA PROGRAMFILES SYSTEMDRIVE SYSTEMROOT USERPROFILE WINDIR',
  ].flatMap((line) => line.split(' ')),
);

/** The variables of a server: the harmless ones of this program, and what its settings name. */
export function serverEnvironment(
  variables: Variables,
  named: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) {
    // A value that begins so is a function of a shell, which would be run.
    if (value !== undefined && (SAFE_NAMES.has(name) || name.startsWith('LC_')) && !value.startsWith('()'))
      kept[name] = value;
  }
  return { ...kept, ...named };
}

/** Takes out of a text what its server was given and nobody else should read. */
export type HideSecrets = (text: string) => string;

/**
 * Servers complain in their own words, and often quote what they were given: no pattern knows that as a secret, but the
 * settings do. Everything else that looks like one is taken out as well.
 */
export function createHideSecrets(
  settings: Pick<McpServerSettings, 'env' | 'headers' | 'args' | 'url' | 'login'>,
  variables: Variables,
): HideSecrets {
  const { env, headers, args, url = '', login } = settings;
  const named = [...Object.entries(env), ...Object.entries(headers)];
  const texts = [...named.map(([, text]) => text), ...args, url];
  const secrets = [
    ...named.flatMap(([name, text]) => secretsIn(name, fillIn(text, variables))),
    ...texts.flatMap((text) => referencesIn(text).flatMap((name) => secretsIn(name, variables[name] ?? ''))),
    login?.clientSecret ?? '',
  ];
  const known = [...new Set(secrets)].filter(({ length }) => length >= SHORTEST).sort((a, b) => b.length - a.length);
  return (text) => redactSecrets(known.reduce((rest, secret) => rest.replaceAll(secret, '***'), text));
}

/** The value, and the last word of it: `Bearer …` is quoted without its first. */
function secretsIn(name: string, value: string): string[] {
  if (!isSecretName(name) && !isSecretVariable(name, value)) return [];
  return [value, value.split(' ').at(-1) ?? ''];
}

/** As it is filled in for the server; what is not set is told where that is done. */
function fillIn(text: string, variables: Variables): string {
  return text.replace(REFERENCE, (_, name: string, otherwise = '') => variables[name] || otherwise);
}

function referencesIn(text: string): string[] {
  return [...text.matchAll(REFERENCE)].map(([, name = '']) => name);
}
