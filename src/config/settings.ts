import type {
  ApiMode,
  AuxiliaryTask,
  CacheTtlSetting,
  CachingMode,
  ContextFileMode,
  ImageServiceConfig,
  MemoryTarget,
  ModelFacts,
  ReasoningEffort,
  SpeechServiceConfig,
  SpeedTier,
  WebExtractService,
  WebSearchService,
} from '../contracts/index.ts';
import type { DisplaySettings } from './section-settings.ts';
import type { DiagnosticsSettings, LanguageServerSettings } from './language-server-settings.ts';
import type { McpServerSettings } from './mcp-settings.ts';
import type { EnvironmentVariables } from './paths.ts';
import type { ProviderSettings, RequestOptions } from './request-settings.ts';
import type { OriginalSettings } from './original-settings.ts';
import type { QuickCommand } from './quick-commands.ts';
import type { PluginSettings, ShellHookSettings } from './plugin-settings.ts';
import type { SkillSettings } from './skill-settings.ts';
import type { StorageSettings } from './storage-settings.ts';

/** One model at one provider, as configured. */
export type ModelChoice = {
  provider?: string;
  /** Where the provider is configured, for messages. The other `…Location` fields are the same for their values. */
  providerLocation?: string;
  model?: string;
  modelLocation?: string;
  baseUrl?: string;
  baseUrlLocation?: string;
  apiKey?: string;
  apiKeyLocation?: string;
  apiMode?: ApiMode;
  contextLength?: number;
  request?: RequestOptions;
  /** Whether `OPENAI_API_KEY` may be sent to a custom endpoint: the user chose it as the primary model. */
  sharedKey?: boolean;
};

/** A fallback always has a provider and a model; other entries are ignored with a warning. */
export type FallbackChoice = ModelChoice & {
  provider: string;
  model: string;
  /** Its key path in config.yaml. */
  path?: readonly (string | number)[];
};

/** An endpoint that the user defined, selected with `--provider NAME`. */
export type CustomProvider = {
  name: string;
  baseUrl: string;
  baseUrlLocation?: string;
  apiKey?: string;
  apiKeyLocation?: string;
  /** The variable that contains the key, if the key is not in the file. */
  keyVariable?: string;
  apiMode?: ApiMode;
  model?: string;
  modelLocation?: string;
  contextLength?: number;
  request?: RequestOptions;
  cachingMode?: CachingMode;
  /** Model facts for this endpoint, by model name. */
  models?: FactsByModel;
};

/** Configured model facts, by `MODEL` or `PROVIDER/MODEL`. */
export type FactsByModel = Readonly<Record<string, ModelFacts>>;

/** The service tiers that existing files use, and the speed that each means. */
export const SERVICE_TIERS = {
  normal: 'normal',
  default: 'normal',
  auto: 'normal',
  fast: 'fast',
  priority: 'fast',
} as const satisfies Record<string, SpeedTier>;

/** `auxiliary.<task>`. */
export type AuxiliarySettings = {
  /** Without a provider (`auto`), the provider of the chat is used; `main` is the model of the chat itself. */
  choice: ModelChoice;
  fallbacks: readonly FallbackChoice[];
  timeoutSeconds: number | undefined;
  /** Whether the task is done at all; for optional tasks such as `title_generation`. */
  enabled: boolean;
};

export const APPROVAL_MODES = ['manual', 'smart', 'off'] as const;
export const BUSY_INPUT_MODES = ['interrupt', 'queue', 'steer'] as const;
/** How chats show an answer while it is written. */
export const STREAMING_TRANSPORTS = ['auto', 'draft', 'edit', 'off'] as const;
/** Which tool calls chats show: none, each time another tool is used, all, or all with their arguments. */
export const TOOL_PROGRESS_MODES = ['off', 'new', 'all', 'verbose'] as const;

/** The automatic answer to questions if no user is present. */
export const UNATTENDED_MODES = ['deny', 'approve'] as const;
/** Which writes outside the working directory need approval: those of file tools, those of commands too, or none. */
export const WORKSPACE_MODES = ['files', 'all', 'off'] as const;

