import type {
  ApiMode,
  AuxiliaryTask,
  CacheTtl,
  ImageMaker,
  MemoryTarget,
  ModelFacts,
  ReasoningEffort,
  SpeechMaker,
  SpeedTier,
  WebExtractService,
  WebSearchService,
} from '../contracts/index.ts';
import type { DisplaySettings } from './section-settings.ts';
import type { McpServerSettings } from './mcp-settings.ts';
import type { EnvironmentVariables } from './paths.ts';
import type { PluginSettings, ShellHookSettings } from './plugin-settings.ts';
import type { SkillSettings } from './skill-settings.ts';
import type { StorageSettings } from './storage-settings.ts';

/** One model at one provider, as far as a person wrote it down. */
export type ModelChoice = {
  provider?: string;
  /** Where it was written, for messages about it and for whoever asks why; the same for the other places. */
  providerPlace?: string;
  model?: string;
  modelPlace?: string;
  baseUrl?: string;
  baseUrlPlace?: string;
  apiKey?: string;
  apiKeyPlace?: string;
  apiMode?: ApiMode;
  contextLength?: number;
};

/** A fallback always has both; entries without are left out with a warning. */
export type FallbackChoice = ModelChoice & {
  provider: string;
  model: string;
  /** The keys that lead to it in config.yaml. */
  path?: readonly (string | number)[];
};

/** An endpoint the person named, chosen with `--provider NAME`. */
export type CustomProvider = {
  name: string;
  baseUrl: string;
  baseUrlPlace?: string;
  apiKey?: string;
  apiKeyPlace?: string;
  /** The variable that holds the key, where it is not written down itself. */
  keyVariable?: string;
  apiMode?: ApiMode;
  model?: string;
  modelPlace?: string;
  contextLength?: number;
  /** What the person wrote about models there, by name. */
  models?: FactsByModel;
};

/** Facts about models as a person wrote them down, by `MODEL` or `PROVIDER/MODEL`. */
export type FactsByModel = Readonly<Record<string, ModelFacts>>;

/** Names for speed that existing files have, and what each means here. */
export const SERVICE_TIERS = {
  normal: 'normal',
  default: 'normal',
  auto: 'normal',
  fast: 'fast',
  priority: 'fast',
} as const satisfies Record<string, SpeedTier>;

/** What `auxiliary.<task>` says. */
export type AuxiliarySettings = {
  /** Without a provider (`auto`) the one of the chat is used; `main` stands for the very model of the chat. */
  choice: ModelChoice;
  fallbacks: readonly FallbackChoice[];
  timeoutSeconds: number | undefined;
  /** A task that nobody needs can be turned off: `title_generation`. */
  enabled: boolean;
};

export const APPROVAL_MODES = ['manual', 'smart', 'off'] as const;
export const BUSY_INPUT_MODES = ['interrupt', 'queue', 'steer'] as const;

/** What a question is answered with where nobody can be asked. */
export const UNATTENDED_MODES = ['deny', 'approve'] as const;
/** Whose writes outside the working directory ask: those of file tools, of commands too, or nobody's. */
export const WORKSPACE_MODES = ['files', 'all', 'off'] as const;

export type ApprovalSettings = {
  mode: (typeof APPROVAL_MODES)[number];
  /** How long a question waits for its answer. */
  timeoutSeconds: number;
  /** Patterns of commands that never run. */
  deny?: readonly string[];
  cronMode?: (typeof UNATTENDED_MODES)[number];
  singleQueryMode?: (typeof UNATTENDED_MODES)[number];
  batchMode?: (typeof UNATTENDED_MODES)[number];
  /** Denials of the same rule in a row after which the model is told to stop. */
  denialLimit?: number;
  planMode?: boolean;
  workspace?: (typeof WORKSPACE_MODES)[number];
  /** Folders beside the working directory in which may be written, as the person wrote them. */
  workspaceRoots?: readonly string[];
};

/** Which of several credentials is taken: the first that is ready, each in turn, the least used, any. */
export const POOL_STRATEGIES = ['fill_first', 'round_robin', 'least_used', 'random'] as const;
export type PoolStrategy = (typeof POOL_STRATEGIES)[number];

/** What a person knows better than our table about the login of a provider. */
export type LoginOverrides = {
  clientId?: string;
  scope?: string;
  deviceUrl?: string;
  authorizeUrl?: string;
  tokenUrl?: string;
  /** On this machine: is listened to, on a free port where none is named. Elsewhere: the person pastes the code. */
  redirectUri?: string;
  exchangeUrl?: string;
};

