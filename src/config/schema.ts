import * as z from 'zod/mini';
import { isJsonObject } from '../base/index.ts';
import { CONTEXT_FILE_MODES, REASONING_EFFORTS } from '../contracts/index.ts';
import { displaySection, streamingSection } from './display-keys.ts';
import {
  apiServerSection,
  platformSection,
  platformsSection,
  quickCommands,
  resetPolicies,
  sessionReset,
  timeZone,
} from './gateway-keys.ts';
import { diagnosticsSection, languageServersSection } from './language-server-keys.ts';
import { hooksSection } from './hook-keys.ts';
import { mcpServersSection } from './mcp-keys.ts';
import {
  auxiliarySection,
  cachingSection,
  customProvider,
  factsByModel,
  imageSection,
  login,
  modelEntry,
  modelSection,
  providersSection,
} from './model-schema.ts';
import {
  amount,
  count,
  databaseUrl,
  endpoint,
  flag,
  names,
  oneOf,
  secondsOrNone,
  section,
  text,
  toFlag,
  toList,
} from './schema-parts.ts';
import { APPROVAL_MODES, POOL_STRATEGIES, SERVICE_TIERS, UNATTENDED_MODES, WORKSPACE_MODES } from './settings.ts';

const THRESHOLD = 'a number above 0 and at most 1, a share of the context window';
const TARGET_RATIO = 'a number from 0.1 to 0.8, a share of the threshold';
const MESSAGES = 'a whole number of messages, 1 or more';
const CLEAR_AT = 'a number above 0 and at most 1, a share of the threshold';
const MAX_TOKENS = 'a whole number of tokens, 1000 or more';

/**
 * The keys of `compression`. They are separate from the code that reads them, because no schema is loaded if there is
 * no config file.
 */
function compressionKeys() {
  const messages = z.optional(z.int(MESSAGES).check(z.gte(1, MESSAGES)));
  return {
    enabled: z.optional(z.boolean('true or false')),
    threshold: z.optional(z.number(THRESHOLD).check(z.gt(0, THRESHOLD), z.lte(1, THRESHOLD))),
    max_tokens: z.optional(z.int(MAX_TOKENS).check(z.gte(1_000, MAX_TOKENS))),
    target_ratio: z.optional(z.number(TARGET_RATIO).check(z.gte(0.1, TARGET_RATIO), z.lte(0.8, TARGET_RATIO))),
    clear_at: z.optional(z.number(CLEAR_AT).check(z.gt(0, CLEAR_AT), z.lte(1, CLEAR_AT))),
    protect_last_n: messages,
    protect_first_n: messages,
  };
}

/**
 * The schema of the keys that Hermes reads. Each message says what is expected, because it ends a sentence like
 * `config.yaml, line 7: agent.max_turns must be …`. Unknown keys are ignored.
 */
export type ConfigFile = { [Key in keyof Sections]?: z.infer<ReturnType<Sections[Key]>> };
export type EndpointEntry = z.infer<ReturnType<typeof modelEntry>>;
export type FactsEntry = z.infer<ReturnType<typeof factsByModel>>[string];

type Sections = typeof SECTIONS;

/**
 * Schemas by top-level key. Each is built only if the file has the key: building all of them would add milliseconds
 * to every start.
 */
