import { readIfPresent } from './env-file.ts';
import { homePaths } from './paths.ts';
import type { ConfigFile } from './schema.ts';

/** `backup.*`: what `hermes import` accepts at most, because a small archive can expand to any size. */
export type ImportLimits = {
  maxBytes: number;
  /** How many times its own size an archive may expand to, once 64 MB have been written. */
  maxRatio: number;
  maxFiles: number;
};

const MEGABYTE = 1024 * 1024;

export const DEFAULT_IMPORT_LIMITS = { megabytes: 2048, ratio: 100, files: 200_000 } as const;

export function readImportLimits(section: ConfigFile['backup']): ImportLimits {
  return {
    maxBytes: (section?.max_import_mb ?? DEFAULT_IMPORT_LIMITS.megabytes) * MEGABYTE,
    maxRatio: section?.max_import_ratio ?? DEFAULT_IMPORT_LIMITS.ratio,
    maxFiles: section?.max_import_files ?? DEFAULT_IMPORT_LIMITS.files,
  };
}

/** The limits of a home directory. A damaged config file must not prevent its replacement, so the defaults apply then. */
export async function findImportLimits(home: string): Promise<ImportLimits> {
  try {
    const { configFile } = homePaths(home);
    const content = (await readIfPresent(configFile)) ?? '';
    if (!content.includes('backup')) return readImportLimits(undefined);
    const { values } = await (await import('./read-config.ts')).readConfig(configFile, content);
    return readImportLimits(values.backup);
  } catch {
    return readImportLimits(undefined);
  }
}
