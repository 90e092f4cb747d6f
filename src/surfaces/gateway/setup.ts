import { ConfigurationError } from '../../base/index.ts';
import { loadGatewaySettings } from '../../config/gateway/index.ts';
import { type EnvironmentVariables, updateConfig, updateEnvFile } from '../../config/index.ts';
import { ChannelError, type ChannelIdentity, type Platform } from '../../contracts/index.ts';
import { openFirstChannel, PLATFORMS } from '../../platforms/index.ts';

/** The platform with a name, which may be the one that people know. */
export function findPlatform(name: string): Platform {
  const wanted = name.trim().toLowerCase();
  const found = PLATFORMS.find((platform) => platform.name === wanted || platform.label.toLowerCase() === wanted);
  if (found !== undefined) return found;
  const names = PLATFORMS.map((platform) => platform.name).join(', ');
  throw new ConfigurationError(`"${name}" is not a known messaging platform.`, { hint: `Use one of: ${names}.` });
}

export type SetupHome = { home: string; env: EnvironmentVariables };

/** Tokens by the variable in which they are saved. */
export type SetupTokens = Readonly<Record<string, string>>;

const VERIFY_MS = 20_000;

/** Asks the platform who the bot of the tokens is. Throws `ChannelError` if it does not know it or cannot be reached. */
export async function verifyTokens(
  { home, env }: SetupHome,
  { name }: Platform,
  { tokens, signal }: { tokens: SetupTokens; signal: AbortSignal },
): Promise<ChannelIdentity> {
  // A platform that is switched off is switched on when its set-up is saved.
  const { platforms } = await loadGatewaySettings({
    home,
    env: { ...env, ...tokens },
    platforms: PLATFORMS,
    enabled: name,
  });
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
  { name, prefix = name.toUpperCase(), homeSetting = 'HOME_CHANNEL' }: Platform,
  { tokens, allowed, homeChannel }: SetupChoices,
): Promise<void> {
  const changes: Record<string, string | undefined> = { ...tokens };
  if (allowed !== undefined) changes[`${prefix}_ALLOWED_USERS`] = allowed.length === 0 ? undefined : allowed.join(',');
  if (homeChannel !== undefined) changes[`${prefix}_${homeSetting}`] = homeChannel;
  await updateEnvFile(home, changes);
  const { platforms } = await loadGatewaySettings({ home, env, platforms: PLATFORMS });
  if (platforms.every((platform) => platform.name !== name))
    await updateConfig(home, [{ path: ['platforms', name, 'enabled'], value: true }]);
}
