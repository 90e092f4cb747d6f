import { ConfigurationError } from '../../base/index.ts';
import { loadGatewaySettings } from '../../config/gateway/index.ts';
import { type EnvironmentVariables, updateConfig, updateEnvFile } from '../../config/index.ts';
import { ChannelError, type ChannelIdentity } from '../../contracts/index.ts';
import { openFirstChannel } from '../../platforms/index.ts';

/** A token that a platform needs. */
export type SetupToken = {
  variable: string;
  label: string;
  /** What it looks like; undefined if tokens of the platform have no common form. */
  form?: { pattern: RegExp; hint: string };
};

/** A platform that `hermes gateway setup` offers. */
export type SetupPlatform = {
  name: string;
  label: string;
  /** What to do on the website of the platform, before there are tokens. */
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

/** What the app of a Slack workspace needs. docs/gateway.md shows the same text. */
const SLACK_MANIFEST = `display_information:
  name: Hermes
features:
  app_home:
    messages_tab_enabled: true
    messages_tab_read_only_enabled: false
  bot_user:
    display_name: hermes
    always_online: true
  slash_commands:
    - command: /hermes
      description: Talk to Hermes
      should_escape: true
oauth_config:
  scopes:
    bot: [
      app_mentions:read, channels:history, channels:read, chat:write, commands,
      files:read, files:write, groups:history, groups:read, im:history, im:read,
      mpim:history, mpim:read, reactions:read, reactions:write, users:read
    ]
settings:
  event_subscriptions:
    bot_events: [
      app_mention, message.channels, message.groups, message.im, message.mpim
    ]
  interactivity:
    is_enabled: true
  socket_mode_enabled: true
`;

/** View Channels, Send Messages, Send Messages in Threads, Read Message History, Attach Files, Add Reactions. */
const DISCORD_PERMISSIONS = '274878008384';

export const SETUP_PLATFORMS: readonly SetupPlatform[] = [
  {
    name: 'telegram',
    label: 'Telegram',
    steps: [
      'Open https://t.me/BotFather in Telegram and send /newbot.',
      'Choose a name, and a user name that ends in "bot".',
      'Copy the token from the answer, which looks like 123456789:ABC….',
    ],
    tokens: [
      {
        variable: 'TELEGRAM_BOT_TOKEN',
        label: 'bot token',
        form: { pattern: /^\d+:[\w-]+$/, hint: 'A bot token looks like 123456789:ABC…' },
      },
    ],
    idHelp: 'write to @userinfobot on Telegram to see your id',
    hasUserChats: true,
    firstContact: ({ name }) => `Write to your bot: https://t.me/${name.replace('@', '')}`,
  },
  {
    name: 'discord',
    label: 'Discord',
    steps: [
      'Open https://discord.com/developers/applications and choose New Application.',
      'On the page Bot, enable Message Content Intent and save.',
      'On the same page, choose Reset Token and copy the token.',
    ],
    tokens: [{ variable: 'DISCORD_BOT_TOKEN', label: 'bot token' }],
    idHelp: 'enable Developer Mode in Discord (Settings, Advanced), and choose Copy User ID from your own menu',
    firstContact: ({ account }) =>
      `Add the bot to your server: https://discord.com/oauth2/authorize?client_id=${account.replace('discord:', '')}&scope=bot+applications.commands&permissions=${DISCORD_PERMISSIONS}`,
  },
  {
    name: 'slack',
    label: 'Slack',
    steps: [
      'Open https://api.slack.com/apps, choose Create New App, From a manifest, and your workspace.',
      'Select YAML, replace the text with the manifest below, and create the app.',
      'Under Basic Information, App-Level Tokens, generate a token with the scope connections:write (it starts with xapp-).',
      'Under Install App, install the app and copy the bot token (it starts with xoxb-).',
    ],
    manifest: SLACK_MANIFEST,
    tokens: [
      {
        variable: 'SLACK_BOT_TOKEN',
        label: 'bot token (xoxb-…)',
        form: { pattern: /^xoxb-/, hint: 'A bot token starts with xoxb-; see Install App.' },
      },
      {
        variable: 'SLACK_APP_TOKEN',
        label: 'app-level token (xapp-…)',
        form: { pattern: /^xapp-/, hint: 'An app-level token starts with xapp-; see Basic Information.' },
      },
    ],
    idHelp: 'open your profile in Slack, and choose Copy member ID from the menu',
    firstContact: ({ name }) => `Write a direct message to ${name} in Slack, or invite it: /invite ${name}`,
  },
];

export function findSetupPlatform(name: string): SetupPlatform {
  const found = SETUP_PLATFORMS.find((platform) => platform.name === name.trim().toLowerCase());
  if (found !== undefined) return found;
  const names = SETUP_PLATFORMS.map((platform) => platform.name).join(', ');
  throw new ConfigurationError(`"${name}" is not a known messaging platform.`, { hint: `Use one of: ${names}.` });
}

export type SetupHome = { home: string; env: EnvironmentVariables };

/** Tokens by the variable in which they are saved. */
export type SetupTokens = Readonly<Record<string, string>>;

const VERIFY_MS = 20_000;

/** Asks the platform who the bot of the tokens is. Throws `ChannelError` if it does not know it or cannot be reached. */
export async function verifyTokens(
  { home, env }: SetupHome,
  { name }: SetupPlatform,
  { tokens, signal }: { tokens: SetupTokens; signal: AbortSignal },
): Promise<ChannelIdentity> {
  // A platform that is switched off is switched on when its set-up is saved.
  const { platforms } = await loadGatewaySettings({ home, env: { ...env, ...tokens }, enabled: name });
  const settings = platforms.find((platform) => platform.name === name);
  if (settings === undefined) throw new ConfigurationError(`${name} has no token.`);
  const channel = await openFirstChannel(settings);
  const late = new ChannelError('transient', `${name} did not answer within ${VERIFY_MS / 1000} s.`);
  const timeout = AbortSignal.timeout(VERIFY_MS);
  try {
    const within = AbortSignal.any([signal, timeout]);
    const identity = await channel.identify(within);
    await channel.verifyReceiving?.(within);
    return identity;
  } catch (thrown) {
    throw timeout.aborted ? late : thrown;
  } finally {
    await channel.close();
  }
}

export type SetupChoices = {
  tokens: SetupTokens;
  /** Ids of users; none for pairing. Undefined keeps what is configured. */
  allowed: readonly string[] | undefined;
  homeChannel: string | undefined;
};

/** Saves what was chosen in `.env`, and switches the platform on if `config.yaml` has switched it off. */
export async function saveSetup(
  { home, env }: SetupHome,
  { name }: SetupPlatform,
  { tokens, allowed, homeChannel }: SetupChoices,
): Promise<void> {
  const prefix = name.toUpperCase();
  const changes: Record<string, string | undefined> = { ...tokens };
  if (allowed !== undefined) changes[`${prefix}_ALLOWED_USERS`] = allowed.length === 0 ? undefined : allowed.join(',');
  if (homeChannel !== undefined) changes[`${prefix}_HOME_CHANNEL`] = homeChannel;
  await updateEnvFile(home, changes);
  const { platforms } = await loadGatewaySettings({ home, env });
  if (platforms.every((platform) => platform.name !== name))
    await updateConfig(home, [{ path: ['platforms', name, 'enabled'], value: true }]);
}
