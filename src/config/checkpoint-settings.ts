import type { ConfigFile } from './schema.ts';
import type { CheckpointSettings } from './settings.ts';

export const DEFAULT_CHECKPOINTS = {
  ...{ enabled: false, maxCheckpoints: 20, maxFileMegabytes: 10, maxTotalMegabytes: 500, excludes: [] },
} as const;
const MEGABYTE = 1024 * 1024;

/** `checkpoints.*` */
export function readCheckpointSettings(section: ConfigFile['checkpoints']): CheckpointSettings {
  return {
    enabled: section?.enabled ?? DEFAULT_CHECKPOINTS.enabled,
    maxCheckpoints: section?.max_snapshots ?? DEFAULT_CHECKPOINTS.maxCheckpoints,
    maxFileBytes: (section?.max_file_size_mb ?? DEFAULT_CHECKPOINTS.maxFileMegabytes) * MEGABYTE,
    maxTotalBytes: (section?.max_total_size_mb ?? DEFAULT_CHECKPOINTS.maxTotalMegabytes) * MEGABYTE,
    excludes: section?.excludes ?? DEFAULT_CHECKPOINTS.excludes,
  };
}
