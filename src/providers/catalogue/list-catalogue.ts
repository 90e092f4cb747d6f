import type { ApiMode, ModelFacts } from '../../contracts/index.ts';
import type { ListModelsOptions } from '../../llm/index.ts';
import { withoutUndefined } from '../../util/index.ts';
import { readEndpointModels } from './endpoint-models.ts';
import type { CatalogueEntry } from './entry-line.ts';
import { findEntry } from './find-facts.ts';
import type { ProviderFile } from './provider-file.ts';
import { readCatalogue } from './read-files.ts';

/** A model as it is offered to a person. */
export type CatalogueModel = CatalogueEntry & {
  /** The endpoint itself says that it has it; otherwise only the catalogue does. */
  listed: boolean;
};

export type ListCatalogueOptions = {
  provider: string;
  home: string;
  /** What the person wrote about models, by name. */
  overrides?: Readonly<Record<string, ModelFacts>>;
  /** Where the provider can be asked for its list; without it only the catalogue speaks. */
  endpoint?: Omit<ListModelsOptions, 'apiMode'> & {
    /** What the provider speaks; without it the address decides. */
    apiMode?: ApiMode;
  };
};

/**
 * The models of a provider, newest first: those its endpoint lists, with what is known of each; where it cannot be
 * asked, those of the catalogue. A model that is known not to call tools is of no use here and left out.
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

/** What the endpoint says counts more than what was said about it. */
function complete(entry: CatalogueEntry, files: readonly ProviderFile[]): CatalogueEntry {
  const known = findEntry(files, entry.id);
  const released = entry.released ?? known?.released;
  return withoutUndefined({ id: entry.id, facts: { ...known?.facts, ...entry.facts }, released });
}

/** The newest file first; what an older one has besides is still true of older models. */
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

/** By the day it came out; without one, a higher number in the name counts as newer, and comes after those with one. */
function newestFirst(a: CatalogueEntry, b: CatalogueEntry): number {
  const byDay = (b.released ?? '').localeCompare(a.released ?? '');
  return byDay === 0 ? NAMES.compare(b.id, a.id) : byDay;
}