/** Where commands run, `terminal.*`. */
export type TerminalSettings = {
  backend: string;
  /** Names of variables that commands get although they look like secrets. */
  passedVariables: readonly string[];
  sandboxNetwork: boolean;
  /** Background processes go on when the program leaves. */
  keepsBackground?: boolean;
  ssh: {
    host?: string | undefined;
    user?: string | undefined;
    port?: number | undefined;
    key?: string | undefined;
    /** Where it begins on the other side. */
    directory?: string | undefined;
  };
  container?: ContainerSettings;
};

/** How containers are made, `terminal.container_*`, `docker_*` and the images of the others. */
export type ContainerSettings = {
  /** The engine's program, where the first one in PATH is not meant. */
  engine?: string | undefined;
  dockerImage: string;
  singularityImage: string;
  modalImage: string;
  daytonaImage: string;
  cpu?: number | undefined;
  /** Megabytes. */
  memory?: number | undefined;
  disk?: number | undefined;
  network: boolean;
  /** What is in a container is there again at the next start. */
  persistent: boolean;
  /** Folders of this machine that are seen inside: `folder:folder inside[:ro]`. */
  volumes: readonly string[];
  mountsWorkingDirectory: boolean;
  extraArguments: readonly string[];
};

/** How conversations are kept inside the window, `compression.*`. */
export type CompressionSettings = {
  /** Whether it is done unasked. */
  enabled: boolean;
  /** The share of the window from which on it is done. */
  threshold: number;
  /** The share of that which the newest messages may take. */
  targetRatio: number;
  protectLastN: number;
  /** The system prompt is the first of these. */
  protectFirstN: number;
};

export const DEFAULT_COMPRESSION: CompressionSettings = Object.freeze({
  enabled: true,
  threshold: 0.5,
  targetRatio: 0.2,
  protectLastN: 20,
  protectFirstN: 3,
});

/** What outlives a session, `memory.*`. */
export type MemorySettings = {
  /** The most characters of each; one without a limit is switched off. */
  limits: Readonly<Partial<Record<MemoryTarget, number>>>;
  /** `write_approval`: the person is asked before something is written. */
  asksFirst: boolean;
  /** Messages of the user between two questions whether something is worth keeping; 0 for never. */
  nudgeInterval: number;
  /** The memory provider beside the files. */
  provider: string | undefined;
  honcho: { baseUrl: string; workspace: string; userPeer: string; agentPeer: string };
};

/** Whether and how the files of the working directory are kept before they are changed, `checkpoints.*`. */
export type CheckpointSettings = {
  enabled: boolean;
  maxCheckpoints: number;
  maxFileBytes: number;
  /** Of all directories together. */
  maxTotalBytes: number;
  excludes: readonly string[];
};

/** What is written down of turns for training, `agent.save_trajectories` and `trajectories.*`. */
export type TrajectorySettings = {
  /** At the end of each turn. */
  saves: boolean;
  /** The one file for all turns, as the person wrote it; undefined for the usual two. */
  file?: string | undefined;
  /** The file with another wording of the system turn, as the person wrote it. */
  systemTemplate?: string | undefined;
  /** Secrets are taken out. */
  redact: boolean;
};

/** `delegation.*` */
export type DelegationSettings = {
  /** Steps of a subagent. */
  maxIterations: number;
  /** So many work at once. */
  maxConcurrent: number;
  /** How long one may work; undefined for as long as it takes. */
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
  /** A browser that runs already, by the address of its debugging port. */
  cdpUrl?: string | undefined;
  /** The program, where the usual places are not meant. */
  executable?: string | undefined;
  /** With a window. */
  headed: boolean;
  /** The browser's own sandbox; undefined for wherever it can be, which is not for root. */
  sandbox?: boolean | undefined;
  /** Also addresses inside the network. */
  allowPrivate: boolean;
  /** After so long without a call it is closed. */
  idleSeconds: number;
  /** How long one call may take. */
  commandSeconds: number;
};

export const DEFAULT_BROWSER: BrowserSettings = Object.freeze({
  enabled: true,
  headed: false,
  allowPrivate: false,
  idleSeconds: 120,
  commandSeconds: 30,
});

