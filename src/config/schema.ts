import * as z from 'zod/mini';
import { API_MODES, AUXILIARY_TASKS, type AuxiliaryTask } from '../contracts/index.ts';
import { APPROVAL_MODES, BUSY_INPUT_MODES } from './settings.ts';

/**
 * What the keys we read must look like. Every message says what is wanted, because it ends a sentence of the form
 * `config.yaml, line 7: agent.max_turns must be …`. Keys we do not know belong to others and are left alone.
 */
export type ConfigFile = z.infer<typeof configFileSchema>;
export type EndpointEntry = z.infer<typeof modelEntry>;

const text = z.string('text (put it in quotes if it looks like a number)');
const amount = z.number('a number above 0').check(z.positive('a number above 0'));
const count = z.int('a whole number above 0').check(z.positive('a whole number above 0'));
/** Existing files follow YAML 1.1, in which these words are what `true` and `false` are. */
const FLAG_WORDS: Readonly<Record<string, boolean>> = { yes: true, on: true, no: false, off: false };
const flag = z.pipe(
  z.transform((value) => (typeof value === 'string' ? (FLAG_WORDS[value.toLowerCase()] ?? value) : value)),
  z.boolean('true or false'),
);
const endpoint = text.check(
  z.refine(isHttpUrl, 'a URL such as https://host/v1 or http://127.0.0.1:8080/v1'),
  // An address is stored with every session and shown in messages; a password in it would be as well.
  z.refine(hasNoPassword, 'a URL without a user name or password; put the key into api_key instead'),
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
  { provider: z.optional(text), default: z.optional(text), ...endpointKeys },
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

/** One entry is a list of one. */
const fallbackList = z.pipe(
  z.transform((value) => (Array.isArray(value) ? value : [value])),
  z.array(modelEntry),
);

const auxiliaryTask = z.optional(
  z.looseObject(
    {
      provider: z.optional(text),
      model: z.optional(text),
      ...endpointKeys,
      timeout: z.optional(amount),
      fallback: z.optional(fallbackList),
      enabled: z.optional(flag),
    },
    'a mapping with provider, model, base_url, …',
  ),
);

const auxiliaryTasks = Object.fromEntries(AUXILIARY_TASKS.map((task) => [task, auxiliaryTask])) as Record<
  AuxiliaryTask,
  typeof auxiliaryTask
>;

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
    approvals: section({ mode: z.optional(oneOf(APPROVAL_MODES)), timeout: z.optional(amount) }),
    auxiliary: section(auxiliaryTasks),
    command_allowlist: z.optional(z.array(text, 'a list of texts')),
    display: section({ busy_input_mode: z.optional(oneOf(BUSY_INPUT_MODES)) }),
  },
  'a mapping of keys to values',
);

function hasNoPassword(value: string): boolean {
  const url = URL.parse(value);
  return url === null || (url.username === '' && url.password === '');
}

function isHttpUrl(value: string): boolean {
  // A variable is filled in later; what it holds is checked when the endpoint is used.
  if (value.includes('${')) return true;
  const url = URL.parse(value);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
}
