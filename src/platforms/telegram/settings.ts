import type { ChannelSettings } from '../../contracts/index.ts';
import type { TelegramOptions } from './telegram-channel.ts';
import type { WebhookOptions } from './webhook.ts';

const WEBHOOK_PORT = 8443;

/** The options of the channel. As in the original, a base URL may end with `/bot`, to which the token is appended. */
export function toTelegramOptions(settings: ChannelSettings): TelegramOptions {
  const { token, linkPreviews, proxy, variables } = settings;
  const webhook = readWebhook(settings);
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

function readWebhook(settings: ChannelSettings): WebhookOptions | undefined {
  const url = settings.read('WEBHOOK_URL');
  if (url === undefined) return undefined;
  return {
    url,
    host: settings.read('WEBHOOK_HOST') ?? '127.0.0.1',
    port: settings.readPort('WEBHOOK_PORT', WEBHOOK_PORT),
    secret: settings.read('WEBHOOK_SECRET'),
  };
}