export type Settings = {
  home: string;
  model: ModelChoice;
  fallbacks: readonly FallbackChoice[];
  customProviders: readonly CustomProvider[];
  /** `model_overrides`: stronger than anything a catalogue or a server says. */
  modelOverrides?: FactsByModel;
  /** `network.background_refresh`: whether anything may be fetched that no one asked for; on unless it is false. */
  backgroundRefresh?: boolean;
  /** `models_dev.url`: another place for the public catalogue of models. */
  catalogueUrl?: string;
  /** By provider; `fill_first` where nothing is said. */
  poolStrategies?: Readonly<Record<string, PoolStrategy>>;
  /** By provider. */
  logins?: Readonly<Record<string, LoginOverrides>>;
  /** Only the tasks that the file mentions. */
  auxiliary: Readonly<Partial<Record<AuxiliaryTask, AuxiliarySettings>>>;
  /** Steps of a turn, `agent.max_turns`. */
  maxTurns: number;
  /** `agent.stream_stale_timeout`; undefined leaves it to the kind of endpoint. */
  streamStaleTimeoutSeconds: number | undefined;
  /** `agent.reasoning_effort`; undefined leaves it to the provider. */
  reasoningEffort: ReasoningEffort | undefined;
  /** `agent.service_tier`. */
  speed: SpeedTier | undefined;
  /** `prompt_caching.cache_ttl`; five minutes where nothing is said. */
  cacheTtl?: CacheTtl;
  limits: { sessionUsd?: number; dayUsd?: number; sessionTokens?: number; turnSeconds?: number };
  approvals: ApprovalSettings;
  terminal: TerminalSettings;
  /** Undefined means the defaults. */
  compression?: CompressionSettings;
  /** `context.engine`; undefined means the default one. */
  contextEngine?: string;
  /** `storage.*`: undefined for the file of the home. */
  storage?: StorageSettings;
  /** Absent means that nothing is remembered. */
  memory?: MemorySettings;
  /** Undefined means the defaults, here and in the next. */
  delegation?: DelegationSettings;
  codeExecution?: CodeSettings;
  commandAllowlist: readonly string[];
  /** Undefined means the defaults. */
  checkpoints?: CheckpointSettings;
  /** Undefined means the defaults. */
  trajectories?: TrajectorySettings;
  /** Undefined where there are none. */
  mcpServers?: Readonly<Record<string, McpServerSettings>>;
  /** `skills.*` */
  skills: SkillSettings;
  /** `plugins.*`; absent where there are none. */
  plugins?: PluginSettings;
  /** `hooks`: commands that are run at steps of a turn. */
  hooks?: readonly ShellHookSettings[];
  /** `toolsets`: only these tool sets; undefined for all. */
  toolsets?: readonly string[];
  /** `context_file_max_chars`: of a project's file that goes into the prompt; undefined for the usual 20,000. */
  contextFileLimit?: number;
  /** `agent.disabled_toolsets`: none of these. */
  disabledToolsets?: readonly string[];
  /** `tools.allow_override`: built-in tools that a plugin or a server may replace. */
  replaceableTools?: readonly string[];
  /** `security.allow_private_urls`: whether tools may fetch from addresses inside the network. */
  allowPrivateUrls?: boolean;
  /** Where `web_search` asks; undefined where there is nothing to ask. */
  webSearch?: WebSearchService;
  /** Who reads pages for `web_extract`; undefined where that is left to us. */
  webExtract?: WebExtractService;
  /** Who makes images, and who speaks; undefined where nobody does. */
  imageMaker?: ImageMaker;
  speechMaker?: SpeechMaker;
  /** `browser.*`; undefined means the defaults. */
  browser?: BrowserSettings;
  /** `agent.personalities`: ways to speak, by name, beside the built-in ones. */
  personalities?: Readonly<Record<string, string>>;
  /** `display.personality`: the one that new sessions begin with. */
  personality?: string;
  /** What a message does that is typed during a turn; undefined leaves it to the surface. */
  busyInputMode: (typeof BUSY_INPUT_MODES)[number] | undefined;
  /** `display.*` */
  display: DisplaySettings;
  /** `.env` over the environment. Only looked up in here; `process.env` is never changed. */
  variables: EnvironmentVariables;
  /** The names of those that `.env` sets. */
  savedVariables?: ReadonlySet<string>;
  /** What was ignored, and why. */
  warnings: readonly string[];
};

export const DEFAULT_MAX_TURNS = 90;
