import { ConfigurationError, isJsonObject, type JsonObject } from '../../base/index.ts';
import type { NetworkVariables } from '../../util/network/index.ts';
import { textAt } from './json-fields.ts';
import type { TelegramOptions } from './telegram-channel.ts';

/**
 * The options of the channel from the `platforms.telegram` section and the environment; undefined without a token. As in
 * the original, variables have precedence, and `base_url` may end with `/bot`, to which the token is appended.
 */
export function readTelegramOptions(
  section: JsonObject | undefined,
  variables: NetworkVariables,
): TelegramOptions | undefined {
  const token = (variables['TELEGRAM_BOT_TOKEN'] || textAt(section, 'token') || '').trim();
  if (token === '') return undefined;
  const extra = isJsonObject(section?.['extra']) ? section['extra'] : {};
  const baseUrl = readUrl(extra, 'base_url');
  const fileBaseUrl = readUrl(extra, 'base_file_url') ?? baseUrl?.replace(/\/bot$/, '/file/bot');
  const proxy = variables['TELEGRAM_PROXY']?.trim();
  return {
    token,
    variables,
    linkPreviews: extra['disable_link_previews'] !== true,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(fileBaseUrl !== undefined && { fileBaseUrl }),
    ...(proxy && { proxy: { setting: 'TELEGRAM_PROXY', url: proxy } }),
  };
}

function readUrl(extra: JsonObject, name: string): string | undefined {
  const value = textAt(extra, name)?.trim();
  if (value === undefined || value === '') return undefined;
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new ConfigurationError(`platforms.telegram.extra.${name}: ${value} is not an http or https URL.`);
  }
  const plain = value.replace(/\/+$/, '');
  return plain.endsWith('/bot') ? plain : `${plain}${name === 'base_url' ? '/bot' : '/file/bot'}`;
}
