import * as z from 'zod/mini';
import { isJsonObject } from '../base/index.ts';
import { API_MODES, AUXILIARY_TASKS, type AuxiliaryTask } from '../contracts/index.ts';
import { APPROVAL_MODES, BUSY_INPUT_MODES } from './settings.ts';

/**
 * What the keys we read must look like. Every message says what is wanted, because it ends a sentence of the form
 * `config.yaml, line 7: agent.max_turns must be …`. Keys we do not know belong to others and are left alone.
 */
export type ConfigFile = z.infer<typeof configFileSchema> & {
  auxiliary?: z.infer<ReturnType<typeof auxiliarySection>>;
};
export type EndpointEntry = z.infer<typeof modelEntry>;

const text = z.string('text (put it in quotes if it looks like a number)');
const amount = z.number('a number above 0').check(z.positive('a number above 0'));
const count = z.int('a whole number above 0').check(z.positive('a whole number above 0'));
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

const configFileSchema = z.looseObject(
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
    command_allowlist: z.optional(z.array(text, 'a list of texts')),
    display: section({ busy_input_mode: z.optional(oneOf(BUSY_INPUT_MODES)) }),
  },
  'a mapping of keys to values',
);

/** The schema for these values. Making one costs a start about a millisecond, so few pay for the tasks beside the chat. */
export function schemaFor(values: unknown): z.ZodMiniType<ConfigFile> {
  if (!isJsonObject(values) || values['auxiliary'] === undefined) return configFileSchema;
  return z.extend(configFileSchema, { auxiliary: auxiliarySection() });
}

function auxiliarySection() {
  const task = z.optional(
    z.looseObject(
      {
        ...{ provider: z.optional(text), model: z.optional(text), ...endpointKeys },
        timeout: z.optional(amount),
        fallback: z.optional(z.pipe(z.transform(toList), z.array(modelEntry))),
        enabled: z.optional(z.pipe(z.transform(toFlag), z.boolean('true or false'))),
      },
      'a mapping with provider, model, base_url, …',
    ),
  );
  const tasks = AUXILIARY_TASKS.map((name) => [name, task]);
  return section(Object.fromEntries(tasks) as Record<AuxiliaryTask, typeof task>);
}

/** One entry is a list of one. */
function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Existing files follow YAML 1.1, in which these words are what `true` and `false` are. */
function toFlag(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const word = value.toLowerCase();
  return ['yes', 'on'].includes(word) || (['no', 'off'].includes(word) ? false : value);
}

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
