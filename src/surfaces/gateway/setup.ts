import { ConfigurationError } from '../../base/index.ts';
import { loadGatewaySettings } from '../../config/gateway/index.ts';
import { type EnvironmentVariables, updateEnvFile } from '../../config/index.ts';
import type { ChannelIdentity } from '../../contracts/index.ts';
import { openFirstChannel } from '../../platforms/index.ts';

/** A platform that `hermes gateway setup` offers. */
export type SetupPlatform = { name: string; label: string; tokenVariable: string; tokenHelp: string; idHelp: string };

export const SETUP_PLATFORMS: readonly SetupPlatform[] = [
  {
    name: 'telegram',
    label: 'Telegram',
    tokenVariable: 'TELEGRAM_BOT_TOKEN',
    tokenHelp: 'Write /newbot to @BotFather on Telegram, and copy the token that it returns.',
    idHelp: '@userinfobot on Telegram tells you your id.',
  },
  {
    name: 'discord',
    label: 'Discord',
    tokenVariable: 'DISCORD_BOT_TOKEN',
    tokenHelp:
      'Create an application at https://discord.com/developers/applications, enable Message Content Intent on its page “Bot”, and copy the token.',
    idHelp: 'Enable Developer Mode in Discord (Settings, Advanced), and choose “Copy User ID” from your menu.',
  },
];

export function findSetupPlatform(name: string): SetupPlatform {
  const found = SETUP_PLATFORMS.find((platform) => platform.name === name.trim().toLowerCase());
  if (found !== undefined) return found;
  const names = SETUP_PLATFORMS.map((platform) => platform.name).join(', ');
  throw new ConfigurationError(`"${name}" is not a known messaging platform.`, { hint: `Use one of: ${names}.` });
}

export type SetupHome = { home: string; env: EnvironmentVariables };

const VERIFY_MS = 20_000;

/** Asks the platform who the bot of a token is. Throws `ChannelError` if it does not know it or cannot be reached. */
export async function verifyToken(
  { home, env }: SetupHome,
  { name, tokenVariable }: SetupPlatform,
  { token, signal }: { token: string; signal: AbortSignal },
): Promise<ChannelIdentity> {
  const { platforms } = await loadGatewaySettings({ home, env: { ...env, [tokenVariable]: token } });
  const settings = platforms.find((platform) => platform.name === name);
  if (settings === undefined)
    throw new ConfigurationError(`platforms.${name}.enabled is false.`, { hint: 'Remove it from config.yaml first.' });
  const channel = await openFirstChannel({ ...settings, token });
  try {
    return await channel.identify(AbortSignal.any([signal, AbortSignal.timeout(VERIFY_MS)]));
  } finally {
    await channel.close();
  }
}

export type SetupChoices = {
  token: string;
  /** Ids of users; none for pairing. Undefined keeps what is configured. */
  allowed: readonly string[] | undefined;
  homeChannel: string | undefined;
};

/** Saves what was chosen in `.env`. */
export async function saveSetup(
  home: string,
  { name, tokenVariable }: SetupPlatform,
  { token, allowed, homeChannel }: SetupChoices,
): Promise<void> {
  const prefix = name.toUpperCase();
  const changes: Record<string, string | undefined> = { [tokenVariable]: token };
  if (allowed !== undefined) changes[`${prefix}_ALLOWED_USERS`] = allowed.length === 0 ? undefined : allowed.join(',');
  if (homeChannel !== undefined) changes[`${prefix}_HOME_CHANNEL`] = homeChannel;
  await updateEnvFile(home, changes);
}
