import type { PlatformSettings } from '../../config/gateway/index.ts';
import type { DiscordOptions } from './discord-channel.ts';

type UsedSettings = Pick<PlatformSettings, 'token' | 'baseUrl' | 'linkPreviews' | 'proxy' | 'variables' | 'discord'>;

/** The options of the channel. A token is also accepted in the form that Discord's documents show. */
export function toDiscordOptions(settings: UsedSettings): DiscordOptions {
  const { token, baseUrl, linkPreviews, proxy, variables, discord } = settings;
  return {
    token: token.trim().replace(/^Bot\s+/, ''),
    variables,
    linkPreviews,
    ...(baseUrl !== undefined && { baseUrl: baseUrl.trim().replace(/\/+$/, '') }),
    ...(proxy && { proxy }),
    ...(discord && { rules: discord, replies: discord.replies }),
  };
}
