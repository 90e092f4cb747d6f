import { mergeVariables, readEnvFile, readIfPresent } from './env-file.ts';
import { type EnvironmentVariables, homePaths } from './paths.ts';
import type { ConfigFile } from './schema.ts';

/** `storage.*`: the external store, if sessions are not in the SQLite file of the home directory. */
export type StorageSettings = {
  /** Contains the password, so it must never be displayed. */
  url: string;
  poolSize: number;
  connectSeconds: number;
  statementSeconds: number;
};

export const DEFAULT_STORAGE = { poolSize: 4, connectSeconds: 10, statementSeconds: 60 } as const;

/** Undefined if nothing is configured. The variable is used if the file has no URL. */
export function readStorageSettings(
  section: ConfigFile['storage'],
  variables: EnvironmentVariables,
): StorageSettings | undefined {
  const url = expandVariables(section?.url, variables) ?? (variables['HERMES_DATABASE_URL']?.trim() || undefined);
  if (url === undefined) return undefined;
  return {
    url,
    poolSize: section?.pool_size ?? DEFAULT_STORAGE.poolSize,
    connectSeconds: section?.connect_timeout ?? DEFAULT_STORAGE.connectSeconds,
    statementSeconds: section?.statement_timeout ?? DEFAULT_STORAGE.statementSeconds,
  };
}

/**
 * For commands that only read sessions. A mistake elsewhere in the config file must not prevent them, so the file is
 * parsed only if it can contain a storage section.
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

/** Replaces `${NAME}`, so that the password need not be in the file. */
function expandVariables(text: string | undefined, variables: EnvironmentVariables): string | undefined {
  return text?.replace(/\$\{(\w+)\}/g, (_, name: string) => variables[name] ?? '').trim() || undefined;
}
