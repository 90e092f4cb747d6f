export { type CatalogueModel, listCatalogue, refreshCatalogue } from './catalogue/index.ts';
export { choosePrimary, type RouteFlags } from './choose-provider.ts';
export { describeRoutes, type RouteDescription } from './describe-routes.ts';
export { findKey } from './find-credential.ts';
export { findKeyFault } from './find-key.ts';
export {
  findProvider,
  hostOf,
  isSameAddress,
  type KnownProvider,
  lookUpProvider,
  providerAt,
} from './find-provider.ts';
export { findLocalServers, type LocalServer } from './list-models.ts';
export { isLocalEndpoint } from './local-endpoint.ts';
export { isListed, nearModels } from './near-models.ts';
export { priceCall } from './price-call.ts';
export type * from './provider-row.ts';
export { openOffline } from './open-offline.ts';
export { PROVIDERS } from './provider-table.ts';
export { type ResolvedRoutes, resolveRoutes } from './resolve-routes.ts';
