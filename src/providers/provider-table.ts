import type { ProviderRow } from './provider-row.ts';
import { GATEWAYS } from './table/gateways.ts';
import { LOGINS } from './table/logins.ts';
import { MAKERS, MORE_MAKERS } from './table/makers.ts';
import { OWN_SERVERS } from './table/own-servers.ts';

/** The order in which keys in the environment are checked if nothing was chosen. */
export const PROVIDERS: readonly ProviderRow[] = [...GATEWAYS, ...MAKERS, ...MORE_MAKERS, ...LOGINS, ...OWN_SERVERS];
