import { delimiter } from 'node:path';
import type { EnvironmentVariables } from '../paths.ts';
import { toFlag } from '../schema-parts.ts';
import type { ConfigFile } from '../schema.ts';
import { readTranscription, type TranscriptionSettings } from './transcription-settings.ts';
import { type ChatDisplay, readChatDisplay } from './chat-display.ts';
import { readWebhook, type WebhookSettings } from './webhook-settings.ts';

/** What strangers in a direct message get: a pairing code, or no answer. */

type StrangerPolicy = 'pair' | 'ignore';

/** The settings of one platform. */
export type PlatformSettings = {
  name: string;
  token: string;
  /** Another address of the platform's API. */
  baseUrl: string | undefined;
  /** Another address for the download of files. */
  fileBaseUrl: string | undefined;
  /** Whether the platform shows previews of links. */
  linkPreviews: boolean;
  /** The proxy of the platform and the setting it comes from. */
  proxy: { setting: string; url: string } | undefined;
  /** The platform sends events to this address, instead of being asked for them. */
  webhook: WebhookSettings | undefined;
  /** The variables that configure proxies and certificates of all programs. */
  variables: EnvironmentVariables;
  /** The id of the chat that gets messages without another target. */
  homeChannel: string | undefined;
  allowAll: boolean;
  /** Ids of users; `*` is everybody. */
  allowed: readonly string[];
  /** Undefined if none are configured. */
  admins: { dm?: readonly string[]; group?: readonly string[] };
  slack?: SlackSettings;
  discord?: DiscordSettings;
};

/** What only Slack has. */
type SlackSettings = {
  /** A bot token for each workspace. */
  tokens: readonly string[];
  /** Empty if it is not set. */
  appToken: string;
  /** Whether messages in channels are answered in a thread. */
  replyInThread: boolean;
  requireMention: boolean;
  /** Ids of channels in which no mention is required. */
  freeChannels: readonly string[];
};

/** What only Discord has. The ids of channels also apply to their threads. */
export type DiscordSettings = {
  /** Whether a message in a server must mention the bot or reply to it. */
  requireMention: boolean;
  /** Channels in which it need not. */
  freeChannels: readonly string[];
  ignoredChannels: readonly string[];
  /** If there are any, all other channels of servers are ignored. */
  allowedChannels: readonly string[];
  /** Messages of other bots: none, those that mention the bot, or all. */
  bots: 'none' | 'mentions' | 'all';
  /** Whether answers in servers refer to the message that they answer. */
  replies: boolean;
};

export type GatewaySettings = {
  /** The platforms with credentials that are not disabled. */
  platforms: readonly PlatformSettings[];
  groupSessionsPerUser: boolean;
  threadSessionsPerUser: boolean;
  strangers: StrangerPolicy;
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
};

const PLATFORM_NAMES = ['telegram', 'discord', 'slack'] as const;
const DEFAULT_MAX_TURNS = 8;

type PlatformValues = NonNullable<ConfigFile['platforms']>[string];

/** `slackTokens`: bot tokens of other workspaces, which an installation of the Slack app has saved. */
export function readGatewayValues(
  values: ConfigFile,
  variables: EnvironmentVariables,
  slackTokens: readonly string[] = [],
): GatewaySettings {
  const common = splitList(variables['GATEWAY_ALLOWED_USERS']);
  const platforms = PLATFORM_NAMES.flatMap((name) => {
    const saved = name === 'slack' ? slackTokens : [];
    return readPlatform(name, values.platforms?.[name], { variables, saved });
  });
  const hasList = common.length > 0 || platforms.some(({ allowed }) => allowed.length > 0);
  // Only where no list exists at all does the general permission count, as in the original.
  const allowAll = isOn(variables['GATEWAY_ALLOW_ALL_USERS']) && !hasList;
  return {
    platforms: platforms.map((platform) => ({
      ...platform,
      allowAll: platform.allowAll || allowAll,
      allowed: [...platform.allowed, ...common],
    })),
    groupSessionsPerUser: values.group_sessions_per_user ?? true,
    threadSessionsPerUser: values.thread_sessions_per_user ?? false,
    strangers: values.unauthorized_dm_behavior ?? 'pair',
    maxTurns: values.gateway?.max_turns ?? DEFAULT_MAX_TURNS,
    transcription: readTranscription(values.stt, variables),
    mediaFolders:
      values.gateway?.media_delivery_allow_dirs ??
      (variables['HERMES_MEDIA_ALLOW_DIRS'] ?? '').split(delimiter).filter((folder) => folder !== ''),
    isBackendChosen: Boolean(values.terminal?.backend ?? variables['TERMINAL_ENV']?.trim()),
    displayOf: (platform) => readChatDisplay(platform, values, variables),
  };
}

