import { readEnvFile, mergeVariables, readIfPresent } from '../env-file.ts';
import { type EnvironmentVariables, homePaths } from '../paths.ts';
import { readConfig } from '../read-config.ts';
import { readGatewayValues, type GatewaySettings } from './gateway-settings.ts';

export type { ChatDisplay, StreamingSettings, ToolProgressMode } from './chat-display.ts';
export type { GatewaySettings, PlatformSettings } from './gateway-settings.ts';
export type { TranscriptionSettings } from './transcription-settings.ts';

/** Loads the settings of the messaging gateway. They are separate, because no other command needs them. */
export async function loadGatewaySettings(options: {
  home: string;
  env: EnvironmentVariables;
}): Promise<GatewaySettings> {
  const { configFile } = homePaths(options.home);
  const [content, saved] = await Promise.all([readIfPresent(configFile), readEnvFile(options.home)]);
  const parsed = content === undefined ? undefined : await readConfig(configFile, content);
  return readGatewayValues(parsed?.values ?? {}, mergeVariables(options.env, saved));
}
