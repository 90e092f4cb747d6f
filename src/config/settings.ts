import type { ApiMode, ModelFacts } from '../contracts/index.ts';
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
  /** What the person wrote about models there, by name. */
  models?: FactsByModel;
};

/** Facts about models as a person wrote them down, by `MODEL` or `PROVIDER/MODEL`. */
export type FactsByModel = Readonly<Record<string, ModelFacts>>;

export const APPROVAL_MODES = ['manual', 'smart', 'off'] as const;
export const BUSY_INPUT_MODES = ['interrupt', 'queue', 'steer'] as const;

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
  /** Steps of a turn, `agent.max_turns`. */
  maxTurns: number;
  /** `agent.stream_stale_timeout`; undefined leaves it to the kind of endpoint. */
  streamStaleTimeoutSeconds: number | undefined;
  limits: { sessionUsd?: number; dayUsd?: number; sessionTokens?: number; turnSeconds?: number };
  approvals: { mode: (typeof APPROVAL_MODES)[number]; timeoutSeconds: number | undefined };
  commandAllowlist: readonly string[];
  /** `toolsets`: only these tool sets; undefined for all. */
  toolsets?: readonly string[];
  /** `agent.disabled_toolsets`: none of these. */
  disabledToolsets?: readonly string[];
  /** `tools.allow_override`: built-in tools that a plugin or a server may replace. */
  replaceableTools?: readonly string[];
  /** `security.allow_private_urls`: whether tools may fetch from addresses inside the network. */
  allowPrivateUrls?: boolean;
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
