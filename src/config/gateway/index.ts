import { join } from 'node:path';
import { isJsonObject, parseJson } from '../../base/index.ts';
import type { Platform } from '../../contracts/index.ts';
import { readEnvFile, mergeVariables, readIfPresent } from '../env-file.ts';
import { type EnvironmentVariables, homePaths } from '../paths.ts';
import { readConfig } from '../read-config.ts';
import type { ConfigFile } from '../schema.ts';
import { readGatewayValues, type GatewaySettings } from './gateway-settings.ts';

export type { ApiServerSettings } from './api-server-settings.ts';
export type { ChatDisplay, StreamingSettings, ToolProgressMode } from './chat-display.ts';
export type { CronSettings } from './cron-settings.ts';
export type { GatewaySettings } from './gateway-settings.ts';
export type { PlatformSettings } from './platform-settings.ts';
export type { TranscriptionSettings } from './transcription-settings.ts';
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
  /** The platforms that can be configured. Default: none, for callers that need other settings. */
  platforms?: readonly Platform[];
  /** A platform that counts as enabled, whatever the files say. */
  enabled?: string;
}): Promise<GatewaySettings> {
  const { configFile } = homePaths(options.home);
  const older = join(options.home, 'gateway.json');
  const { home, platforms = [] } = options;
  const [content, saved, legacy, savedTokens] = await Promise.all([
    readIfPresent(configFile),
    readEnvFile(home),
    readIfPresent(older),
    readTokenFiles(home, platforms),
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
  const settings = readGatewayValues(values, variables, { platforms, home, savedTokens });
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

/** The files of the original: workspaces in which an app was installed, each with its bot token. */
async function readTokenFiles(home: string, platforms: readonly Platform[]): Promise<Map<string, string[]>> {
  const entries = platforms.flatMap(({ name, tokenFile }) => (tokenFile === undefined ? [] : [{ name, tokenFile }]));
  const read = async ({ name, tokenFile }: { name: string; tokenFile: string }) => {
    const content = await readIfPresent(join(home, tokenFile));
    return [name, content === undefined ? [] : readTokens(content)] as const;
  };
  return new Map(await Promise.all(entries.map(read)));
}

function readTokens(content: string): string[] {
  const workspaces = parseJson(content);
  if (!isJsonObject(workspaces)) return [];
  const tokens = Object.values(workspaces).map((each) => (isJsonObject(each) ? each['token'] : undefined));
  return tokens.filter((token): token is string => typeof token === 'string' && token !== '');
}
