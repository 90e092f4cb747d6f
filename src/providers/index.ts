export { type CatalogueModel, listCatalogue, refreshCatalogue } from './catalogue/index.ts';
export { choosePrimary, type RouteFlags } from './choose-provider.ts';
export type { RouteDescription } from './describe-routes.ts';
export { priceCall } from './facts-source.ts';
export { isLocalEndpoint } from './find-base-url.ts';
export { findKey, findKeyProblem } from './find-credential.ts';
export {
  findProvider,
  hostOf,
  isSameUrl,
  type KnownProvider,
  lookUpProvider,
  providerAt,
} from './find-provider.ts';
export { findLocalServers, isListed, type LocalServer, similarModels } from './list-models.ts';
export type * from './provider-row.ts';
export { PROVIDERS } from './provider-table.ts';
export { describeRoutes, openOffline } from './on-demand.ts';
export { type ResolvedRoutes, resolveRoutes } from './resolve-routes.ts';
