import * as z from 'zod/mini';
import { API_MODES, AUXILIARY_TASKS, type AuxiliaryTask, CACHE_TTL_SETTINGS } from '../contracts/index.ts';
import { amount, cachingMode, count, endpoint, flag, oneOf, section, text, toList } from './schema-parts.ts';

function endpointKeys() {
  return {
    base_url: z.optional(endpoint),
    api_key: z.optional(text),
    api_mode: z.optional(oneOf(API_MODES)),
    context_length: z.optional(count),
    ...requestKeys(),
  };
}

/** What is added to every request to an endpoint. */
function requestKeys() {
  const query = z.pipe(
    z.transform((value) => (['number', 'boolean'].includes(typeof value) ? String(value) : value)),
    text,
  );
  return {
    headers: z.optional(z.record(z.string(), text, 'a mapping of header names to text')),
    query: z.optional(z.record(z.string(), query, 'a mapping of names to text')),
    extra_body: z.optional(z.record(z.string(), z.unknown(), 'a mapping of fields of the request body')),
  };
}

export function providersSection() {
  const name = z.optional(text);
  const { headers: _, query: __, extra_body: ___, ...address } = endpointKeys();
  const keys = {
    ...requestKeys(),
    ...cachingKeys(),
    profile: name,
    region: name,
    project: name,
    resource: name,
    // The original defines endpoints here, under the first or the second name.
    ...address,
    url: address.base_url,
    api: address.base_url,
    transport: address.api_mode,
    key_env: name,
    model: name,
    default_model: name,
    name,
    models: endpointModels(),
  };
  return z.record(z.string(), z.looseObject(keys, 'a mapping with headers, …'), 'a mapping of provider names to keys');
}

export function imageSection() {
  const name = z.optional(text);
  return section({ provider: name, model: name, base_url: z.optional(endpoint), api_key: name });
}

export function cachingSection() {
  return section({ mode: cachingMode(), cache_ttl: z.optional(oneOf(CACHE_TTL_SETTINGS)) });
}

/** The prompt caching of one endpoint. */
function cachingKeys() {
  return { prompt_caching: z.optional(section({ mode: cachingMode() })) };
}

const PRICE_WANTED = 'US dollars per million tokens, 0 or more';

/** Model facts by which the user overrides the catalogue. */
export function factsByModel() {
  const price = z.number(PRICE_WANTED).check(z.nonnegative(PRICE_WANTED));
  const prices = { input: price, output: price, cache_read: z.optional(price), cache_write: z.optional(price) };
  const ability = flag();
  const modelFacts = z.looseObject(
    {
      context_length: z.optional(count),
      output_limit: z.optional(count),
      vision: ability,
      documents: ability,
      tools: ability,
      reasoning: ability,
      price: z.optional(z.looseObject(prices, 'a mapping with input and output')),
    },
    'a mapping such as {context_length: 32768}',
  );
  return z.record(z.string(), modelFacts, 'a mapping of model names to model facts');
}

export function modelSection() {
  const name = z.optional(text);
  // Existing files use either key for the model name.
  const keys = { provider: name, default: name, model: name, ...endpointKeys() };
  return z.looseObject(keys, 'a model name, or a mapping with default, provider, base_url, …');
}

export function modelEntry() {
  const name = z.optional(text);
  return z.looseObject({ provider: name, model: name, ...endpointKeys() }, 'a mapping with provider and model');
}

/** Some files have a list of names here, which contains no facts. */
function endpointModels() {
  const toMapping = (models: unknown) => (Array.isArray(models) ? {} : models);
  return z.optional(z.pipe(z.transform(toMapping), factsByModel()));
}

export function customProvider() {
  const keys = {
    name: z.optional(text),
    model: z.optional(text),
    key_env: z.optional(text),
    models: endpointModels(),
    ...endpointKeys(),
    ...cachingKeys(),
  };
  return z.looseObject(keys, 'a mapping with name and base_url');
}

export function login() {
  // Logins send secrets to these URLs, so they must be encrypted.
  const wanted = 'an https URL (http only for this machine, such as http://127.0.0.1:8080/token)';
  const address = z.optional(text.check(z.refine(isPrivateAddress, wanted)));
  const keys = {
    client_id: z.optional(text),
    scope: z.optional(text),
    device_url: address,
    authorize_url: address,
    token_url: address,
    redirect_uri: address,
    exchange_url: address,
  };
  return z.looseObject(keys, 'a mapping with client_id, token_url, …');
}

export function auxiliarySection() {
  const task = z.optional(
    z.looseObject(
      {
        provider: z.optional(text),
        model: z.optional(text),
        ...endpointKeys(),
        timeout: z.optional(amount()),
        fallback: z.optional(
          z.pipe(z.transform(toList), z.array(modelEntry(), 'a list of mappings with provider and model')),
        ),
        enabled: flag(),
      },
      'a mapping with provider, model, base_url, …',
    ),
  );
  const tasks = AUXILIARY_TASKS.map((name) => [name, task]);
  return section(Object.fromEntries(tasks) as Record<AuxiliaryTask, typeof task>);
}

function isPrivateAddress(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:') return true;
  return url.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
}
