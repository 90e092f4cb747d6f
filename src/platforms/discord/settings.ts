import type { ChannelSettings } from '../../contracts/index.ts';
import type { DiscordOptions } from './discord-channel.ts';

/** The options of the channel. A token is also accepted in the form that Discord's documents show. */
export function toDiscordOptions(settings: ChannelSettings): DiscordOptions {
  const { token, baseUrl, linkPreviews, proxy, variables, mentions } = settings;
  return {
    token: token.trim().replace(/^Bot\s+/, ''),
    variables,
    linkPreviews,
    ...(baseUrl !== undefined && { baseUrl: baseUrl.trim().replace(/\/+$/, '') }),
    ...(proxy && { proxy }),
    rules: {
      requireMention: mentions.required,
      freeChannels: mentions.freeChats,
      ignoredChannels: mentions.ignoredChats,
      allowedChannels: mentions.allowedChats,
      bots: mentions.bots,
    },
    replies: settings.read('REPLY_TO_MODE')?.toLowerCase() !== 'off',
  };
}
