import type { CatalogueModel, ListCatalogueOptions } from './list-catalogue.ts';
import type { RefreshOptions, RefreshOutcome } from './refresh.ts';

export type { CatalogueModel } from './list-catalogue.ts';
export { attachFacts, collectFacts, type FactsSource } from './attach-facts.ts';
export { estimateCost } from './cost.ts';

/** Both functions load their modules on demand, because startup needs neither. */
export async function listCatalogue(options: ListCatalogueOptions): Promise<CatalogueModel[]> {
  return (await import('./list-catalogue.ts')).listCatalogue(options);
}

export async function refreshCatalogue(options: RefreshOptions): Promise<RefreshOutcome> {
  return (await import('./refresh.ts')).refreshCatalogue(options);
}