function readPlatform(
  name: string,
  values: PlatformValues | undefined,
  { variables, saved }: { variables: EnvironmentVariables; saved: readonly string[] },
): PlatformSettings[] {
  const prefix = name.toUpperCase();
  const token = variables[`${prefix}_BOT_TOKEN`] ?? values?.token ?? saved.join(',');
  if (token === '' || values?.enabled === false) return [];
  const proxy = variables[`${prefix}_PROXY`]?.trim();
  const admins: PlatformSettings['admins'] = {};
  if (values?.extra?.allow_admin_from !== undefined) admins.dm = values.extra.allow_admin_from;
  if (values?.extra?.group_allow_admin_from !== undefined) admins.group = values.extra.group_allow_admin_from;
  return [
    {
      name,
      token,
      baseUrl: values?.extra?.base_url,
      fileBaseUrl: values?.extra?.base_file_url,
      linkPreviews: values?.extra?.disable_link_previews !== true,
      proxy: proxy === undefined || proxy === '' ? undefined : { setting: `${prefix}_PROXY`, url: proxy },
      webhook: readWebhook(prefix, variables),
      variables,
      homeChannel: variables[`${prefix}_HOME_CHANNEL`] ?? values?.home_channel?.chat_id,
      allowAll: isOn(variables[`${prefix}_ALLOW_ALL_USERS`]),
      allowed: [...splitList(variables[`${prefix}_ALLOWED_USERS`]), ...(values?.extra?.allow_from ?? [])],
      admins,
      ...(name === 'slack' && { slack: readSlack(values, variables, [...splitList(token), ...saved]) }),
      ...(name === 'discord' && { discord: readDiscord(variables) }),
    },
  ];
}

function readSlack(
  values: PlatformValues | undefined,
  variables: EnvironmentVariables,
  tokens: readonly string[],
): SlackSettings {
  return {
    tokens: [...new Set(tokens)],
    appToken: (variables['SLACK_APP_TOKEN'] ?? '').trim(),
    replyInThread: values?.extra?.reply_in_thread !== false,
    requireMention: !/^(?:false|no|off|0)$/i.test(variables['SLACK_REQUIRE_MENTION']?.trim() ?? ''),
    freeChannels: splitList(variables['SLACK_FREE_RESPONSE_CHANNELS']),
  };
}

function readDiscord(variables: EnvironmentVariables): DiscordSettings {
  const bots = variables['DISCORD_ALLOW_BOTS']?.trim().toLowerCase();
  return {
    requireMention: isOn(variables['DISCORD_REQUIRE_MENTION'] ?? 'true'),
    freeChannels: splitList(variables['DISCORD_FREE_RESPONSE_CHANNELS']),
    ignoredChannels: splitList(variables['DISCORD_IGNORED_CHANNELS']),
    allowedChannels: splitList(variables['DISCORD_ALLOWED_CHANNELS']),
    bots: bots === 'mentions' || bots === 'all' ? bots : 'none',
    replies: variables['DISCORD_REPLY_TO_MODE']?.trim().toLowerCase() !== 'off',
  };
}

function splitList(text: string | undefined): string[] {
  return (text ?? '').split(',').flatMap((part) => part.trim() || []);
}

function isOn(text: string | undefined): boolean {
  return toFlag(text?.trim() === '1' ? 'yes' : text?.trim().toLowerCase() === 'true' ? 'yes' : text) === true;
}
