export { listCatalogue, refreshCatalogue } from './catalogue/index.ts';
export type { RouteFlags } from './choose-provider.ts';
export { findProvider, hostOf } from './find-provider.ts';
export { findLocalServers, type LocalServer } from './list-models.ts';
export { isLocalEndpoint } from './local-endpoint.ts';
export { PROVIDERS, type ProviderRow } from './provider-table.ts';
export { type ResolvedRoutes, resolveRoutes } from './resolve-routes.ts';
