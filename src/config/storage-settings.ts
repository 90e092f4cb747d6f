import { mergeVariables, readEnvFile, readIfPresent } from './env-file.ts';
import { type EnvironmentVariables, homePaths } from './paths.ts';
import type { ConfigFile } from './schema.ts';

/** `storage.*`: the database that sessions are in, where that is no file of the home. */
export type StorageSettings = {
  /** With the password in it: never shown, only handed on to whoever connects. */
  url: string;
  poolSize: number;
  connectSeconds: number;
  statementSeconds: number;
};

export const DEFAULT_STORAGE = { poolSize: 4, connectSeconds: 10, statementSeconds: 60 } as const;

/** Undefined where nothing is said: the file of the home. The variable counts where the file says nothing. */
export function readStorageSettings(
  section: ConfigFile['storage'],
  variables: EnvironmentVariables,
): StorageSettings | undefined {
  const url = fillIn(section?.url, variables) ?? (variables['HERMES_DATABASE_URL']?.trim() || undefined);
  if (url === undefined) return undefined;
  return {
    url,
    poolSize: section?.pool_size ?? DEFAULT_STORAGE.poolSize,
    connectSeconds: section?.connect_timeout ?? DEFAULT_STORAGE.connectSeconds,
    statementSeconds: section?.statement_timeout ?? DEFAULT_STORAGE.statementSeconds,
  };
}

/**
 * For commands that only look into sessions: what is wrong with the rest of a file must not keep them from it, so that it
 * is read only where it can be about storage.
 */
export async function findStorage(options: {
  home: string;
  env: EnvironmentVariables;
}): Promise<StorageSettings | undefined> {
  const { configFile } = homePaths(options.home);
  const [content = '', saved] = await Promise.all([readIfPresent(configFile), readEnvFile(options.home)]);
  const variables = mergeVariables(options.env, saved);
  if (!content.includes('storage')) return readStorageSettings(undefined, variables);
  const { values } = await (await import('./read-config.ts')).readConfig(configFile, content);
  return readStorageSettings(values.storage, variables);
}

/** `${NAME}` is a variable, so that the password need not stand in the file. */
function fillIn(text: string | undefined, variables: EnvironmentVariables): string | undefined {
  return text?.replace(/\$\{(\w+)\}/g, (_, name: string) => variables[name] ?? '').trim() || undefined;
}
