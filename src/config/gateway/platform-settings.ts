import { ConfigurationError } from '../../base/index.ts';
import type { ChannelSettings, Platform } from '../../contracts/index.ts';
import type { EnvironmentVariables } from '../paths.ts';
import type { ConfigFile } from '../schema.ts';
import { type MentionValues, readMentionValues } from './mention-settings.ts';
import { splitList, toBoolean } from './values.ts';

/** What strangers in a direct message get: a pairing code, or no answer. */
type StrangerPolicy = 'pair' | 'ignore';

/** Two lists, one for direct messages and one for groups; undefined if the list is not configured. */
type ByScope = { dm?: readonly string[]; group?: readonly string[] };

/** The settings of one platform: what its code gets, and who may write to the bot. */
export type PlatformSettings = ChannelSettings & {
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
  /** The id of the chat that gets messages without another target. */
  homeChannel: string | undefined;
};

type PlatformValues = NonNullable<ConfigFile['platforms']>[string];

type Sources = {
  variables: EnvironmentVariables;
  home: string;
  savedTokens: readonly string[];
  onProblem(problem: string): void;
};

type ReadPlatform = Omit<PlatformSettings, 'strangers'> & {
  strangers: StrangerPolicy | undefined;
  ignoresStrangers: boolean;
};

/** The settings of a platform; none if it is off. */
export function readPlatform(platform: Platform, values: ConfigFile, sources: Sources): ReadPlatform[] {
  const { name, prefix = name.toUpperCase(), required, homeSetting = 'HOME_CHANNEL' } = platform;
  const { variables, savedTokens, onProblem } = sources;
  const entry: PlatformValues = values.platforms?.[name] ?? {};
  const extra = entry.extra ?? {};
  const section = (values as Partial<Record<string, unknown>>)[name] as PlatformSection | undefined;
  const settings = createReader(prefix, extra, variables);
  const token = settings.read(required[0]) ?? entry.token?.trim() ?? savedTokens.join(',');
  const isComplete = token !== '' && required.slice(1).every((setting) => settings.read(setting) !== undefined);
  if (!isComplete || entry.enabled === false) return [];
  const proxy = variables[`${prefix}_PROXY`]?.trim();
  const list = (setting: string, ids: readonly string[] = []) => [
    ...splitList(variables[`${prefix}_${setting}`]),
    ...ids,
  ];
  const sections = [extra, section].filter((each): each is MentionValues => each !== undefined);
  return [
    {
      name,
      token,
      savedTokens,
      ...settings,
      home: sources.home,
      baseUrl: extra.base_url,
      fileBaseUrl: extra.base_file_url,
      linkPreviews: extra.disable_link_previews !== true,
      proxy: proxy === undefined || proxy === '' ? undefined : { setting: `${prefix}_PROXY`, url: proxy },
      variables,
      allowAll: platform.allowsEverybody === true || toBoolean(variables[`${prefix}_ALLOW_ALL_USERS`]) === true,
      allowed: list('ALLOWED_USERS', extra.allow_from),
      groupAllowed: list('GROUP_ALLOWED_USERS', extra.group_allow_from),
      groupChats: list('GROUP_ALLOWED_CHATS', extra.group_allowed_chats),
      admins: byScope(extra.allow_admin_from, extra.group_allow_admin_from),
      userCommands: byScope(extra.user_allowed_commands, extra.group_user_allowed_commands),
      strangers: entry.unauthorized_dm_behavior ?? section?.unauthorized_dm_behavior,
      ignoresStrangers: platform.ignoresStrangers === true,
      mentions: readMentionValues(prefix, sections, { variables, onProblem }),
      homeChannel: variables[`${prefix}_${homeSetting}`] ?? entry.home_channel?.chat_id,
    },
  ];
}

type PlatformSection = NonNullable<ConfigFile['telegram']>;

/** Reads settings by their names: variables first, then the keys of the platform. */
function createReader(
  prefix: string,
  extra: Readonly<Record<string, unknown>>,
  variables: EnvironmentVariables,
): Pick<ChannelSettings, 'read' | 'readList' | 'readFlag' | 'readPort'> {
  const read = (name: string) =>
    variables[`${prefix}_${name}`]?.trim() || toText(extra[name.toLowerCase()]) || undefined;
  return {
    read,
    readList: (name) => splitList(read(name)),
    readFlag: (name) => toBoolean(read(name)),
    readPort(name, usual) {
      const port = read(name) ?? String(usual);
      if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return Number(port);
      throw new ConfigurationError(`${prefix}_${name} is not a port: ${port}`);
    },
  };
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join(',');
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value).trim() : '';
}

function byScope(dm: readonly string[] | undefined, group: readonly string[] | undefined): ByScope {
  const scopes: ByScope = {};
  if (dm !== undefined) scopes.dm = dm;
  if (group !== undefined) scopes.group = group;
  return scopes;
}
