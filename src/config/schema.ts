import * as z from 'zod/mini';
import { API_MODES } from '../contracts/index.ts';
import { findAddressFault } from './address.ts';
import { APPROVAL_MODES, BUSY_INPUT_MODES } from './settings.ts';

/**
 * What the keys we read must look like. Every message says what is wanted, because it ends a sentence of the form
 * `config.yaml, line 7: agent.max_turns must be …`. Keys we do not know belong to others and are left alone.
 */
export type ConfigFile = z.infer<typeof configFileSchema>;
export type EndpointEntry = z.infer<typeof modelEntry>;
export type FactsEntry = z.infer<typeof factsByModel>[string];

const text = z.string('text (put it in quotes if it looks like a number)');
const amount = z.number('a number above 0').check(z.positive('a number above 0'));
const count = z.int('a whole number above 0').check(z.positive('a whole number above 0'));
const names = z.array(text, 'a list of names');
const yesOrNo = z.boolean('true or false');
const endpoint = text.check(
  // A variable is filled in later; what it holds is checked when the endpoint is used.
  z.refine((value) => value.includes('${') || findAddressFault(value) === undefined, {
    error: (issue) => findAddressFault(String(issue.input))?.wanted,
  }),
);

const PRICE_WANTED = 'US dollars per million tokens, 0 or more';

function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, `one of ${values.join(', ')}`);
}

function section<const Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.optional(z.looseObject(shape, 'a mapping of keys to values'));
}

const endpointKeys = {
  base_url: z.optional(endpoint),
  api_key: z.optional(text),
  api_mode: z.optional(oneOf(API_MODES)),
  context_length: z.optional(count),
};

/** What a person knows better than the catalogue. Put together when a file has such a key, which few have. */
const factsByModel = z.lazy(() => {
  const price = z.number(PRICE_WANTED).check(z.nonnegative(PRICE_WANTED));
  const prices = { input: price, output: price, cache_read: z.optional(price), cache_write: z.optional(price) };
  const modelFacts = z.looseObject(
    {
      context_length: z.optional(count),
      output_limit: z.optional(count),
      vision: z.optional(yesOrNo),
      documents: z.optional(yesOrNo),
      tools: z.optional(yesOrNo),
      reasoning: z.optional(yesOrNo),
      price: z.optional(z.looseObject(prices, 'a mapping with input and output')),
    },
    'a mapping such as {context_length: 32768}',
  );
  return z.record(z.string(), modelFacts, 'a mapping of model names to what is known of them');
});

const modelSection = z.looseObject(
  // Existing files have the name of the model under either key.
  { provider: z.optional(text), default: z.optional(text), model: z.optional(text), ...endpointKeys },
  'a model name, or a mapping with default, provider, base_url, …',
);

const modelEntry = z.looseObject(
  { provider: z.optional(text), model: z.optional(text), ...endpointKeys },
  'a mapping with provider and model',
);

const customProvider = z.looseObject(
  {
    name: z.optional(text),
    model: z.optional(text),
    key_env: z.optional(text),
    // Some files have a list of names here, which says nothing about them.
    models: z.optional(
      z.pipe(
        z.transform((models) => (Array.isArray(models) ? {} : models)),
        factsByModel,
      ),
    ),
    ...endpointKeys,
  },
  'a mapping with name and base_url',
);

export const configFileSchema = z.looseObject(
  {
    model: z.optional(modelSection),
    fallback_model: z.optional(modelEntry),
    fallback_providers: z.optional(z.array(modelEntry, 'a list of mappings with provider and model')),
    custom_providers: z.optional(z.array(customProvider, 'a list of mappings with name and base_url')),
    model_overrides: z.optional(factsByModel),
    models_dev: section({ url: z.optional(endpoint) }),
    model_catalog: section({ enabled: z.optional(yesOrNo) }),
    network: section({ background_refresh: z.optional(yesOrNo) }),
    agent: section({
      max_turns: z.optional(count),
      stream_stale_timeout: z.optional(amount),
      disabled_toolsets: z.optional(names),
    }),
    toolsets: z.optional(names),
    tools: section({ allow_override: z.optional(names) }),
    security: section({ allow_private_urls: z.optional(yesOrNo) }),
    limits: section({
      session_usd: z.optional(amount),
      day_usd: z.optional(amount),
      session_tokens: z.optional(count),
      turn_seconds: z.optional(amount),
    }),
    approvals: section({ mode: z.optional(oneOf(APPROVAL_MODES)), timeout: z.optional(amount) }),
    command_allowlist: z.optional(z.array(text, 'a list of texts')),
    display: section({ busy_input_mode: z.optional(oneOf(BUSY_INPUT_MODES)) }),
  },
  'a mapping of keys to values',
);