const SECTIONS = {
  model: modelSection,
  fallback_model: modelEntry,
  fallback_providers: () => z.array(modelEntry(), 'a list of mappings with provider and model'),
  custom_providers: () => z.array(customProvider(), 'a list of mappings with name and base_url'),
  providers: providersSection,
  platform_toolsets: () => z.record(z.string(), names, 'a mapping of platforms to lists of tool sets'),
  prefill_messages_file: () => text,
  model_overrides: factsByModel,
  models_dev: () => section({ url: z.optional(endpoint) }),
  model_catalog: () => section({ enabled: flag() }),
  network: () => section({ background_refresh: flag() }),
  credential_pool_strategies: () =>
    z.record(z.string(), oneOf(POOL_STRATEGIES), 'a mapping of providers to strategies'),
  auth: () => z.record(z.string(), login(), 'a mapping of providers to login settings'),
  auxiliary: auxiliarySection,
  compression: () => section(compressionKeys()),
  context: () => section({ engine: z.optional(text) }),
  agent: () =>
    section({
      max_turns: z.optional(count),
      max_identical_calls: z.optional(count),
      stream_stale_timeout: z.optional(amount()),
      gateway_timeout: z.optional(secondsOrNone()),
      retry_seconds: z.optional(z.number('0 or a number of seconds').check(z.nonnegative('0 or a number of seconds'))),
      reasoning_effort: z.optional(oneOf(REASONING_EFFORTS)),
      service_tier: z.optional(oneOf(Object.keys(SERVICE_TIERS) as (keyof typeof SERVICE_TIERS)[])),
      disabled_toolsets: z.optional(names),
      system_prompt: z.optional(text),
      personalities: z.optional(z.record(z.string(), text, 'a mapping of names to strings')),
      save_trajectories: flag(),
    }),
  trajectories: () => section({ file: z.optional(text), system_template: z.optional(text), redact: flag() }),
  prompt_caching: cachingSection,
  toolsets: () => names,
  context_files: () => oneOf(CONTEXT_FILE_MODES),
  context_file_max_chars: contextFileLimit,
  tools: () => section({ allow_override: z.optional(names) }),
  security: () =>
    section({
      allow_private_urls: flag(),
      website_blocklist: z.optional(
        section({ enabled: flag(), domains: z.optional(names), shared_files: z.optional(folderList()) }),
      ),
    }),
  // Any service name is accepted: an unsupported one must not prevent every command from starting.
  web: () =>
    section({
      search_backend: z.optional(text),
      backend: z.optional(text),
      search_url: z.optional(endpoint),
      extract_backend: z.optional(text),
      extract_url: z.optional(endpoint),
    }),
  image_gen: imageSection,
  tts: speechSection,
  stt: transcriptionSection,
  browser: () =>
    section({
      enabled: flag(),
      // Existing files contain an empty string if there is none.
      cdp_url: z.optional(text),
      executable_path: z.optional(text),
      headed: flag(),
      sandbox: flag(),
      allow_private_urls: flag(),
      inactivity_timeout: z.optional(amount()),
      command_timeout: z.optional(amount()),
    }),
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
      gateway_timeout: z.optional(amount()),
      deny: z.optional(z.array(text, 'a list of strings')),
      cron_mode: z.optional(oneOf(UNATTENDED_MODES)),
      single_query_mode: z.optional(oneOf(UNATTENDED_MODES)),
      batch_mode: z.optional(oneOf(UNATTENDED_MODES)),
      denial_breaker_threshold: z.optional(count),
      plan_mode: flag(),
      workspace: z.optional(oneOf(WORKSPACE_MODES)),
      workspace_roots: z.optional(z.array(text, 'a list of folders')),
    }),
  checkpoints: checkpointsSection,
  terminal: () =>
    section({
      // Any backend name is accepted: an unsupported one must not prevent every command from starting.
      backend: z.optional(text),
      cwd: z.optional(text),
      timeout: z.optional(amount()),
      env_passthrough: z.optional(names),
      sandbox_network: flag(),
      keep_background: flag(),
      ssh_host: z.optional(text),
      ssh_user: z.optional(text),
      ssh_port: z.optional(count),
      ssh_key: z.optional(text),
      container_engine: z.optional(text),
      container_cpu: z.optional(amount()),
      container_memory: z.optional(count),
      container_disk: z.optional(count),
      container_network: flag(),
      container_persistent: flag(),
      docker_image: z.optional(text),
      docker_volumes: z.optional(z.array(text, 'a list of folders')),
      docker_mount_cwd_to_workspace: flag(),
      docker_extra_args: z.optional(z.array(text, 'a list of arguments')),
      singularity_image: z.optional(text),
      modal_image: z.optional(text),
      daytona_image: z.optional(text),
    }),
  backup: () =>
    section({
      max_import_mb: z.optional(amount()),
      max_import_ratio: z.optional(amount()),
      max_import_files: z.optional(count),
    }),
  storage: () =>
    section({
      url: z.optional(databaseUrl()),
      pool_size: z.optional(count),
      connect_timeout: z.optional(amount()),
      statement_timeout: z.optional(amount()),
    }),
  memory: memorySection,
  delegation: () =>
    section({
      max_iterations: z.optional(count),
      max_concurrent_children: z.optional(count),
      child_timeout_seconds: z.optional(secondsOrNone()),
    }),
  code_execution: () => section({ timeout: z.optional(amount()), max_tool_calls: z.optional(count) }),
  mcp_servers: mcpServersSection,
  language_servers: languageServersSection,
  diagnostics: diagnosticsSection,
  platforms: platformsSection,
  telegram: platformSection,
  discord: platformSection,
  slack: platformSection,
  api_server: apiServerSection,
  gateway: () =>
    section({
      max_turns: z.optional(count),
      keep_open: z.optional(secondsOrNone()),
      media_delivery_allow_dirs: z.optional(folderList()),
    }),
  cron: () =>
    section({
      max_parallel: z.optional(count),
      wrap_response: flag(),
      script_timeout_seconds: z.optional(amount()),
    }),
  session_reset: sessionReset,
  reset_by_platform: resetPolicies,
  reset_by_type: resetPolicies,
  timezone: timeZone,
  quick_commands: quickCommands,
  group_sessions_per_user: flag,
  thread_sessions_per_user: flag,
  unauthorized_dm_behavior: () => oneOf(['pair', 'ignore']),
  command_allowlist: () => z.array(text, 'a list of strings'),
  display: displaySection,
  streaming: streamingSection,
  skills: skillsSection,
  plugins: pluginsSection,
  hooks: hooksSection,
};

