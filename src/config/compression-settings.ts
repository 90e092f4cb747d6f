import type { ConfigFile } from './schema.ts';
import { type CompressionSettings, DEFAULT_COMPRESSION, type Settings } from './settings.ts';

/** `compression.*` and `context.engine`. */
export function readCompressionSettings({ compression, context }: ConfigFile): Pick<Settings, 'contextEngine'> & {
  compression: CompressionSettings;
} {
  return {
    compression: {
      enabled: compression?.enabled ?? DEFAULT_COMPRESSION.enabled,
      threshold: compression?.threshold ?? DEFAULT_COMPRESSION.threshold,
      targetRatio: compression?.target_ratio ?? DEFAULT_COMPRESSION.targetRatio,
      protectLastN: compression?.protect_last_n ?? DEFAULT_COMPRESSION.protectLastN,
      protectFirstN: compression?.protect_first_n ?? DEFAULT_COMPRESSION.protectFirstN,
    },
    contextEngine: context?.engine,
  };
}
