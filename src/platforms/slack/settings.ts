import type { PlatformSettings } from '../../config/gateway/index.ts';
import type { SlackOptions } from './slack-channel.ts';

type UsedSettings = Pick<PlatformSettings, 'token' | 'baseUrl' | 'linkPreviews' | 'proxy' | 'variables' | 'slack'>;

export function toSlackOptions({ token, baseUrl, linkPreviews, proxy, variables, slack }: UsedSettings): SlackOptions {
  return {
    appToken: '',
    ...(slack ?? { tokens: [token] }),
    variables,
    linkPreviews,
    ...(baseUrl !== undefined && { baseUrl: `${baseUrl.trim().replace(/\/+$/, '')}/` }),
    ...(proxy && { proxy }),
  };
}
