export type { ChoiceOrigin, RouteFlags } from './choose-provider.ts';
export { knownContextLength } from './context-length.ts';
export { hostOf } from './find-provider.ts';
export { findLocalServers, type ListModelsOptions, type LocalServer, listModels } from './list-models.ts';
export { PROVIDERS, type ProviderRow } from './provider-table.ts';
export { type ResolvedRoutes, resolveRoutes } from './resolve-routes.ts';