export type ApprovalSettings = {
  mode: (typeof APPROVAL_MODES)[number];
  /** How long a question waits for an answer. */
  timeoutSeconds: number;
  /** Patterns of commands that are always denied. */
  deny?: readonly string[];
  cronMode?: (typeof UNATTENDED_MODES)[number];
  singleQueryMode?: (typeof UNATTENDED_MODES)[number];
  batchMode?: (typeof UNATTENDED_MODES)[number];
  /** Consecutive denials by the same rule after which Hermes tells the model to stop. */
  denialLimit?: number;
  planMode?: boolean;
  workspace?: (typeof WORKSPACE_MODES)[number];
  /** Folders besides the working directory that may be written to, as configured. */
  workspaceRoots?: readonly string[];
};

/** How a credential is selected from several: the first available, in turn, the least used, or at random. */
export const POOL_STRATEGIES = ['fill_first', 'round_robin', 'least_used', 'random'] as const;
export type PoolStrategy = (typeof POOL_STRATEGIES)[number];

/** Settings that override the login table for a provider. */
export type LoginOverrides = {
  clientId?: string;
  scope?: string;
  deviceUrl?: string;
  authorizeUrl?: string;
  tokenUrl?: string;
  /** A loopback URL: Hermes listens there, on a free port if none is given. Any other URL: the user pastes the code. */
  redirectUri?: string;
  exchangeUrl?: string;
};

/** `terminal.*`: where commands run. */
export type TerminalSettings = {
  backend: string;
  /** Variables that are passed to commands although they look like secrets. */
  passedVariables: readonly string[];
  /** How long a command may run unless the model sets a timeout. */
  timeoutSeconds?: number | undefined;
  sandboxNetwork: boolean;
  /** Background processes keep running when Hermes exits. */
  keepsBackground?: boolean;
  ssh: {
    host?: string | undefined;
    user?: string | undefined;
    port?: number | undefined;
    key?: string | undefined;
    /** The initial working directory on the remote host or in the container. */
    directory?: string | undefined;
  };
  container?: ContainerSettings;
};

/** `terminal.container_*`, `terminal.docker_*` and the images of the other backends. */
export type ContainerSettings = {
  /** The program of the container engine, if it is not the first one found in PATH. */
  engine?: string | undefined;
  dockerImage: string;
  singularityImage: string;
  modalImage: string;
  daytonaImage: string;
  cpu?: number | undefined;
  /** In megabytes, like `disk`. */
  memory?: number | undefined;
  disk?: number | undefined;
  network: boolean;
  /** Whether the file system of a container is kept between runs of Hermes. */
  persistent: boolean;
  /** Local folders that are mounted: `folder:folder in the container[:ro]`. */
  volumes: readonly string[];
  mountsWorkingDirectory: boolean;
  extraArguments: readonly string[];
};

/** `compression.*`: how sessions are kept within the context window. */
export type CompressionSettings = {
  /** Whether sessions are compressed automatically. */
  enabled: boolean;
  /** The share of the context window at which compression starts; undefined if the size of the window decides. */
  threshold: number | undefined;
  /** The size at which compression starts at the latest, unless `threshold` is set. */
  maxTokens: number;
  /** The share of the threshold that the kept tail may use. */
  targetRatio: number;
  /** The share of the way to the compression threshold from which on old tool results are cleared. */
  clearAt: number;
  protectLastN: number;
  /** Number of first messages that compression keeps, including the system prompt. */
  protectFirstN: number;
};

export const DEFAULT_COMPRESSION: CompressionSettings = Object.freeze({
  enabled: true,
  threshold: undefined,
  maxTokens: 160_000,
  targetRatio: 0.2,
  clearAt: 0.6,
  protectLastN: 20,
  protectFirstN: 3,
});

/** `memory.*`: what outlives a session. */
export type MemorySettings = {
  /** The maximum number of characters of each file; a file without a limit is disabled. */
  limits: Readonly<Partial<Record<MemoryTarget, number>>>;
  /** `write_approval`: the user is asked before anything is written. */
  writeApproval: boolean;
  /** The number of user messages between two reviews of what is worth remembering; 0 for never. */
  nudgeInterval: number;
  /** The memory provider that is used in addition to the files. */
  provider: string | undefined;
  honcho: { baseUrl: string; workspace: string; userPeer: string; agentPeer: string };
};

