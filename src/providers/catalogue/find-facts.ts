import type { ModelFacts } from '../../contracts/index.ts';
import { withoutUndefined } from '../../util/index.ts';
import type { CatalogueEntry } from './entry-line.ts';
import type { ProviderFile } from './provider-file.ts';
import { readCatalogue } from './catalogue-files.ts';

export type FactsQuery = {
  /** The API service; undefined if it is unknown. */
  provider: string | undefined;
  model: string;
  home: string | undefined;
  /** Whether it is a local server, whose model names are its own. */
  local?: boolean;
};

/** The provider whose entries are used for models of an unknown service, because it lists nearly every model. */
const GENERAL_PROVIDER = 'openrouter';

/**
 * Looks a model up in the catalogue. The provider's own entry gives all facts; the entry of another provider gives
 * only those that belong to the model itself, never prices.
 */
export function findFacts({ provider, model, home, local }: FactsQuery): ModelFacts {
  const own = provider === undefined ? [] : readCatalogue(provider, home);
  const entry = findEntry(own, model);
  const subscription = own.some((file) => file.subscription);
  const elsewhere = entry !== undefined || local ? {} : factsOfGeneralProvider(model, home);
  const facts: ModelFacts = { ...elsewhere, ...entry?.facts, ...(subscription ? { subscription } : {}) };
  const fast = subscription ? undefined : findExact(own, `${entry?.id ?? model}-fast`)?.facts.price;
  if (fast !== undefined) facts.fastPrice = fast;
  const window = facts.contextLength ?? familyWindow(model);
  return window === undefined ? facts : { ...facts, contextLength: window };
}

function factsOfGeneralProvider(model: string, home: string | undefined): ModelFacts {
  const { contextLength, vision, reasoning } = findEntry(readCatalogue(GENERAL_PROVIDER, home), model)?.facts ?? {};
  return withoutUndefined({ contextLength, vision, reasoning });
}

