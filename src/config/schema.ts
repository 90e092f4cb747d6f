import * as z from 'zod/mini';
import { API_MODES } from '../contracts/index.ts';
import { findAddressFault } from './address.ts';
import { APPROVAL_MODES, BUSY_INPUT_MODES, UNATTENDED_MODES, WORKSPACE_MODES } from './settings.ts';

/**
 * What the keys we read must look like. Every message says what is wanted, because it ends a sentence of the form
 * `config.yaml, line 7: agent.max_turns must be …`. Keys we do not know belong to others and are left alone.
 */
export type ConfigFile = z.infer<typeof configFileSchema>;
export type EndpointEntry = z.infer<typeof modelEntry>;

const text = z.string('text (put it in quotes if it looks like a number)');
const amount = z.number('a number above 0').check(z.positive('a number above 0'));
const count = z.int('a whole number above 0').check(z.positive('a whole number above 0'));
const endpoint = text.check(
  // A variable is filled in later; what it holds is checked when the endpoint is used.
  z.refine((value) => value.includes('${') || findAddressFault(value) === undefined, {
    error: (issue) => findAddressFault(String(issue.input))?.wanted,
  }),
);

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
  { name: z.optional(text), model: z.optional(text), key_env: z.optional(text), ...endpointKeys },
  'a mapping with name and base_url',
);

export const configFileSchema = z.looseObject(
  {
    model: z.optional(modelSection),
    fallback_model: z.optional(modelEntry),
    fallback_providers: z.optional(z.array(modelEntry, 'a list of mappings with provider and model')),
    custom_providers: z.optional(z.array(customProvider, 'a list of mappings with name and base_url')),
    agent: section({ max_turns: z.optional(count), stream_stale_timeout: z.optional(amount) }),
    limits: section({
      session_usd: z.optional(amount),
      day_usd: z.optional(amount),
      session_tokens: z.optional(count),
      turn_seconds: z.optional(amount),
    }),
    approvals: section({
      mode: z.optional(oneOf(APPROVAL_MODES)),
      timeout: z.optional(amount),
      deny: z.optional(z.array(text, 'a list of texts')),
      cron_mode: z.optional(oneOf(UNATTENDED_MODES)),
      single_query_mode: z.optional(oneOf(UNATTENDED_MODES)),
      denial_breaker_threshold: z.optional(count),
      plan_mode: z.optional(z.boolean('true or false')),
      workspace: z.optional(oneOf(WORKSPACE_MODES)),
      workspace_roots: z.optional(z.array(text, 'a list of folders')),
    }),
    command_allowlist: z.optional(z.array(text, 'a list of texts')),
    display: section({ busy_input_mode: z.optional(oneOf(BUSY_INPUT_MODES)) }),
  },
  'a mapping of keys to values',
);
