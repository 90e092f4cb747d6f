import { delimiter } from 'node:path';
import { DEFAULT_ANSWER_SECONDS, type JsonObject, type JsonValue } from '../base/index.ts';
import { rememberFields, rememberVariables } from '../util/index.ts';
import {
  readBrowserSettings,
  readCachingSettings,
  readCheckpointSettings,
  readCompressionSettings,
  readCredentialSettings,
  readDisplaySettings,
  readMemorySettings,
  readWorkSettings,
} from './section-settings.ts';
import { readEnvFile, readIfPresent, mergeVariables } from './env-file.ts';
import { type EnvironmentVariables, homePaths } from './paths.ts';
import type { ParsedConfig } from './read-config.ts';
import { readImageService, readSpeechService } from './media-settings.ts';
import { readDiagnosticsSettings, readLanguageServers } from './language-server-settings.ts';
import { findIncompleteServers, readMcpServers } from './mcp-settings.ts';
import { readFacts, readModelSettings } from './model-settings.ts';
import {
  type ApprovalSettings,
  DEFAULT_MAX_IDENTICAL_CALLS,
  DEFAULT_MAX_TURNS,
  SERVICE_TIERS,
  type Settings,
} from './settings.ts';
import { readHookSettings, readPluginSettings } from './plugin-settings.ts';
import { readSkillSettings } from './skill-settings.ts';
import { readOriginalSettings } from './original-settings.ts';
import { readQuickCommands } from './quick-commands.ts';
import { readStorageSettings } from './storage-settings.ts';
import { readTerminalSettings } from './terminal-settings.ts';
import { readWebExtract, readWebSearch } from './web-settings.ts';

export type SettingsSources = {
  home: string;
  env: EnvironmentVariables;
  /** Sections of config.yaml that a program passes. Each replaces the whole section of the file. */
  config?: JsonObject | undefined;
};

/** Loads all settings: config.yaml, the `.env` file next to it, and the environment. Writes nothing. */
export async function loadSettings(options: SettingsSources): Promise<Settings> {
  const { configFile } = homePaths(options.home);
  const [file, saved] = await Promise.all([readIfPresent(configFile), readEnvFile(options.home)]);
  const variables = mergeVariables(options.env, saved);
  rememberVariables(options.env);
  const content = `${file ?? ''}${options.config === undefined ? '' : JSON.stringify(options.config)}`;
  // The schemas are loaded only if there is something to read, which keeps startup fast without a config file.
  const parsed =
    file === undefined && options.config === undefined
      ? undefined
      : await (await import('./read-config.ts')).readConfig(configFile, file ?? '', options.config);
  // Keys can be in the config file, too.
  rememberFields(parsed?.values as JsonValue | undefined);
  // Few files need this code, so it is loaded on demand.
  const isRare = /\b(?:headers|query|extra_body|providers)\b/;
  const own =
    isRare.test(content) || hasUnknownKeys(parsed?.values.model) ? await import('./provider-settings.ts') : undefined;
  return { ...toSettings(options.home, parsed, variables, own), savedVariables: namesOf(saved) };
}

