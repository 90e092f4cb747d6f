import * as z from 'zod/mini';
import { isJsonObject } from '../base/index.ts';
import { API_MODES, AUXILIARY_TASKS, type AuxiliaryTask, CACHE_TTLS, REASONING_EFFORTS } from '../contracts/index.ts';
import { findAddressFault } from './address.ts';
import { compressionKeys } from './compression-keys.ts';
import { contextFileLimit } from './prompt-settings.ts';
import {
  APPROVAL_MODES,
  BUSY_INPUT_MODES,
  POOL_STRATEGIES,
  SERVICE_TIERS,
  UNATTENDED_MODES,
  WORKSPACE_MODES,
} from './settings.ts';

/**
 * What the keys we read must look like. Every message says what is wanted, because it ends a sentence of the form
 * `config.yaml, line 7: agent.max_turns must be …`. Keys we do not know belong to others and are left alone.
 */
export type ConfigFile = { [Key in keyof Sections]?: z.infer<ReturnType<Sections[Key]>> };
export type EndpointEntry = z.infer<ReturnType<typeof modelEntry>>;
export type FactsEntry = z.infer<ReturnType<typeof factsByModel>>[string];

type Sections = typeof SECTIONS;

const text = z.string('text (put it in quotes if it looks like a number)');
const count = z.int('a whole number above 0').check(z.positive('a whole number above 0'));
const names = z.array(text, 'a list of names');
const endpoint = text.check(
  // A variable is filled in later; what it holds is checked when the endpoint is used.
  z.refine((value) => value.includes('${') || findAddressFault(value) === undefined, {
    error: (issue) => findAddressFault(String(issue.input))?.wanted,
  }),
);

const amount = () => z.number('a number above 0').check(z.positive('a number above 0'));
const yesOrNo = () => z.boolean('true or false');

function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, `one of ${values.join(', ')}`);
}

function section<const Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.looseObject(shape, 'a mapping of keys to values');
}

function endpointKeys() {
  return {
    base_url: z.optional(endpoint),
    api_key: z.optional(text),
    api_mode: z.optional(oneOf(API_MODES)),
    context_length: z.optional(count),
  };
}

const PRICE_WANTED = 'US dollars per million tokens, 0 or more';

/** What a person knows better than the catalogue. */
function factsByModel() {
  const price = z.number(PRICE_WANTED).check(z.nonnegative(PRICE_WANTED));
  const prices = { input: price, output: price, cache_read: z.optional(price), cache_write: z.optional(price) };
  const ability = z.optional(yesOrNo());
  const modelFacts = z.looseObject(
    {
      context_length: z.optional(count),
      output_limit: z.optional(count),
      ...{ vision: ability, documents: ability, tools: ability, reasoning: ability },
      price: z.optional(z.looseObject(prices, 'a mapping with input and output')),
    },
    'a mapping such as {context_length: 32768}',
  );
  return z.record(z.string(), modelFacts, 'a mapping of model names to what is known of them');
}

function modelSection() {
  const name = z.optional(text);
  // Existing files have the name of the model under either key.
  const keys = { provider: name, default: name, model: name, ...endpointKeys() };
  return z.looseObject(keys, 'a model name, or a mapping with default, provider, base_url, …');
}

function modelEntry() {
  const name = z.optional(text);
  return z.looseObject({ provider: name, model: name, ...endpointKeys() }, 'a mapping with provider and model');
}

function customProvider() {
  const keys = {
    name: z.optional(text),
    model: z.optional(text),
    key_env: z.optional(text),
    // Some files have a list of names here, which says nothing about them.
    models: z.optional(
      z.pipe(
        z.transform((models) => (Array.isArray(models) ? {} : models)),
        factsByModel(),
      ),
    ),
    ...endpointKeys(),
  };
  return z.looseObject(keys, 'a mapping with name and base_url');
}

function login() {
  // Logins send secrets there, so nobody on the way may read along.
  const wanted = 'an https URL (http only for this machine, such as http://127.0.0.1:8080/token)';
  const address = z.optional(text.check(z.refine(isPrivateAddress, wanted)));
  const keys = {
    client_id: z.optional(text),
    scope: z.optional(text),
    ...{
      device_url: address,
      authorize_url: address,
      token_url: address,
      redirect_uri: address,
      exchange_url: address,
    },
  };
  return z.looseObject(keys, 'a mapping with client_id, token_url, …');
}

