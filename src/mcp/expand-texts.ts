import { ServerFailure } from './server-failure.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** What besides variables can stand in a text, by name. */
export type Places = { workspaceFolder: string };

export const REFERENCE = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

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
