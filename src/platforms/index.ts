import type { Channel } from '../contracts/index.ts';

/** What a platform needs to connect. */
export type ChannelSettings = { name: string; token: string; baseUrl: string | undefined };

/** Opens the adapter of a platform. Its code is loaded only if the platform is configured. */
export async function openChannel(settings: ChannelSettings): Promise<Channel> {
  throw new Error(`no adapter for ${settings.name}`);
}
