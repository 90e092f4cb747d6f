import type { ConfigFile } from './schema.ts';
import type { LoginOverrides, Settings } from './settings.ts';

/** How credentials are chosen and logins are made, as far as a file says so. */
export function readCredentialSettings(values: ConfigFile): Pick<Settings, 'poolStrategies' | 'logins'> {
  const { credential_pool_strategies: poolStrategies, auth } = values;
  if (auth === undefined) return { poolStrategies };
  const logins = Object.entries(auth).map(([provider, entry]): [string, LoginOverrides] => [
    provider,
    {
      clientId: entry.client_id,
      scope: entry.scope,
      deviceUrl: entry.device_url,
      authorizeUrl: entry.authorize_url,
      tokenUrl: entry.token_url,
      redirectUri: entry.redirect_uri,
      exchangeUrl: entry.exchange_url,
    },
  ]);
  return { poolStrategies, logins: Object.fromEntries(logins) };
}
