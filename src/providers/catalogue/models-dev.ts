import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../base/index.ts';
import type { ModelFacts, ModelPrice, TokenPrices } from '../../contracts/index.ts';
import { isPlausiblePrice } from './endpoint-models.ts';
import { type CatalogueEntry, isModelName } from './entry-line.ts';

/** The names of our providers in that catalogue. */
const NAMES: Readonly<Record<string, string>> = {
  'ai-gateway': 'vercel',
  alibaba: 'alibaba',
  anthropic: 'anthropic',
  azure: 'azure',
  bedrock: 'amazon-bedrock',
  copilot: 'github-copilot',
  deepseek: 'deepseek',
  gemini: 'google',
  huggingface: 'huggingface',
  'kimi-coding': 'moonshotai',
  'kimi-coding-cn': 'moonshotai-cn',
  minimax: 'minimax',
  'minimax-cn': 'minimax-cn',
  openai: 'openai',
  'opencode-go': 'opencode-go',
  'opencode-zen': 'opencode',
  openrouter: 'openrouter',
  vertex: 'google-vertex',
  xai: 'xai',
  zai: 'zai',
};

/** A provider with more models than this is rejected. */
const MAX_MODELS = 3_000;

type PriceOrigin = Pick<ModelPrice, 'source' | 'version'>;

/** Converts the catalogue of models.dev, by provider; empty if the text is something else. */
export function readModelsDev(text: string, origin: PriceOrigin): Map<string, CatalogueEntry[]> {
  const document = parseJson(text);
  const found = new Map<string, CatalogueEntry[]>();
  if (!isJsonObject(document)) return found;
  for (const [provider, name] of Object.entries(NAMES)) {
    const section = document[name];
    const models = isJsonObject(section) && isJsonObject(section['models']) ? section['models'] : {};
    const entries = Object.entries(models)
      .slice(0, MAX_MODELS)
      .flatMap(([id, model]) => toEntries(id, model, origin));
    if (entries.length > 0) found.set(provider, entries);
  }
  return found;
}

function toEntries(id: string, model: JsonValue, origin: PriceOrigin): CatalogueEntry[] {
  if (!isJsonObject(model) || !isModelName(id)) return [];
  const { release_date: released } = model;
  const modalities = isJsonObject(model['modalities']) ? model['modalities'] : {};
  if (Array.isArray(modalities['output']) && !modalities['output'].includes('text')) return [];
  const entry = { id, facts: factsOf(id, model, modalities['input'], origin) };
  return [typeof released === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(released) ? { ...entry, released } : entry];
}

function factsOf(id: string, model: JsonObject, input: JsonValue | undefined, origin: PriceOrigin): ModelFacts {
  const { limit, tool_call: tools, reasoning } = model;
  const { context, output } = isJsonObject(limit) ? limit : {};
  const price = priceOf(id, model['cost'], origin);
  return {
    ...(isCount(context) ? { contextLength: context } : {}),
    ...(isCount(output) ? { outputLimit: output } : {}),
    ...(typeof tools === 'boolean' ? { tools } : {}),
    ...(typeof reasoning === 'boolean' ? { reasoning } : {}),
    ...(Array.isArray(input) ? { vision: input.includes('image'), documents: input.includes('pdf') } : {}),
    ...(price === undefined ? {} : { price }),
  };
}

function priceOf(id: string, cost: JsonValue | undefined, origin: PriceOrigin): ModelPrice | undefined {
  const prices = readPrices(cost);
  if (prices === undefined || !isPlausiblePrice(id, prices.input, prices.output) || !isJsonObject(cost))
    return undefined;
  const larger = cost['context_over_200k'];
  // If the tiers have an unknown format, there is no price, because the base price must not be used for large calls.
  if (cost['tiers'] !== undefined && larger === undefined) return undefined;
  if (larger === undefined) return { ...prices, ...origin };
  const tier = readPrices(larger);
  return tier && { ...prices, tiers: [{ above: 200_000, ...tier }], ...origin };
}

function readPrices(cost: JsonValue | undefined): TokenPrices | undefined {
  if (!isJsonObject(cost)) return undefined;
  const { input, output, cache_read: cacheRead, cache_write: cacheWrite } = cost;
  if (!isPrice(input) || !isPrice(output)) return undefined;
  return {
    input,
    output,
    ...(isPrice(cacheRead) && cacheRead > 0 ? { cacheRead } : {}),
    ...(isPrice(cacheWrite) && cacheWrite > 0 ? { cacheWrite } : {}),
  };
}

function isPrice(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && value >= 0 && value < 100_000;
}

function isCount(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}