/** Services use different names for the same settings, and existing files use the names of each service. */
function speechSection() {
  const named = {
    model: z.optional(text),
    model_id: z.optional(text),
    voice: z.optional(text),
    voice_id: z.optional(text),
  };
  const service = z.optional(section({ ...named, base_url: z.optional(endpoint), api_key: z.optional(text) }));
  return section({
    provider: z.optional(text),
    elevenlabs: service,
    openai: service,
    minimax: service,
    gemini: service,
    xai: service,
    mistral: service,
    deepinfra: service,
  });
}

function transcriptionSection() {
  const named = { model: z.optional(text), language: z.optional(text) };
  const service = z.optional(section({ ...named, base_url: z.optional(endpoint), api_key: z.optional(text) }));
  return section({
    enabled: flag(),
    provider: z.optional(text),
    language: z.optional(text),
    local: z.optional(section(named)),
    openai: service,
    groq: service,
    mistral: service,
    deepinfra: service,
  });
}

const folderList = () => z.pipe(z.transform(toList), z.array(text, 'a list of folders'));

function checkpointsSection() {
  return section({
    enabled: z.optional(z.pipe(z.transform(toFlag), z.union([z.boolean(), z.literal('auto')], 'true, false or auto'))),
    max_snapshots: z.optional(count),
    max_file_size_mb: z.optional(amount()),
    max_total_size_mb: z.optional(amount()),
    excludes: z.optional(z.array(text, 'a list of patterns in .gitignore syntax')),
  });
}

function skillsSection() {
  const countOrNone = z.int('a whole number, 0 or more').check(z.nonnegative('a whole number, 0 or more'));
  const folders = z.array(text, 'a list of folders');
  return section({
    external_dirs: z.optional(folderList()),
    project_discovery: flag(),
    trusted_project_dirs: z.optional(folders),
    guard_agent_created: flag(),
    write_approval: flag(),
    creation_nudge_interval: z.optional(countOrNone),
    index_budget: z.optional(countOrNone),
    indexes: z.optional(z.pipe(z.transform(toList), z.array(text, 'a list of URLs or files'))),
    search_npm: flag(),
    config: z.optional(z.record(z.string(), z.unknown(), 'a mapping of keys to values')),
  });
}

function pluginsSection() {
  const wanted = z.optional(z.pipe(z.transform(toList), names));
  const mapping = z.record(z.string(), z.unknown(), 'a mapping of keys to values');
  return section({
    enabled: wanted,
    disabled: wanted,
    packages: wanted,
    trusted_project_dirs: z.optional(z.pipe(z.transform(toList), z.array(text, 'a list of folders'))),
    config: z.optional(z.record(z.string(), mapping, 'a mapping of plugins to their settings')),
  });
}

/** All sections, including those that a file does not have. */
export function allSections(): Record<string, z.core.$ZodType> {
  return Object.fromEntries(Object.entries(SECTIONS).map(([key, make]) => [key, make()]));
}

/** The schema of one section; creating those of all sections takes many times longer. */
export function sectionSchema(name: string): z.core.$ZodType | undefined {
  return Object.entries(SECTIONS).find(([key]) => key === name)?.[1]();
}

/** The schema for the sections that are present in these values. */
export function schemaFor(values: unknown): z.ZodMiniType<ConfigFile> {
  const present = isJsonObject(values) ? values : {};
  const sections = Object.entries(SECTIONS).filter(([key]) => present[key] !== undefined);
  const shape = Object.fromEntries(sections.map(([key, make]) => [key, make()]));
  return z.looseObject(shape, 'a mapping of keys to values');
}

function memorySection() {
  const wantedLimit = 'a whole number from 100 to 100000';
  const limit = z.optional(z.int(wantedLimit).check(z.gte(100, wantedLimit), z.lte(100_000, wantedLimit)));
  const wantedId = 'letters, digits, - and _';
  const id = z.optional(text.check(z.regex(/^[\w-]{1,100}$/, wantedId)));
  return section({
    memory_enabled: flag(),
    user_profile_enabled: flag(),
    write_approval: flag(),
    memory_char_limit: limit,
    user_char_limit: limit,
    nudge_interval: z.optional(
      z.int('a whole number, or 0 for never').check(z.nonnegative('a whole number, or 0 for never')),
    ),
    provider: z.optional(text),
    honcho: z.optional(section({ base_url: z.optional(endpoint), workspace: id, user_peer: id, agent_peer: id })),
  });
}

const WANTED = 'a whole number from 1000 to 1000000';

/** `context_file_max_chars`: the limit for a context file in the prompt. */
function contextFileLimit() {
  return z.int(WANTED).check(z.minimum(1000, WANTED), z.maximum(1_000_000, WANTED));
}
