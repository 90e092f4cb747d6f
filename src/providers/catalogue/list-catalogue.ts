import type { ApiMode, ModelFacts } from '../../contracts/index.ts';
import type { ListModelsOptions } from '../../llm/index.ts';
import { withoutUndefined } from '../../util/index.ts';
import { readEndpointModels } from './endpoint-models.ts';
import type { CatalogueEntry } from './entry-line.ts';
import { findEntry } from './find-facts.ts';
import type { ProviderFile } from './provider-file.ts';
import { readCatalogue } from './catalogue-files.ts';

/** A model in a list for the user. */
export type CatalogueModel = CatalogueEntry & {
  /** Whether the endpoint itself lists it; otherwise only the catalogue does. */
  listed: boolean;
};

export type ListCatalogueOptions = {
  provider: string;
  home: string;
  /** Configured facts by model name. */
  overrides?: Readonly<Record<string, ModelFacts>>;
  /** The base URL of the provider; without it, only the catalogue is used. */
  endpoint?: Omit<ListModelsOptions, 'apiMode'> & {
    /** The API mode of the provider; by default it is derived from the URL. */
    apiMode?: ApiMode;
  };
};

/**
 * Lists the models of a provider, newest first: those that its endpoint lists, with all known facts, or those of the
 * catalogue if the endpoint does not respond. Models that are known not to support tools are omitted.
 */
export async function listCatalogue(options: ListCatalogueOptions): Promise<CatalogueModel[]> {
  const files = readCatalogue(options.provider, options.home);
  const listed = await listEndpoint(options);
  const entries = listed?.map((entry) => complete(entry, files)) ?? catalogueEntries(files);
  return entries
    .map((entry) => override(entry, options))
    .filter(({ facts }) => facts.tools !== false)
    .toSorted(newestFirst)
    .map((entry) => ({ ...entry, listed: listed !== undefined }));
}

async function listEndpoint({ endpoint }: ListCatalogueOptions): Promise<CatalogueEntry[] | undefined> {
  if (endpoint === undefined) return undefined;
  const { chooseApiMode, listModelEntries } = await import('../../llm/index.ts');
  const { baseUrl } = endpoint;
  const list = await listModelEntries({ ...endpoint, apiMode: chooseApiMode({ explicit: endpoint.apiMode, baseUrl }) });
  const version = new Date().toISOString().slice(0, 10);
  return list && readEndpointModels(list, { source: URL.parse(baseUrl)?.host ?? baseUrl, version });
}

/** Facts from the endpoint override those of the catalogue. */
function complete(entry: CatalogueEntry, files: readonly ProviderFile[]): CatalogueEntry {
  const known = findEntry(files, entry.id);
  const released = entry.released ?? known?.released;
  return withoutUndefined({ id: entry.id, facts: { ...known?.facts, ...entry.facts }, released });
}

/** The entries of all files, each model once. The newest file comes first; older files add older models. */
function catalogueEntries(files: readonly ProviderFile[]): CatalogueEntry[] {
  const byName = new Map<string, CatalogueEntry>();
  for (const entry of files.flatMap((file) => file.entries())) {
    const key = entry.id.toLowerCase();
    if (!byName.has(key)) byName.set(key, entry);
  }
  return [...byName.values()];
}

function override(entry: CatalogueEntry, { overrides = {}, provider }: ListCatalogueOptions): CatalogueEntry {
  const written = { ...overrides[entry.id], ...overrides[`${provider}/${entry.id}`] };
  return { ...entry, facts: { ...entry.facts, ...written } };
}

const NAMES = /* @__PURE__ */ new Intl.Collator('en', { numeric: true });

/** By release date. Models without one come last, higher numbers in the name first. */
function newestFirst(a: CatalogueEntry, b: CatalogueEntry): number {
  const byDay = (b.released ?? '').localeCompare(a.released ?? '');
  return byDay === 0 ? NAMES.compare(b.id, a.id) : byDay;
}
