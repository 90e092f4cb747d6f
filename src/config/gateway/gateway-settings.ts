import { delimiter } from 'node:path';
import type { EnvironmentVariables } from '../paths.ts';
import type { ConfigFile } from '../schema.ts';
import { type ApiServerSettings, readApiServer } from './api-server-settings.ts';
import { readTranscription, type TranscriptionSettings } from './transcription-settings.ts';
import { type ChatDisplay, readChatDisplay } from './chat-display.ts';
import { readWebhookServer, type WebhookServerSettings } from './webhook-server-settings.ts';
import { type CronSettings, readCronSettings } from './cron-settings.ts';
import { readWebhook, type WebhookSettings } from './webhook-settings.ts';
import { type MentionSettings, type MentionValues, readMentionValues } from './mention-settings.ts';
import { type QuickCommand, readQuickCommands } from '../quick-commands.ts';
import { readResetValues, type ResetSettings } from './reset-settings.ts';
import { splitList, toBoolean } from './values.ts';

/** What strangers in a direct message get: a pairing code, or no answer. */
type StrangerPolicy = 'pair' | 'ignore';

/** Two lists, one for direct messages and one for groups; undefined if the list is not configured. */
type ByScope = { dm?: readonly string[]; group?: readonly string[] };

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
  allowAll: boolean;
  /** Ids of users; `*` is everybody. */
  allowed: readonly string[];
  /** Ids of users who are allowed in groups only. */
  groupAllowed: readonly string[];
  /** Ids of groups whose members are all allowed. */
  groupChats: readonly string[];
  admins: ByScope;
  /** The commands of users who are not admins. */
  userCommands: ByScope;
  strangers: StrangerPolicy;
  mentions: MentionSettings;
  /** The id of the chat that gets messages without another target. */
  homeChannel: string | undefined;
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

const PLATFORM_NAMES = ['telegram', 'discord', 'slack'] as const;
const DEFAULT_MAX_TURNS = 8;
const DEFAULT_KEEP_OPEN_SECONDS = 60;

type PlatformValues = NonNullable<ConfigFile['platforms']>[string];

/** `slackTokens`: bot tokens of other workspaces, which an installation of the Slack app has saved. */
export function readGatewayValues(
  values: ConfigFile,
  variables: EnvironmentVariables,
  slackTokens: readonly string[] = [],
): GatewaySettings {
  const problems: string[] = [];
  const onProblem = (problem: string) => void problems.push(problem);
  const common = splitList(variables['GATEWAY_ALLOWED_USERS']);
  const platforms = PLATFORM_NAMES.flatMap((name) => {
    const saved = name === 'slack' ? slackTokens : [];
    return readPlatform(name, values, { variables, saved, onProblem });
  });
  const hasList = common.length > 0 || platforms.some(({ allowed }) => allowed.length > 0);
  // Only where no list exists at all does the general permission count, as in the original.
  const allowAll = toBoolean(variables['GATEWAY_ALLOW_ALL_USERS']) === true && !hasList;
  return {
    platforms: platforms.map(({ strangers, ...platform }) => {
      const allowed = [...platform.allowed, ...common];
      // Where the owner has listed the users, strangers are not offered anything.
      const usual = allowed.length > 0 || platform.name === 'email' ? 'ignore' : 'pair';
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
    displayOf: (platform) => readChatDisplay(platform, values, variables),
    keepOpenSeconds: values.gateway?.keep_open ?? DEFAULT_KEEP_OPEN_SECONDS,
    resets: readResetValues(values, variables),
    quickCommands: readQuickCommands(values.quick_commands ?? {}, onProblem),
    problems,
  };
}

type Reader = { variables: EnvironmentVariables; saved: readonly string[]; onProblem(problem: string): void };
type ReadPlatform = Omit<PlatformSettings, 'strangers'> & { strangers: StrangerPolicy | undefined };

function readPlatform(
  name: (typeof PLATFORM_NAMES)[number],
  values: ConfigFile,
  { variables, saved, onProblem }: Reader,
): ReadPlatform[] {
  const platform: PlatformValues = values.platforms?.[name] ?? {};
  const section = values[name];
  const extra = platform.extra ?? {};
  const prefix = name.toUpperCase();
  const token = variables[`${prefix}_BOT_TOKEN`] ?? platform.token ?? saved.join(',');
  if (token === '' || platform.enabled === false) return [];
  const proxy = variables[`${prefix}_PROXY`]?.trim();
  const list = (variable: string, ids: readonly string[] = []) => [
    ...splitList(variables[`${prefix}_${variable}`]),
    ...ids,
  ];
  const sections = [extra, section].filter((each): each is MentionValues => each !== undefined);
  const mentions = readMentionValues(prefix, sections, { variables, onProblem });
  return [
    {
      name,
      token,
      baseUrl: extra.base_url,
      fileBaseUrl: extra.base_file_url,
      linkPreviews: extra.disable_link_previews !== true,
      proxy: proxy === undefined || proxy === '' ? undefined : { setting: `${prefix}_PROXY`, url: proxy },
      webhook: readWebhook(prefix, variables),
      variables,
      allowAll: toBoolean(variables[`${prefix}_ALLOW_ALL_USERS`]) === true,
      allowed: list('ALLOWED_USERS', extra.allow_from),
      groupAllowed: list('GROUP_ALLOWED_USERS', extra.group_allow_from),
      groupChats: list('GROUP_ALLOWED_CHATS', extra.group_allowed_chats),
      admins: byScope(extra.allow_admin_from, extra.group_allow_admin_from),
      userCommands: byScope(extra.user_allowed_commands, extra.group_user_allowed_commands),
      strangers: platform.unauthorized_dm_behavior ?? section?.unauthorized_dm_behavior,
      mentions,
      homeChannel: variables[`${prefix}_HOME_CHANNEL`] ?? platform.home_channel?.chat_id,
      ...(name === 'slack' && {
        slack: readSlack(extra, mentions, { variables, tokens: [...splitList(token), ...saved] }),
      }),
      ...(name === 'discord' && { discord: readDiscord(mentions, variables) }),
    },
  ];
}

function readSlack(
  extra: MentionValues,
  mentions: MentionSettings,
  { variables, tokens }: { variables: EnvironmentVariables; tokens: readonly string[] },
): SlackSettings {
  return {
    tokens: [...new Set(tokens)],
    appToken: (variables['SLACK_APP_TOKEN'] ?? '').trim(),
    replyInThread: extra.reply_in_thread !== false,
    requireMention: mentions.required,
    freeChannels: mentions.freeChats,
  };
}

function readDiscord(mentions: MentionSettings, variables: EnvironmentVariables): DiscordSettings {
  return {
    requireMention: mentions.required,
    freeChannels: mentions.freeChats,
    ignoredChannels: mentions.ignoredChats,
    allowedChannels: mentions.allowedChats,
    bots: mentions.bots,
    replies: variables['DISCORD_REPLY_TO_MODE']?.trim().toLowerCase() !== 'off',
  };
}

function byScope(dm: readonly string[] | undefined, group: readonly string[] | undefined): ByScope {
  const scopes: ByScope = {};
  if (dm !== undefined) scopes.dm = dm;
  if (group !== undefined) scopes.group = group;
  return scopes;
}
