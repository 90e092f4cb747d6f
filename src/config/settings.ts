import type { ApiMode, AuxiliaryTask } from '../contracts/index.ts';
import type { EnvironmentVariables } from './paths.ts';

/** One model at one provider, as far as a person wrote it down. */
export type ModelChoice = {
  provider?: string;
  /** Where the provider's name was written, for messages about it. */
  providerPlace?: string;
  model?: string;
  baseUrl?: string;
  apiKey?: string;
  apiMode?: ApiMode;
  contextLength?: number;
};

/** A fallback always has both; entries without are left out with a warning. */
export type FallbackChoice = ModelChoice & { provider: string; model: string };

/** An endpoint the person named, chosen with `--provider NAME`. */
export type CustomProvider = {
  name: string;
  baseUrl: string;
  apiKey?: string;
  /** The variable that holds the key, where it is not written down itself. */
  keyVariable?: string;
  apiMode?: ApiMode;
  model?: string;
  contextLength?: number;
};

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

export type Settings = {
  home: string;
  model: ModelChoice;
  fallbacks: readonly FallbackChoice[];
  customProviders: readonly CustomProvider[];
  /** Only the tasks that the file mentions. */
  auxiliary: Readonly<Partial<Record<AuxiliaryTask, AuxiliarySettings>>>;
  /** Steps of a turn, `agent.max_turns`. */
  maxTurns: number;
  /** `agent.stream_stale_timeout`; undefined leaves it to the kind of endpoint. */
  streamStaleTimeoutSeconds: number | undefined;
  limits: { sessionUsd?: number; dayUsd?: number; sessionTokens?: number; turnSeconds?: number };
  approvals: { mode: (typeof APPROVAL_MODES)[number]; timeoutSeconds: number | undefined };
  commandAllowlist: readonly string[];
  /** What a message does that is typed during a turn; undefined leaves it to the surface. */
  busyInputMode: (typeof BUSY_INPUT_MODES)[number] | undefined;
  /** `.env` over the environment. Only looked up in here; `process.env` is never changed. */
  variables: EnvironmentVariables;
  /** What was ignored, and why. */
  warnings: readonly string[];
};

export const DEFAULT_MAX_TURNS = 90;