/** By the keys at the top of a file. Each is put together when a file has it: all of them cost a start milliseconds. */
const SECTIONS = {
  model: modelSection,
  fallback_model: modelEntry,
  fallback_providers: () => z.array(modelEntry(), 'a list of mappings with provider and model'),
  custom_providers: () => z.array(customProvider(), 'a list of mappings with name and base_url'),
  model_overrides: factsByModel,
  models_dev: () => section({ url: z.optional(endpoint) }),
  model_catalog: () => section({ enabled: z.optional(yesOrNo()) }),
  network: () => section({ background_refresh: z.optional(yesOrNo()) }),
  credential_pool_strategies: () =>
    z.record(z.string(), oneOf(POOL_STRATEGIES), 'a mapping of providers to strategies'),
  auth: () => z.record(z.string(), login(), 'a mapping of providers to the settings of their login'),
  auxiliary: auxiliarySection,
  compression: () => section(compressionKeys()),
  context: () => section({ engine: z.optional(text) }),
  agent: () =>
    section({
      max_turns: z.optional(count),
      stream_stale_timeout: z.optional(amount()),
      reasoning_effort: z.optional(oneOf(REASONING_EFFORTS)),
      service_tier: z.optional(oneOf(Object.keys(SERVICE_TIERS) as (keyof typeof SERVICE_TIERS)[])),
      disabled_toolsets: z.optional(names),
      personalities: z.optional(z.record(z.string(), text, 'a mapping of names to texts')),
    }),
  prompt_caching: () => section({ cache_ttl: z.optional(oneOf(CACHE_TTLS)) }),
  toolsets: () => names,
  context_file_max_chars: contextFileLimit,
  tools: () => section({ allow_override: z.optional(names) }),
  security: () => section({ allow_private_urls: z.optional(yesOrNo()) }),
  limits: () =>
    section({
      session_usd: z.optional(amount()),
      day_usd: z.optional(amount()),
      session_tokens: z.optional(count),
      turn_seconds: z.optional(amount()),
    }),
  approvals: () =>
    section({
      mode: z.optional(oneOf(APPROVAL_MODES)),
      timeout: z.optional(amount()),
      deny: z.optional(z.array(text, 'a list of texts')),
      cron_mode: z.optional(oneOf(UNATTENDED_MODES)),
      single_query_mode: z.optional(oneOf(UNATTENDED_MODES)),
      denial_breaker_threshold: z.optional(count),
      plan_mode: z.optional(yesOrNo()),
      workspace: z.optional(oneOf(WORKSPACE_MODES)),
      workspace_roots: z.optional(z.array(text, 'a list of folders')),
    }),
  checkpoints: checkpointsSection,
  terminal: () =>
    section({
      // Also names of backends that are not here: a file with one of them must not keep every command from starting.
      backend: z.optional(text),
      cwd: z.optional(text),
      env_passthrough: z.optional(names),
      sandbox_network: z.optional(yesOrNo()),
      keep_background: z.optional(yesOrNo()),
      ssh_host: z.optional(text),
      ssh_user: z.optional(text),
      ssh_port: z.optional(count),
      ssh_key: z.optional(text),
    }),
  memory: memorySection,
  command_allowlist: () => z.array(text, 'a list of texts'),
  display: () =>
    section({
      busy_input_mode: z.optional(oneOf(BUSY_INPUT_MODES)),
      plain: z.optional(yesOrNo()),
      bell: z.optional(yesOrNo()),
      show_reasoning: z.optional(yesOrNo()),
      personality: z.optional(text),
    }),
  skills: skillsSection,
};

function checkpointsSection() {
  const flag = z.optional(z.pipe(z.transform(toFlag), yesOrNo()));
  return section({
    enabled: flag,
    max_snapshots: z.optional(count),
    max_file_size_mb: z.optional(amount()),
    max_total_size_mb: z.optional(amount()),
    excludes: z.optional(z.array(text, 'a list of patterns as in a .gitignore')),
  });
}

function skillsSection() {
  const countOrNone = z.int('a whole number, 0 or more').check(z.nonnegative('a whole number, 0 or more'));
  const folders = z.array(text, 'a list of folders');
  return section({
    external_dirs: z.optional(z.pipe(z.transform(toList), folders)),
    project_discovery: z.optional(yesOrNo()),
    trusted_project_dirs: z.optional(folders),
    guard_agent_created: z.optional(yesOrNo()),
    write_approval: z.optional(yesOrNo()),
    creation_nudge_interval: z.optional(countOrNone),
    index_budget: z.optional(countOrNone),
    indexes: z.optional(z.pipe(z.transform(toList), z.array(text, 'a list of addresses or files'))),
    search_npm: z.optional(yesOrNo()),
    config: z.optional(z.record(z.string(), z.unknown(), 'a mapping of keys to values')),
  });
}

/** Every section there is, for whoever wants to know about keys that a file does not have. */
export function allSections(): Record<string, z.core.$ZodType> {
  return Object.fromEntries(Object.entries(SECTIONS).map(([key, make]) => [key, make()]));
}

/** The schema for these values: of the sections that they have. */
export function schemaFor(values: unknown): z.ZodMiniType<ConfigFile> {
  const present = isJsonObject(values) ? values : {};
  const sections = Object.entries(SECTIONS).filter(([key]) => present[key] !== undefined);
  const shape = Object.fromEntries(sections.map(([key, make]) => [key, make()]));
  return z.looseObject(shape, 'a mapping of keys to values');
}

function auxiliarySection() {
  const task = z.optional(
    z.looseObject(
      {
        ...{ provider: z.optional(text), model: z.optional(text), ...endpointKeys() },
        timeout: z.optional(amount()),
        fallback: z.optional(
          z.pipe(z.transform(toList), z.array(modelEntry(), 'a list of mappings with provider and model')),
        ),
        enabled: z.optional(z.pipe(z.transform(toFlag), yesOrNo())),
      },
      'a mapping with provider, model, base_url, …',
    ),
  );
  const tasks = AUXILIARY_TASKS.map((name) => [name, task]);
  return section(Object.fromEntries(tasks) as Record<AuxiliaryTask, typeof task>);
}

function memorySection() {
  const wantedLimit = 'a whole number from 100 to 100000';
  const limit = z.optional(z.int(wantedLimit).check(z.gte(100, wantedLimit), z.lte(100_000, wantedLimit)));
  const flag = z.optional(z.pipe(z.transform(toFlag), yesOrNo()));
  const wantedId = 'letters, digits, - and _';
  const id = z.optional(text.check(z.regex(/^[\w-]{1,100}$/, wantedId)));
  return section({
    ...{ memory_enabled: flag, user_profile_enabled: flag, write_approval: flag },
    ...{ memory_char_limit: limit, user_char_limit: limit },
    nudge_interval: z.optional(
      z.int('a whole number, 0 for never').check(z.nonnegative('a whole number, 0 for never')),
    ),
    provider: z.optional(text),
    honcho: z.optional(section({ base_url: z.optional(endpoint), workspace: id, user_peer: id, agent_peer: id })),
  });
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

function isPrivateAddress(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:') return true;
  return url.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
}
