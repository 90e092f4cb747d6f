import type { Platform } from '../contracts/index.ts';

type PlatformVariable = { name: string; about: string };

/** The variables of a platform with what they mean: its own, and those that all platforms have. */
export function platformVariables({
  name,
  label,
  prefix = name.toUpperCase(),
  settings,
  hasGroups,
  allowsEverybody,
  homeSetting = 'HOME_CHANNEL',
}: Platform): PlatformVariable[] {
  const own = Object.entries(settings).map(([setting, about]) => ({ name: `${prefix}_${setting}`, about }));
  const common: Record<string, string> = {
    [homeSetting]: `\`platforms.${name}.home_channel.chat_id\``,
    PROXY: `The URL of a proxy for ${label}, instead of \`HTTPS_PROXY\``,
    ...(allowsEverybody !== true && {
      ALLOWED_USERS: `Ids of ${label} users who may write to the bot, separated by commas; \`*\` is everybody`,
      ALLOW_ALL_USERS: `\`true\` lets everybody on ${label} write to the bot`,
    }),
    ...(hasGroups && groupVariables(name, label)),
  };
  const others = Object.entries(common).filter(([setting]) => !Object.hasOwn(settings, setting));
  return [...own, ...others.map(([setting, about]) => ({ name: `${prefix}_${setting}`, about }))];
}

function groupVariables(name: string, label: string): Record<string, string> {
  return {
    GROUP_ALLOWED_USERS: `Ids of ${label} users who may write to the bot in groups only`,
    GROUP_ALLOWED_CHATS: `Ids of ${label} groups in which all members may write to the bot`,
    REQUIRE_MENTION: `\`platforms.${name}.extra.require_mention\``,
    MENTION_PATTERNS: `\`platforms.${name}.extra.mention_patterns\`: a JSON list, or patterns separated by commas`,
    FREE_RESPONSE_CHATS: `\`platforms.${name}.extra.free_response_chats\`, separated by commas; \`_CHANNELS\` and \`_ROOMS\` work too`,
    ALLOWED_CHATS: `\`platforms.${name}.extra.allowed_chats\`, separated by commas; \`_CHANNELS\` works too`,
    IGNORED_CHATS: `\`platforms.${name}.extra.ignored_chats\`, separated by commas; \`_CHANNELS\` works too`,
    IGNORED_THREADS: `\`platforms.${name}.extra.ignored_threads\`, separated by commas`,
    ALLOW_BOTS: `\`platforms.${name}.extra.allow_bots\`: \`none\`, \`mentions\` or \`all\``,
  };
}
