import { delimiter } from 'node:path';
import type { Platform } from '../../contracts/index.ts';
import type { EnvironmentVariables } from '../paths.ts';
import type { ConfigFile } from '../schema.ts';
import { type ApiServerSettings, readApiServer } from './api-server-settings.ts';
import { readTranscription, type TranscriptionSettings } from './transcription-settings.ts';
import { type ChatDisplay, readChatDisplay } from './chat-display.ts';
import { readWebhookServer, type WebhookServerSettings } from './webhook-server-settings.ts';
import { type CronSettings, readCronSettings } from './cron-settings.ts';
import { type PlatformSettings, readPlatform } from './platform-settings.ts';
import { type QuickCommand, readQuickCommands } from '../quick-commands.ts';
import { readResetValues, type ResetSettings } from './reset-settings.ts';
import { splitList, toBoolean } from './values.ts';

export type GatewaySettings = {
  /** The platforms with credentials that are not disabled. */
  platforms: readonly PlatformSettings[];
  webhooks: WebhookServerSettings;
  apiServer: ApiServerSettings;
  groupSessionsPerUser: boolean;
  threadSessionsPerUser: boolean;
  /** The number of chats in which turns run at the same time. */
  maxTurns: number;
  /** Undefined if voice messages are not transcribed. */
  transcription: TranscriptionSettings | undefined;
  /** Folders whose files may be sent to chats, as written. */
  mediaFolders: readonly string[];
  /** Whether the user chose where commands run. */
  isBackendChosen: boolean;
  /** What the chats of a platform show of a turn. */
  displayOf(platform: string): ChatDisplay;
  /** How long the session of a chat stays open after its last turn. */
  keepOpenSeconds: number;
  resets: ResetSettings;
  cron: CronSettings;
  quickCommands: readonly QuickCommand[];
  /** Settings that are not valid and were ignored, for people. */
  problems: readonly string[];
};

const DEFAULT_MAX_TURNS = 8;
const DEFAULT_KEEP_OPEN_SECONDS = 60;

export type PlatformSources = {
  /** The platforms that can be configured. */
  platforms: readonly Platform[];
  home: string;
  /** The tokens in the token files of platforms, by the name of the platform. */
  savedTokens?: ReadonlyMap<string, readonly string[]>;
};

export function readGatewayValues(
  values: ConfigFile,
  variables: EnvironmentVariables,
  sources: PlatformSources = { platforms: [], home: '' },
): GatewaySettings {
  const problems: string[] = [];
  const onProblem = (problem: string) => void problems.push(problem);
  const common = splitList(variables['GATEWAY_ALLOWED_USERS']);
  const platforms = sources.platforms.flatMap((platform) => {
    const savedTokens = sources.savedTokens?.get(platform.name) ?? [];
    return readPlatform(platform, values, { variables, home: sources.home, savedTokens, onProblem });
  });
  const hasList = common.length > 0 || platforms.some(({ allowed }) => allowed.length > 0);
  // Only where no list exists at all does the general permission count, as in the original.
  const allowAll = toBoolean(variables['GATEWAY_ALLOW_ALL_USERS']) === true && !hasList;
  return {
    platforms: platforms.map(({ strangers, ignoresStrangers, ...platform }) => {
      const allowed = [...platform.allowed, ...common];
      // Where the owner has listed the users, strangers are not offered anything.
      const usual = allowed.length > 0 || ignoresStrangers ? 'ignore' : 'pair';
      const all = { ...platform, allowAll: platform.allowAll || allowAll, allowed };
      return { ...all, strangers: strangers ?? values.unauthorized_dm_behavior ?? usual };
    }),
    webhooks: readWebhookServer(values, variables, onProblem),
    apiServer: readApiServer(values, variables),
    groupSessionsPerUser: values.group_sessions_per_user ?? true,
    threadSessionsPerUser: values.thread_sessions_per_user ?? false,
    maxTurns: values.gateway?.max_turns ?? DEFAULT_MAX_TURNS,
    transcription: readTranscription(values.stt, variables),
    mediaFolders:
      values.gateway?.media_delivery_allow_dirs ??
      (variables['HERMES_MEDIA_ALLOW_DIRS'] ?? '').split(delimiter).filter((folder) => folder !== ''),
    cron: readCronSettings(values),
    isBackendChosen: Boolean(values.terminal?.backend ?? variables['TERMINAL_ENV']?.trim()),
    displayOf: (name) =>
      readChatDisplay(name, values, { variables, platform: sources.platforms.find((each) => each.name === name) }),
    keepOpenSeconds: values.gateway?.keep_open ?? DEFAULT_KEEP_OPEN_SECONDS,
    resets: readResetValues(values, variables),
    quickCommands: readQuickCommands(values.quick_commands ?? {}, onProblem),
    problems,
  };
}
