import type { ChannelSettings } from '../../contracts/index.ts';
import type { SlackOptions } from './slack-channel.ts';

export function toSlackOptions(settings: ChannelSettings): SlackOptions {
  const { token, savedTokens, baseUrl, linkPreviews, proxy, variables, mentions } = settings;
  const tokens = token.split(',').flatMap((each) => each.trim() || []);
  return {
    tokens: [...new Set([...tokens, ...savedTokens])],
    appToken: settings.read('APP_TOKEN') ?? '',
    replyInThread: settings.readFlag('REPLY_IN_THREAD') !== false,
    requireMention: mentions.required,
    freeChannels: mentions.freeChats,
    variables,
    linkPreviews,
    ...(baseUrl !== undefined && { baseUrl: `${baseUrl.trim().replace(/\/+$/, '')}/` }),
    ...(proxy && { proxy }),
  };
}