/** `checkpoints.*`: whether and how the working directory is stored before it is changed. */
export type CheckpointSettings = {
  /** `auto`: in chats, in directories where taking one is quick. */
  enabled: boolean | 'auto';
  maxCheckpoints: number;
  maxFileBytes: number;
  /** The total for all directories. */
  maxTotalBytes: number;
  excludes: readonly string[];
};

/** `agent.save_trajectories` and `trajectories.*`: how turns are saved as training data. */
export type TrajectorySettings = {
  /** Whether each turn is saved when it ends. */
  enabled: boolean;
  /** One file for all turns, as configured; undefined for the two default files. */
  file?: string | undefined;
  /** The system-turn template file, as configured. */
  systemTemplate?: string | undefined;
  /** Whether secrets are redacted. */
  redact: boolean;
};

/** `delegation.*` */
export type DelegationSettings = {
  /** The maximum number of steps of a subagent. */
  maxIterations: number;
  /** The maximum number of concurrent subagents. */
  maxConcurrent: number;
  /** The time limit for a subagent; undefined for no limit. */
  timeoutSeconds: number | undefined;
};

export const DEFAULT_DELEGATION: DelegationSettings = Object.freeze({
  maxIterations: 50,
  maxConcurrent: 3,
  timeoutSeconds: undefined,
});

/** `code_execution.*` */
export type CodeSettings = { timeoutSeconds: number; maxCalls: number };

export const DEFAULT_CODE: CodeSettings = Object.freeze({ timeoutSeconds: 300, maxCalls: 50 });

/** `browser.*` */
export type BrowserSettings = {
  enabled: boolean;
  /** The debugging URL of a running browser to attach to. */
  cdpUrl?: string | undefined;
  /** The browser program, if it is not in one of the usual locations. */
  executable?: string | undefined;
  /** Show a window. */
  headed: boolean;
  /** The browser's own sandbox; undefined means enabled unless running as root. */
  sandbox?: boolean | undefined;
  /** Allow URLs in private networks. */
  allowPrivate: boolean;
  /** The browser is closed after this time without a call. */
  idleSeconds: number;
  /** Time limit for one call. */
  commandSeconds: number;
};

export const DEFAULT_BROWSER: BrowserSettings = Object.freeze({
  enabled: true,
  headed: false,
  allowPrivate: false,
  idleSeconds: 120,
  commandSeconds: 30,
});

