import { ConfigurationError } from '../base/index.ts';
import type { Channel, ChannelSettings, Platform } from '../contracts/index.ts';
import { PLATFORMS } from './platform-table.ts';
import type { WebhookChannelOptions } from './webhook/index.ts';

export { PLATFORMS } from './platform-table.ts';
export { platformVariables } from './platform-variables.ts';
export type { ForwardedMessage } from './webhook/index.ts';

/** Receives the requests of other programs. */
export async function openWebhookChannel(options: WebhookChannelOptions): Promise<Channel> {
  const { createWebhookChannel } = await import('./webhook/index.ts');
  return createWebhookChannel(options);
}

/** Opens the bot accounts of a platform. */
export async function openChannels(
  settings: ChannelSettings,
  platforms: readonly Platform[] = PLATFORMS,
): Promise<Channel[]> {
  const platform = platforms.find(({ name }) => name === settings.name);
  if (platform === undefined) throw new ConfigurationError(`${settings.name} is not a known messaging platform.`);
  return platform.open(settings);
}

/** The first bot account of a platform: a Slack app has one in each workspace. */
export async function openFirstChannel(settings: ChannelSettings, platforms?: readonly Platform[]): Promise<Channel> {
  const [first, ...others] = await openChannels(settings, platforms);
  await Promise.all(others.map((channel) => channel.close()));
  if (first === undefined) throw new ConfigurationError(`${settings.name} has no bot token.`);
  return first;
}
