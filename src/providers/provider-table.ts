import type { ProviderRow } from './provider-row.ts';
import { GATEWAYS } from './table/gateways.ts';
import { CLOUDS } from './table/clouds.ts';
import { LOGINS } from './table/logins.ts';
import { VENDORS, MORE_VENDORS } from './table/vendors.ts';
import { LOCAL_SERVERS } from './table/local-servers.ts';

/** All providers, in the order in which their keys are looked up if no provider was chosen. */
export const PROVIDERS: readonly ProviderRow[] = [
  ...GATEWAYS,
  ...VENDORS,
  ...MORE_VENDORS,
  ...LOGINS,
  ...CLOUDS,
  ...LOCAL_SERVERS,
];
