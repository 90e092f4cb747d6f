import type { PlatformSettings } from '../config/gateway/index.ts';
import type { Channel } from '../contracts/index.ts';
import { ConfigurationError } from '../base/index.ts';

/** Opens the adapter of a platform. Its code is loaded only if the platform is configured. */
export async function openChannel(settings: PlatformSettings): Promise<Channel> {
  if (settings.name !== 'telegram') throw new ConfigurationError(`${settings.name} is not a known messaging platform.`);
  const { createTelegramChannel, toTelegramOptions } = await import('./telegram/index.ts');
  return createTelegramChannel(toTelegramOptions(settings));
}
