import type { PlatformSettings } from '../config/gateway/index.ts';
import type { Channel } from '../contracts/index.ts';
import { ConfigurationError } from '../base/index.ts';
import type { WebhookChannelOptions } from './webhook/index.ts';

export type { ForwardedMessage } from './webhook/index.ts';

/** Receives the requests of other programs. */
export async function openWebhookChannel(options: WebhookChannelOptions): Promise<Channel> {
  const { createWebhookChannel } = await import('./webhook/index.ts');
  return createWebhookChannel(options);
}

/** Opens the bot accounts of a platform. Its code is loaded only if the platform is configured. */
export async function openChannels(settings: PlatformSettings): Promise<Channel[]> {
  switch (settings.name) {
    case 'telegram': {
      const { createTelegramChannel, toTelegramOptions } = await import('./telegram/index.ts');
      return [createTelegramChannel(toTelegramOptions(settings))];
    }
    case 'discord': {
      const { createDiscordChannel, toDiscordOptions } = await import('./discord/index.ts');
      return [createDiscordChannel(toDiscordOptions(settings))];
    }
    case 'slack': {
      const { createSlackChannels, toSlackOptions } = await import('./slack/index.ts');
      return createSlackChannels(toSlackOptions(settings));
    }
    default:
      throw new ConfigurationError(`${settings.name} is not a known messaging platform.`);
  }
}

/** The first bot account of a platform: a Slack app has one in each workspace. */
export async function openFirstChannel(settings: PlatformSettings): Promise<Channel> {
  const [first, ...others] = await openChannels(settings);
  await Promise.all(others.map((channel) => channel.close()));
  if (first === undefined) throw new ConfigurationError(`${settings.name} has no bot token.`);
  return first;
}
