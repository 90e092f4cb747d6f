import type { Channel, ChannelIdentity } from './channel.ts';

/** A messaging platform: what configuration, setup and reference need to know of it, and how its code is loaded. */
export type Platform = {
  /** The name in configuration, session keys and files. */
  name: string;
  /** The name that people know. */
  label: string;
  /** How the names of its variables start. Default: the name in upper case. */
  prefix?: string;
  /**
   * The settings without which the platform is off, such as `BOT_TOKEN`: the variable `PREFIX_BOT_TOKEN`, or the key
   * `bot_token` of the platform. The first one is the token, which can also be `platforms.NAME.token`.
   */
  required: readonly [string, ...string[]];
  /** What its settings mean, by name without the prefix. Settings that all platforms have are not repeated. */
  settings: Readonly<Record<string, string>>;
  /** Whether it has groups, in which messages can mention the bot. */
  hasGroups: boolean;
  /** The setting with the home channel. Default: `HOME_CHANNEL`. */
  homeSetting?: string;
  /** A file in the home directory in which installations of the app have saved more tokens. */
  tokenFile?: string;
  /** Who reads its chats and whether messages can be edited, which decides what chats show of a turn. */
  display: 'personal' | 'shared' | 'plain';
  /** Strangers get no answer, also where no users are listed. */
  ignoresStrangers?: true;
  /** The platform itself decides who can write to the bot. */
  allowsEverybody?: true;
  /** Messages get reactions only if the user switches them on. */
  hasNoReactions?: true;
  /** How long questions wait for an answer, if not as long as elsewhere. */
  answerSeconds?: number;
  setup: PlatformSetup;
  /** Opens its bot accounts. Only this loads its code. */
  open(settings: ChannelSettings): Promise<Channel[]>;
};

/** How `hermes gateway setup` connects a platform. */
export type PlatformSetup = {
  /** What to do before there are tokens. */
  steps: readonly string[];
  /** A text that one of the steps asks for. */
  manifest?: string;
  tokens: readonly [SetupToken, ...SetupToken[]];
  /** How users find their id. */
  idHelp: string;
  /** The id of a user is also that of the direct chat with them. */
  hasUserChats?: true;
  /** How to reach the bot, after the tokens are verified. */
  firstContact(bot: ChannelIdentity): string;
};

/** A setting that setup asks for. */
export type SetupToken = {
  variable: string;
  label: string;
  /** Whether it may be shown while it is typed. */
  isPublic?: true;
  /** What it looks like; undefined if it has no common form. */
  form?: { pattern: RegExp; hint: string };
};

/** What the code of a platform gets from the configuration. */
export type ChannelSettings = {
  name: string;
  /** The value of the first required setting. */
  token: string;
  /** The tokens in `tokenFile`. */
  savedTokens: readonly string[];
  /**
   * A setting by its name without the prefix, such as `HOST`: the variable, or the key `host` of the platform. Undefined
   * if it is not set or empty.
   */
  read(name: string): string | undefined;
  /** The parts of a setting that are separated by commas. */
  readList(name: string): string[];
  /** Undefined if the setting is not set or not a boolean. */
  readFlag(name: string): boolean | undefined;
  /** A port. Throws `ConfigurationError` if the setting is something else. */
  readPort(name: string, usual: number): number;
  /** The home directory of Hermes, in which a login can be saved. */
  home: string;
  /** Another address of the platform's API. */
  baseUrl: string | undefined;
  /** Another address for the download of files. */
  fileBaseUrl: string | undefined;
  /** Whether the platform shows previews of links. */
  linkPreviews: boolean;
  /** The proxy of the platform and the setting it comes from. */
  proxy: { setting: string; url: string } | undefined;
  /** The environment variables, which also configure proxies and certificates of all programs. */
  variables: Readonly<Record<string, string | undefined>>;
  mentions: MentionSettings;
};

/** Which messages of other bots are read: none, those that mention this bot, or all. */
export const BOT_POLICIES = ['none', 'mentions', 'all'] as const;

/** Which messages of a group are meant for the bot. */
export type MentionSettings = {
  /** Whether a message must mention the bot, reply to it, or be a command. */
  required: boolean;
  /** Regular expressions that count as a mention. */
  patterns: readonly RegExp[];
  /** Ids of chats in which no mention is necessary. */
  freeChats: readonly string[];
  /** If there are any, other group chats are ignored. */
  allowedChats: readonly string[];
  ignoredChats: readonly string[];
  ignoredThreads: readonly string[];
  ignoredUsers: readonly string[];
  bots: (typeof BOT_POLICIES)[number];
};
