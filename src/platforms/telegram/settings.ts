import type { PlatformSettings } from '../../config/gateway/index.ts';
import type { TelegramOptions } from './telegram-channel.ts';

type UsedSettings = Pick<
  PlatformSettings,
  'token' | 'baseUrl' | 'fileBaseUrl' | 'linkPreviews' | 'proxy' | 'webhook' | 'variables'
>;

/** The options of the channel. As in the original, a base URL may end with `/bot`, to which the token is appended. */
export function toTelegramOptions(settings: UsedSettings): TelegramOptions {
  const { token, linkPreviews, proxy, webhook, variables } = settings;
  const baseUrl = settings.baseUrl && endWith(settings.baseUrl, '/bot');
  const fileBaseUrl = settings.fileBaseUrl ? endWith(settings.fileBaseUrl, '/file/bot') : fileUrlOf(baseUrl);
  return {
    token: token.trim(),
    variables,
    linkPreviews,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(fileBaseUrl !== undefined && { fileBaseUrl }),
    ...(proxy && { proxy }),
    ...(webhook && { webhook }),
  };
}

function endWith(url: string, end: string): string {
  const plain = url.trim().replace(/\/+$/, '');
  return plain.endsWith('/bot') ? plain : `${plain}${end}`;
}

function fileUrlOf(baseUrl: string | undefined): string | undefined {
  return baseUrl?.replace(/\/bot$/, '/file/bot');
}
