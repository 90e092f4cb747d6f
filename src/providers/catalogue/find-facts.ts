import type { ModelFacts } from '../../contracts/index.ts';
import { withoutUndefined } from '../../util/index.ts';
import type { CatalogueEntry } from './entry-line.ts';
import { familyWindow } from './family-window.ts';
import { takeApart } from './model-name.ts';
import type { ProviderFile } from './provider-file.ts';
import { readCatalogue } from './read-files.ts';

export type FactsQuery = {
  /** Whose service it is; undefined where the address is nobody's we know. */
  provider: string | undefined;
  model: string;
  home: string | undefined;
  /** A server of one's own, whose models have names of their own. */
  local?: boolean;
};

/** Has nearly every model that others offer, so it is asked about a model where its own service is not known. */
const GENERAL = 'openrouter';

/**
 * What the catalogue knows of a model: of the provider's own entry everything, of the same model elsewhere what is in
 * the nature of the model. Prices are never taken over from elsewhere.
 */
export function findFacts({ provider, model, home, local }: FactsQuery): ModelFacts {
  const own = provider === undefined ? [] : readCatalogue(provider, home);
  const entry = findEntry(own, model);
  const subscription = own.some((file) => file.subscription);
  const elsewhere = entry !== undefined || local ? {} : factsElsewhere(model, home);
  const facts: ModelFacts = { ...elsewhere, ...entry?.facts, ...(subscription ? { subscription } : {}) };
  const fast = subscription ? undefined : findExact(own, `${entry?.id ?? model}-fast`)?.facts.price;
  if (fast !== undefined) facts.fastPrice = fast;
  const window = facts.contextLength ?? familyWindow(model);
  return window === undefined ? facts : { ...facts, contextLength: window };
}

function factsElsewhere(model: string, home: string | undefined): ModelFacts {
  const { contextLength, vision, reasoning } = findEntry(readCatalogue(GENERAL, home), model)?.facts ?? {};
  return withoutUndefined({ contextLength, vision, reasoning });
}

/** The entry of a name, however it is written: with or without its maker, a date, a variant, dots or dashes. */
export function findEntry(files: readonly ProviderFile[], model: string): CatalogueEntry | undefined {
  const exact = findExact(files, model);
  if (exact !== undefined) return exact;
  const asked = takeApart(model);
  if (asked.bare === '') return undefined;
  for (const file of files) {
    const candidates = file.findPart(asked.bare).map((entry) => ({ entry, name: takeApart(entry.id) }));
    const same = candidates.filter(({ name }) => name.base === asked.base);
    const alike = same.length > 0 ? same : candidates.filter(({ name }) => name.bare === asked.bare);
    const found = chooseAlike(alike, asked.variant);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findExact(files: readonly ProviderFile[], model: string): CatalogueEntry | undefined {
  for (const file of files) {
    const entry = file.find(model);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

type Candidate = { entry: CatalogueEntry; name: { variant: string } };

/** The newest of those that are alike. Its price counts only where they agree on it and the variant is the same. */
function chooseAlike(alike: readonly Candidate[], variant: string): CatalogueEntry | undefined {
  const fitting = alike.filter(({ name }) => name.variant === variant);
  const chosen = (fitting.length > 0 ? fitting : alike).map(({ entry }) => entry);
  const newest = chosen.toSorted((a, b) => (a.id < b.id ? 1 : -1))[0];
  if (newest === undefined) return undefined;
  const prices = new Set(chosen.map(({ facts }) => JSON.stringify(facts.price)));
  if (fitting.length > 0 && prices.size === 1) return newest;
  const { price: _, ...facts } = newest.facts;
  return { ...newest, facts };
}
