import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import type { ModelFacts, ModelPrice } from '../../contracts/index.ts';
import { withoutUndefined } from '../../util/index.ts';
import { type CatalogueEntry, isModelName } from './entry-line.ts';

type PriceOrigin = Pick<ModelPrice, 'source' | 'version'>;

/**
 * Parses the model list of an endpoint, with only the language models. Every endpoint names the fields differently;
 * the formats of OpenRouter, the AI Gateway, LM Studio, vLLM and Anthropic are supported.
 */
export function readEndpointModels(list: readonly JsonObject[], origin: PriceOrigin): CatalogueEntry[] {
  return list.flatMap((model) => {
    const { id } = model;
    if (typeof id !== 'string' || !isModelName(id) || !isLanguageModel(model)) return [];
    const released = releaseOf(model);
    return [{ id, facts: factsOf(id, model, origin), ...(released === undefined ? {} : { released }) }];
  });
}

const LANGUAGE_TYPES: readonly JsonValue[] = ['language', 'llm', 'vlm', 'chat', 'model'];

function isLanguageModel({ type, architecture }: JsonObject): boolean {
  if (typeof type === 'string') return LANGUAGE_TYPES.includes(type);
  const written = isJsonObject(architecture) ? texts(architecture['output_modalities']) : undefined;
  return written === undefined || written.includes('text');
}

function factsOf(id: string, model: JsonObject, origin: PriceOrigin): ModelFacts {
  const top = isJsonObject(model['top_provider']) ? model['top_provider'] : {};
  // A fact that the endpoint does not report must not override one from another source.
  return withoutUndefined({
    contextLength: windowOf(model),
    outputLimit: firstCount(top['max_completion_tokens'], model['max_tokens']),
    price: priceOf(id, model['pricing'], origin),
    ...abilitiesOf(model),
  });
}

/** The context window in an entry, if there is one. */
export function windowOf(model: JsonObject): number | undefined {
  return firstCount(
    // LM Studio: the window the model was loaded with, which may be smaller than its maximum.
    model['loaded_context_length'],
    model['max_context_length'],
    model['max_model_len'],
    model['context_length'],
    model['context_window'],
    model['max_input_tokens'],
  );
}

function abilitiesOf(model: JsonObject): ModelFacts {
  const { architecture } = model;
  const parameters = texts(model['supported_parameters']);
  const tags = texts(model['tags']) ?? texts(model['capabilities']);
  const read = isJsonObject(architecture) ? texts(architecture['input_modalities']) : undefined;
  return {
    tools: parameters?.includes('tools') ?? hasTag(tags, 'tool-use', 'tool_use'),
    reasoning: parameters?.includes('reasoning') ?? hasTag(tags, 'reasoning'),
    vision: read?.includes('image') ?? hasTag(tags, 'vision'),
    documents: read?.includes('file') ?? hasTag(tags, 'file-input'),
  };
}

function hasTag(tags: readonly string[] | undefined, ...names: string[]): boolean | undefined {
  return tags === undefined ? undefined : names.some((name) => tags.includes(name));
}

/** Prices are strings, per token. A price that depends on more than tokens cannot be represented and is ignored. */
function priceOf(id: string, pricing: JsonValue | undefined, origin: PriceOrigin): ModelPrice | undefined {
  if (!isJsonObject(pricing) || Object.keys(pricing).some((key) => key.endsWith('_tiers'))) return undefined;
  if (Number(pricing['request'] ?? 0) !== 0) return undefined;
  const input = perMillion(pricing['prompt'] ?? pricing['input']);
  const output = perMillion(pricing['completion'] ?? pricing['output']);
  if (input === undefined || output === undefined || !isPlausiblePrice(id, input, output)) return undefined;
  const cacheRead = perMillion(pricing['input_cache_read']);
  const cacheWrite = perMillion(pricing['input_cache_write']);
  return {
    input,
    output,
    ...(cacheRead ? { cacheRead } : {}),
    ...(cacheWrite ? { cacheWrite } : {}),
    ...origin,
  };
}

/** A price of 0 may mean "unknown" or "free"; it is accepted only if the name says free. */
export function isPlausiblePrice(id: string, input: number, output: number): boolean {
  return input > 0 || output > 0 || /[:-]free$/.test(id);
}

function perMillion(price: JsonValue | undefined): number | undefined {
  const figure = typeof price === 'string' && price !== '' ? Number(price) : price;
  if (typeof figure !== 'number' || !(figure >= 0) || figure > 1) return undefined;
  // 0.0000003 × 1,000,000 is not exactly 0.3 in floating point.
  return Number((figure * 1_000_000).toPrecision(10));
}

function releaseOf({ created, created_at }: JsonObject): string | undefined {
  const text = typeof created_at === 'string' ? created_at : undefined;
  const time = typeof created === 'number' && created > 0 ? created * 1000 : Date.parse(text ?? '');
  // A router reports the Unix epoch as the release date of some models.
  return time > 1e12 && time < 1e13 ? new Date(time).toISOString().slice(0, 10) : undefined;
}

function firstCount(...values: (JsonValue | undefined)[]): number | undefined {
  return values.find((value): value is number => Number.isSafeInteger(value) && (value as number) > 0);
}

function texts(value: JsonValue | undefined): string[] | undefined {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : undefined;
}
