import { join } from 'node:path';
import { isJsonObject, parseJson } from '../../base/index.ts';
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
  const [content, saved, slackTokens] = await Promise.all([
    readIfPresent(configFile),
    readEnvFile(options.home),
    readIfPresent(join(options.home, 'slack_tokens.json')),
  ]);
  const parsed = content === undefined ? undefined : await readConfig(configFile, content);
  return readGatewayValues(parsed?.values ?? {}, mergeVariables(options.env, saved), readSlackTokens(slackTokens));
}

/** The file of the original: workspaces in which the Slack app was installed, each with its bot token. */
function readSlackTokens(content: string | undefined): string[] {
  const teams = content === undefined ? undefined : parseJson(content);
  if (!isJsonObject(teams)) return [];
  const tokens = Object.values(teams).map((team) => (isJsonObject(team) ? team['token'] : undefined));
  return tokens.filter((token) => typeof token === 'string' && token !== '') as string[];
}
