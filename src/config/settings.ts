import type { ApiMode } from '../contracts/index.ts';
import type { EnvironmentVariables } from './paths.ts';

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
export type FallbackChoice = ModelChoice & { provider: string; model: string };

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
};

export const APPROVAL_MODES = ['manual', 'smart', 'off'] as const;
export const BUSY_INPUT_MODES = ['interrupt', 'queue', 'steer'] as const;

/** What a question is answered with where nobody can be asked. */
export const UNATTENDED_MODES = ['deny', 'approve'] as const;
/** Whose writes outside the working directory ask: those of file tools, of commands too, or nobody's. */
export const WORKSPACE_MODES = ['files', 'all', 'off'] as const;

export type ApprovalSettings = {
  mode: (typeof APPROVAL_MODES)[number];
  timeoutSeconds: number | undefined;
  /** Patterns of commands that never run. */
  deny?: readonly string[];
  cronMode?: (typeof UNATTENDED_MODES)[number];
  singleQueryMode?: (typeof UNATTENDED_MODES)[number];
  /** Denials of the same rule in a row after which the model is told to stop. */
  denialLimit?: number;
  planMode?: boolean;
  workspace?: (typeof WORKSPACE_MODES)[number];
  /** Folders beside the working directory in which may be written, as the person wrote them. */
  workspaceRoots?: readonly string[];
};

export type Settings = {
  home: string;
  model: ModelChoice;
  fallbacks: readonly FallbackChoice[];
  customProviders: readonly CustomProvider[];
  /** Steps of a turn, `agent.max_turns`. */
  maxTurns: number;
  /** `agent.stream_stale_timeout`; undefined leaves it to the kind of endpoint. */
  streamStaleTimeoutSeconds: number | undefined;
  limits: { sessionUsd?: number; dayUsd?: number; sessionTokens?: number; turnSeconds?: number };
  approvals: ApprovalSettings;
  commandAllowlist: readonly string[];
  /** What a message does that is typed during a turn; undefined leaves it to the surface. */
  busyInputMode: (typeof BUSY_INPUT_MODES)[number] | undefined;
  /** `.env` over the environment. Only looked up in here; `process.env` is never changed. */
  variables: EnvironmentVariables;
  /** The names of those that `.env` sets. */
  savedVariables?: ReadonlySet<string>;
  /** What was ignored, and why. */
  warnings: readonly string[];
};

export const DEFAULT_MAX_TURNS = 90;