function toSettings(
  home: string,
  parsed: ParsedConfig | undefined,
  variables: EnvironmentVariables,
  own: typeof import('./provider-settings.ts') | undefined,
): Settings {
  const values = parsed?.values ?? {};
  const { hooks, hookWarnings } = readHookSettings(values.hooks);
  const locate = (path: readonly PropertyKey[]) => parsed?.location(path) ?? homePaths(home).configFile;
  const models = readModelSettings(values, variables, locate, own);
  const commandProblems: string[] = [];
  const quickCommands = readQuickCommands(values.quick_commands ?? {}, (problem) => commandProblems.push(problem));
  return {
    home,
    ...models,
    warnings: [
      ...models.warnings,
      ...hookWarnings,
      ...commandProblems,
      ...findIncompleteServers(values.mcp_servers, locate),
    ],
    modelOverrides: readFacts(values.model_overrides),
    // `model_catalog.enabled` is the older key; existing files use it to disable the refresh.
    backgroundRefresh: (values.network?.background_refresh ?? true) && (values.model_catalog?.enabled ?? true),
    catalogueUrl: values.models_dev?.url,
    ...readCredentialSettings(values),
    ...readCachingSettings(values),
    maxTurns: values.agent?.max_turns ?? DEFAULT_MAX_TURNS,
    maxIdenticalCalls: values.agent?.max_identical_calls ?? DEFAULT_MAX_IDENTICAL_CALLS,
    retrySeconds: values.agent?.retry_seconds,
    streamStaleTimeoutSeconds: values.agent?.stream_stale_timeout,
    reasoningEffort: values.agent?.reasoning_effort,
    speed: values.agent?.service_tier && SERVICE_TIERS[values.agent.service_tier],
    limits: {
      sessionUsd: values.limits?.session_usd,
      dayUsd: values.limits?.day_usd,
      sessionTokens: values.limits?.session_tokens,
      turnSeconds: values.limits?.turn_seconds,
    },
    approvals: readApprovals(values.approvals ?? {}, variables),
    terminal: readTerminalSettings(values.terminal, variables),
    ...readCompressionSettings(values),
    storage: readStorageSettings(values.storage, variables),
    memory: readMemorySettings(values.memory, variables),
    ...readWorkSettings(values),
    commandAllowlist: values.command_allowlist ?? [],
    checkpoints: readCheckpointSettings(values.checkpoints),
    mcpServers: readMcpServers(values.mcp_servers),
    languageServers: readLanguageServers(values.language_servers),
    diagnostics: readDiagnosticsSettings(values.diagnostics),
    skills: readSkillSettings(values.skills),
    plugins: readPluginSettings(values.plugins),
    hooks,
    toolsets: values.toolsets,
    ...readOriginalSettings(home, values, variables),
    quickCommands,
    contextFiles: values.context_files ?? 'first',
    contextFileLimit: values.context_file_max_chars,
    disabledToolsets: values.agent?.disabled_toolsets,
    replaceableTools: values.tools?.allow_override,
    allowPrivateUrls: values.security?.allow_private_urls,
    webSearch: readWebSearch(values.web, variables),
    webExtract: readWebExtract(values.web, variables),
    imageMaker: readImageService(values.image_gen, variables),
    speechMaker: readSpeechService(values.tts, variables),
    browser: readBrowserSettings(values.browser, variables),
    busyInputMode: values.display?.busy_input_mode,
    display: readDisplaySettings(values.display),
    personalities: values.agent?.personalities,
    personality: values.display?.personality,
    variables,
  };
}

function readApprovals(
  values: NonNullable<ParsedConfig['values']['approvals']>,
  variables: EnvironmentVariables,
): ApprovalSettings {
  const safeRoots = variables['HERMES_WRITE_SAFE_ROOT']?.split(delimiter).filter((root) => root !== '') ?? [];
  return {
    mode: values.mode ?? 'manual',
    timeoutSeconds: values.timeout ?? DEFAULT_ANSWER_SECONDS,
    deny: values.deny,
    cronMode: values.cron_mode,
    singleQueryMode: values.single_query_mode,
    batchMode: values.batch_mode,
    denialLimit: values.denial_breaker_threshold,
    planMode: values.plan_mode,
    workspace: values.workspace,
    workspaceRoots: [...(values.workspace_roots ?? []), ...safeRoots],
  };
}

/** Whether `model` has keys that the code for few files has to read or report. */
function hasUnknownKeys(model: object | undefined): boolean {
  const known = /^(?:provider|default|model|base_url|api_(?:key|mode)|context_length)$/;
  return Object.keys(model ?? {}).some((name) => !known.test(name));
}

function namesOf(saved: Readonly<Record<string, string>>): ReadonlySet<string> {
  return new Set(Object.keys(saved).filter((name) => saved[name] !== ''));
}
