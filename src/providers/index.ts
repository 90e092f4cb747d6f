export type { RouteFlags } from './choose-provider.ts';
export { describeRoutes, type RouteDescription } from './describe-routes.ts';
export { findKey } from './find-key.ts';
export { findProvider, hostOf } from './find-provider.ts';
export { findLocalServers, type LocalServer, listModels } from './list-models.ts';
export { isLocalEndpoint } from './local-endpoint.ts';
export type * from './provider-row.ts';
export { PROVIDERS } from './provider-table.ts';
export { type ResolvedRoutes, resolveRoutes } from './resolve-routes.ts';