export type Settings = OriginalSettings & {
  home: string;
  model: ModelChoice;
  fallbacks: readonly FallbackChoice[];
  customProviders: readonly CustomProvider[];
  /** `providers`, by provider. */
  providers?: Readonly<Record<string, ProviderSettings>>;
  /** `model_overrides`: takes precedence over every catalogue and server. */
  modelOverrides?: FactsByModel;
  /** `network.background_refresh`: whether Hermes may download data in the background; true by default. */
  backgroundRefresh?: boolean;
  /** `models_dev.url`: another URL for the public model catalogue. */
  catalogueUrl?: string;
  /** By provider; `fill_first` by default. */
  poolStrategies?: Readonly<Record<string, PoolStrategy>>;
  /** By provider. */
  logins?: Readonly<Record<string, LoginOverrides>>;
  /** Only the tasks that are configured. */
  auxiliary: Readonly<Partial<Record<AuxiliaryTask, AuxiliarySettings>>>;
  /** `agent.max_turns`: the maximum number of steps of a turn. */
  maxTurns: number;
  /** `agent.max_identical_calls`: how often a call may return the same result before the turn stops. */
  maxIdenticalCalls: number;
  /** `agent.retry_seconds`; undefined for a default that depends on whether a user is present. */
  retrySeconds: number | undefined;
  /** `agent.stream_stale_timeout`; undefined for a default that depends on the endpoint. */
  streamStaleTimeoutSeconds: number | undefined;
  /** `agent.reasoning_effort`; undefined for the provider's default. */
  reasoningEffort: ReasoningEffort | undefined;
  /** `agent.service_tier`. */
  speed: SpeedTier | undefined;
  /** `prompt_caching.cache_ttl`; five minutes by default. */
  cacheTtl?: CacheTtlSetting;
  /** `prompt_caching.mode`; `auto` by default. An endpoint can have its own. */
  cachingMode?: CachingMode;
  limits: { sessionUsd?: number; dayUsd?: number; sessionTokens?: number; turnSeconds?: number };
  approvals: ApprovalSettings;
  terminal: TerminalSettings;
  /** Undefined for the defaults. */
  compression?: CompressionSettings;
  /** `context.engine`; undefined for the default engine. */
  contextEngine?: string;
  /** `storage.*`; undefined for the SQLite file in the home directory. */
  storage?: StorageSettings;
  /** Undefined if memory is disabled. */
  memory?: MemorySettings;
  /** Undefined if nothing is configured; then the defaults apply. The same is true for `codeExecution`. */
  delegation?: DelegationSettings;
  codeExecution?: CodeSettings;
  commandAllowlist: readonly string[];
  /** Undefined for the defaults. */
  checkpoints?: CheckpointSettings;
  /** Undefined for the defaults. */
  trajectories?: TrajectorySettings;
  /** Undefined if there are none. */
  mcpServers?: Readonly<Record<string, McpServerSettings>>;
  /** `language_servers`; undefined if none is configured. */
  languageServers?: Readonly<Record<string, LanguageServerSettings>>;
  /** `diagnostics.*`; undefined for the defaults. */
  diagnostics?: DiagnosticsSettings;
  /** `skills.*` */
  skills: SkillSettings;
  /** `plugins.*`; undefined if the section is missing. */
  plugins?: PluginSettings;
  /** `hooks`: shell hooks. */
  hooks?: readonly ShellHookSettings[];
  /** `toolsets`: the only tool sets to use; undefined for all. */
  toolsets?: readonly string[];
  /** `context_files`: which kinds of context files the prompt contains; undefined for `first`. */
  contextFiles?: ContextFileMode;
  /** `context_file_max_chars`: the limit for a context file in the prompt; undefined for 20,000. */
  contextFileLimit?: number;
  /** `agent.disabled_toolsets`: tool sets and tools that are not used. */
  disabledToolsets?: readonly string[];
  /** `tools.allow_override`: built-in tools that a plugin or an MCP server may replace. */
  replaceableTools?: readonly string[];
  /** `security.allow_private_urls`: whether tools may fetch from private networks. */
  allowPrivateUrls?: boolean;
  /** Slash commands that the user has defined. */
  quickCommands?: readonly QuickCommand[];
  /** The search service; undefined if none is available. */
  webSearch?: WebSearchService;
  /** The extraction service; undefined if Hermes reads pages itself. */
  webExtract?: WebExtractService;
  /** The image and speech services; undefined if none is available. */
  imageMaker?: ImageServiceConfig;
  speechMaker?: SpeechServiceConfig;
  /** `browser.*`; undefined for the defaults. */
  browser?: BrowserSettings;
  /** `agent.personalities`: personalities by name, in addition to the built-in ones. */
  personalities?: Readonly<Record<string, string>>;
  /** `display.personality`: the personality of new sessions. */
  personality?: string;
  /** What happens to a message that is typed during a turn; undefined for the default of the surface. */
  busyInputMode: (typeof BUSY_INPUT_MODES)[number] | undefined;
  /** `display.*` */
  display: DisplaySettings;
  /** The environment with `.env`, which takes precedence. `process.env` is never changed. */
  variables: EnvironmentVariables;
  /** The names of the variables that `.env` sets. */
  savedVariables?: ReadonlySet<string>;
  /** Settings that were ignored, and why. */
  warnings: readonly string[];
};

export const DEFAULT_MAX_TURNS = 90;
export const DEFAULT_MAX_IDENTICAL_CALLS = 8;
