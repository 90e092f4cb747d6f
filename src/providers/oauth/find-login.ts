import type { LoginOverrides, Settings } from '../../config/index.ts';
import type { Login, LoginSettings } from './login-settings.ts';
import { LOGINS } from './login-table.ts';

/** How one logs in at a provider: its row, with what the person set. A login may be made of the latter alone. */
export function findLogin(
  settings: Pick<Settings, 'logins'> & Partial<Pick<Settings, 'variables'>>,
  provider: string,
  name?: string,
): Login | undefined {
  const row = Object.hasOwn(LOGINS, provider) ? LOGINS[provider] : undefined;
  const overrides = settings.logins && Object.hasOwn(settings.logins, provider) ? settings.logins[provider] : undefined;
  if (row === undefined && overrides === undefined) return undefined;
  return {
    ...merge(row ?? { name: name ?? provider, flow: 'device' }, overrides ?? {}),
    provider,
    variables: settings.variables,
  };
}

function merge(row: LoginSettings, { exchangeUrl, ...simple }: LoginOverrides): LoginSettings {
  const set = Object.fromEntries(Object.entries(simple).filter(([, value]) => value !== undefined));
  // Whoever names the address of a flow wants that flow.
  const flow = simple.deviceUrl !== undefined ? 'device' : simple.authorizeUrl !== undefined ? 'code' : row.flow;
  const exchange = row.exchange && exchangeUrl !== undefined ? { ...row.exchange, url: exchangeUrl } : row.exchange;
  return { ...row, ...set, flow, exchange };
}