/** Finds the entry of a name with or without its vendor, date, variant, dots or dashes. */
export function findEntry(files: readonly ProviderFile[], model: string): CatalogueEntry | undefined {
  const exact = findExact(files, model);
  if (exact !== undefined) return exact;
  const asked = parseName(model);
  if (asked.bare === '') return undefined;
  for (const file of files) {
    const candidates = file.findPart(asked.bare).map((entry) => ({ entry, name: parseName(entry.id) }));
    const same = candidates.filter(({ name }) => name.base === asked.base);
    const alike = same.length > 0 ? same : candidates.filter(({ name }) => name.bare === asked.bare);
    const found = chooseSimilar(alike, asked.variant);
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

/**
 * The newest of several similar entries. Its price is used only if all of them have the same and the variant matches.
 */
function chooseSimilar(alike: readonly Candidate[], variant: string): CatalogueEntry | undefined {
  const fitting = alike.filter(({ name }) => name.variant === variant);
  const chosen = (fitting.length > 0 ? fitting : alike).map(({ entry }) => entry);
  const newest = chosen.toSorted((a, b) => (a.id < b.id ? 1 : -1))[0];
  if (newest === undefined) return undefined;
  const prices = new Set(chosen.map(({ facts }) => JSON.stringify(facts.price)));
  if (fitting.length > 0 && prices.size === 1) return newest;
  const { price: _, ...facts } = newest.facts;
  return { ...newest, facts };
}

/** The parts of a name such as `anthropic/claude-opus-4.8-20260101:free`. */
type NameParts = {
  /** The name without date and variant, with dashes instead of dots. */
  base: string;
  /** `base` without the vendor. */
  bare: string;
  /** The part after the colon: the same model with a different service, often at a different price. */
  variant: string;
};

const DATE = /-(?:20\d{2}-?\d{2}-?\d{2}|latest)$/;

function parseName(name: string): NameParts {
  const [plain = '', variant = ''] = name.toLowerCase().replace(/^~/, '').split(':', 2);
  const base = plain.replace(DATE, '').replaceAll('.', '-');
  return { base, bare: base.slice(base.lastIndexOf('/') + 1), variant };
}

/** The context window of the model family; undefined if the name matches none. */
export function familyWindow(model: string): number | undefined {
  const name = model.toLowerCase();
  let longest = '';
  for (const part of Object.keys(FAMILY_WINDOWS)) {
    if (part.length > longest.length && name.includes(part)) longest = part;
  }
  return FAMILY_WINDOWS[longest];
}

/** Context windows in tokens by a part of the model's name, in lower case; the longest match wins. */
const FAMILY_WINDOWS: Readonly<Record<string, number>> = {
  'claude-fable-5': 1_000_000,
  'claude-fable': 1_000_000,
  'claude-opus-5': 1_000_000,
  'claude-sonnet-5': 1_000_000,
  'claude-opus-4-8': 1_000_000,
  'claude-opus-4.8': 1_000_000,
  'claude-opus-4-7': 1_000_000,
  'claude-opus-4.7': 1_000_000,
  'claude-opus-4-6': 1_000_000,
  'claude-sonnet-4-6': 1_000_000,
  'claude-opus-4.6': 1_000_000,
  'claude-sonnet-4.6': 1_000_000,
  claude: 200_000,
  'gpt-5.6-luna': 1_050_000,
  'gpt-5.6-terra': 1_050_000,
  'gpt-5.6-sol': 1_050_000,
  'gpt-5.5': 1_050_000,
  'gpt-5.4-nano': 400_000,
  'gpt-5.4-mini': 400_000,
  'gpt-5.4': 1_050_000,
  'gpt-5.3-codex-spark': 128_000,
  'gpt-5.1-chat': 128_000,
  'gpt-5': 400_000,
  'gpt-4.1': 1_047_576,
  'gpt-4': 128_000,
  gemini: 1_048_576,
  'gemma-4': 256_000,
  gemma4: 256_000,
  'gemma-4-31b': 256_000,
  'gemma-3': 131_072,
  gemma: 8_192,
  'deepseek-v4-pro': 1_000_000,
  'deepseek-v4-flash': 1_000_000,
  'deepseek-chat': 1_000_000,
  'deepseek-reasoner': 1_000_000,
  deepseek: 128_000,
  llama: 131_072,
  'qwen3.8-max': 1_000_000,
  'qwen3.6-plus': 1_048_576,
  'qwen3.7-plus': 1_048_576,
  'qwen3-coder-plus': 1_000_000,
  'qwen3-coder': 262_144,
  'qwen3-max': 262_144,
  qwen: 131_072,
  'minimax-m3': 1_000_000,
  minimax: 204_800,
  'glm-5.2': 1_048_576,
  'glm-5.2:free': 256_000,
  'glm-5.3': 1_048_576,
  glm: 202_752,
  'grok-composer': 200_000,
  'grok-build-latest': 500_000,
  'grok-build': 256_000,
  'grok-code-fast': 256_000,
  'grok-2-vision': 8_192,
  'grok-4-fast': 2_000_000,
  'grok-4.20': 2_000_000,
  'grok-4.6': 500_000,
  'grok-4.5': 500_000,
  'grok-4.3': 1_000_000,
  'grok-4': 256_000,
  'grok-3': 131_072,
  'grok-2': 131_072,
  grok: 131_072,
  'kimi-k3': 1_048_576,
  kimi: 262_144,
  'solar-open2': 262_144,
  'solar-pro3': 131_072,
  'solar-pro2': 65_536,
  'solar-mini': 32_768,
  'hy3-preview': 262_144,
  hy3: 262_144,
  'x-preview-f': 1_048_576,
  'ox-alpha': 1_048_576,
  'nemotron-3.5-lightning': 1_000_000,
  nemotron: 131_072,
  'laguna-s-2.1': 262_144,
  'laguna-xs-2.1': 262_144,
  trinity: 262_144,
  elephant: 262_144,
  'qwen/qwen3.5-397b-a17b': 131_072,
  'qwen/qwen3.5-35b-a3b': 131_072,
  'deepseek-ai/deepseek-v3.2': 65_536,
  'moonshotai/kimi-k2.5': 262_144,
  'moonshotai/kimi-k2.6': 262_144,
  'moonshotai/kimi-k2-thinking': 262_144,
  'minimaxai/minimax-m2.5': 204_800,
  'xiaomimimo/mimo-v2-flash': 262_144,
  'mimo-v2-pro': 1_048_576,
  'mimo-v2.5-pro': 1_048_576,
  'mimo-v2.5': 1_048_576,
  'mimo-v2-omni': 262_144,
  'mimo-v2-flash': 262_144,
  'zai-org/glm-5': 202_752,
};
