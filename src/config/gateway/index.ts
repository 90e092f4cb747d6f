import { join } from 'node:path';
import { isJsonObject, parseJson } from '../../base/index.ts';
import { readEnvFile, mergeVariables, readIfPresent } from '../env-file.ts';
import { type EnvironmentVariables, homePaths } from '../paths.ts';
import { readConfig } from '../read-config.ts';
import type { ConfigFile } from '../schema.ts';
import { readGatewayValues, type GatewaySettings } from './gateway-settings.ts';

export type { ApiServerSettings } from './api-server-settings.ts';
export type { ChatDisplay, StreamingSettings, ToolProgressMode } from './chat-display.ts';
export type { CronSettings } from './cron-settings.ts';
export type { GatewaySettings, PlatformSettings } from './gateway-settings.ts';
export type { TranscriptionSettings } from './transcription-settings.ts';
export type { MentionSettings } from './mention-settings.ts';
export type { ResetPolicy, ResetSettings } from './reset-settings.ts';
export { readWebhookRoute, type WebhookRoute } from './webhook-routes.ts';
export { type WebhookServerSettings, webhookUrl } from './webhook-server-settings.ts';
export { changeSubscriptions, readSubscriptions, subscriptionsFile } from './webhook-subscriptions.ts';

/**
 * Loads the settings of the messaging gateway: variables first, then `config.yaml`, then the `gateway.json` of the
 * original. They are separate, because no other command needs them.
 */
export async function loadGatewaySettings(options: {
  home: string;
  env: EnvironmentVariables;
  /** A platform that counts as enabled, whatever the files say. */
  enabled?: string;
}): Promise<GatewaySettings> {
  const { configFile } = homePaths(options.home);
  const older = join(options.home, 'gateway.json');
  const [content, saved, legacy, slackTokens] = await Promise.all([
    readIfPresent(configFile),
    readEnvFile(options.home),
    readIfPresent(older),
    readIfPresent(join(options.home, 'slack_tokens.json')),
  ]);
  const problems: string[] = [];
  const onProblem = (problem: string) => void problems.push(problem);
  const parsed = content === undefined ? {} : (await readConfig(configFile, content)).values;
  const lowest =
    legacy === undefined ? {} : (await import('./gateway-file.ts')).readGatewayFile(older, legacy, onProblem);
  const values: ConfigFile = { ...lowest, ...parsed };
  // A platform may have its token in one file and its other settings in the other.
  if (lowest.platforms && parsed.platforms) values.platforms = { ...lowest.platforms, ...parsed.platforms };
  if (options.enabled !== undefined)
    values.platforms = {
      ...values.platforms,
      [options.enabled]: { ...values.platforms?.[options.enabled], enabled: true },
    };
  const variables = { ...variablesIn(parsed), ...mergeVariables(options.env, saved) };
  const settings = readGatewayValues(values, variables, readSlackTokens(slackTokens));
  return { ...settings, problems: [...problems, ...settings.problems] };
}

/** As in the original, a scalar at the top level of `config.yaml` is a variable, such as `TELEGRAM_HOME_CHANNEL`. */
function variablesIn(values: ConfigFile): EnvironmentVariables {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]: [string, unknown]) =>
      /^[A-Z][A-Z0-9_]*$/.test(name) && isScalar(value) ? [[name, String(value)]] : [],
    ),
  );
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** The file of the original: workspaces in which the Slack app was installed, each with its bot token. */
function readSlackTokens(content: string | undefined): string[] {
  const teams = content === undefined ? undefined : parseJson(content);
  if (!isJsonObject(teams)) return [];
  const tokens = Object.values(teams).map((team) => (isJsonObject(team) ? team['token'] : undefined));
  return tokens.filter((token) => typeof token === 'string' && token !== '') as string[];
}
