import {
  ATTACHMENT_KINDS,
  type AttachmentKind,
  type Clock,
  type Cost,
  type FinishReason,
  type JsonObject,
  type JsonValue,
  type Message,
  type ModelErrorKind,
  type ToolCall,
  type Usage,
} from '../base/index.ts';
import type { CacheTtlSetting, MarkerSupport, RequestMarkers } from './cache-markers.ts';
import type { ModelFacts } from './model-facts.ts';
import type { ToolDefinition } from './tool.ts';

export const API_MODES = ['chat_completions', 'codex_responses', 'anthropic_messages', 'ollama_chat'] as const;
export type ApiMode = (typeof API_MODES)[number];

/** A model call, independent of the API mode. */
export type ModelRequest = {
  system: string;
  messages: readonly Message[];
  /** The bytes of attachments as base64, by hash. Attachments without an entry are omitted. */
  blobs?: ReadonlyMap<string, string>;
  tools: readonly ToolDefinition[];
  /** `none` keeps the tool definitions in the request but forbids tool calls. */
  toolChoice: 'auto' | 'none';
  stream: boolean;
  /** The output limit: maximum tokens of the answer, including reasoning. */
  maxOutputTokens?: number;
  /** Reasoning effort; if absent, the provider's default. */
  effort?: ReasoningEffort;
  speed?: SpeedTier;
  /**
   * The cache key: the same for all requests of a session, so that the provider routes them to the same cache. A
   * request without a key is made only once, so caching it is useless.
   */
  cacheKey?: string;
  /** Where this request carries cache markers; by default, everywhere that the endpoint may support. */
  cacheMarkers?: RequestMarkers;
  /**
   * Request revision: changes if the start of the request was changed on purpose. With the same revision, each
   * request extends the previous one.
   */
  revision?: string;
  /** The last message that was already sent to this model, even if another model has answered since. */
  readUpTo?: Message;
  /** The final answer must be JSON that matches this JSON Schema. API modes without support omit it. */
  outputSchema?: JsonObject;
  /** Number of messages at the end that belong to this request only. */
  tailLength?: number;
  /** Parameters that this model rejects, with the replacement name if there is one. */
  parameterChanges?: readonly ParameterChange[];
};

export const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

/** `fast` requests the priority service tier, for providers that have one. */
const SPEED_TIERS = ['normal', 'fast'] as const;
export type SpeedTier = (typeof SPEED_TIERS)[number];

/** The user's preferences. They are read for each request, so a change applies to the next one. */
export type ModelPreferences = { effort?: ReasoningEffort; speed?: SpeedTier };

export type ParameterChange = { name: string; replacement?: string };

/** The exact bytes of a request, without its credential. */
export type PreparedRequest = {
  method: 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /**
   * The body in parts, at least one per message. The part of a message that was sent before is the same string, so
   * that comparing two long requests is cheap.
   */
  parts?: readonly string[];
};

/** The events of a streaming answer. */
export type ModelStreamEvent =
  | { type: 'text-delta'; text: string }
  | { type: 'reasoning-delta'; text: string }
  | { type: 'tool-call-start'; name: string };

/** A complete answer. A stream that broke off never becomes one. */
export type ModelAnswer = {
  text: string;
  toolCalls: ToolCall[];
  finishReason: FinishReason;
  reasoning?: string;
  reasoningDetails?: JsonValue[];
  codexReasoningItems?: JsonValue[];
  usage: Usage;
  /** Set if the provider reported the cost. */
  cost?: Cost;
};

export type StreamOptions = {
  signal: AbortSignal;
  onEvent: (event: ModelStreamEvent) => void;
  /** Reports a request that does not extend the previous one although nothing was changed on purpose. */
  onPrefixBreak?: (found: PrefixBreak) => void;
};

/** The first difference from the previous request: the byte offset in that part, and the text there. */
export type PrefixBreak = {
  part: 'tools' | 'system' | 'message';
  /** Index of the tool or message, from 0, and the role of the message. */
  index?: number;
  role?: Message['role'];
  byte: number;
  before: string;
  after: string;
};

/**
 * A client for one model at one endpoint. Every failure is a `ModelError`, except that an abort throws the signal's
 * reason.
 */
export interface ModelClient {
  /** Identifies this endpoint in the messages it produced, so that provider-native fields are sent back only to it. */
  readonly producer: string;
  /** Attachment kinds that the API mode can encode, whether or not the model reads them; all kinds by default. */
  readonly carries?: readonly AttachmentKind[];
  /**
   * Whether requests must contain an output limit (`required`) or must not (`unsupported`). If absent, the limit is
   * optional.
   */
  readonly outputLimit?: 'required' | 'unsupported';
  /** Whether a tool result can contain images; otherwise they must follow in a user message. */
  readonly toolResultImages?: boolean;
  /** What it may support of cache markers; undefined if requests never carry any. */
  readonly cacheMarkers?: MarkerSupport;
  prepare(request: ModelRequest): PreparedRequest;
  stream(request: ModelRequest, options: StreamOptions): Promise<ModelAnswer>;
}

/** A model at a provider, ready to be called. */
export type ModelRoute = {
  provider: string;
  model: string;
  baseUrl: string;
  /** `acp` is a model command instead of an HTTP endpoint, `bedrock_converse` the API of Amazon Bedrock. */
  apiMode: ApiMode | 'acp' | 'bedrock_converse';
  contextLength: number | undefined;
  /** Set if requests carry cache markers. */
  cacheTtl?: CacheTtlSetting;
  facts?: ModelFacts;
  client: ModelClient;
  credentials?: CredentialPool;
  /** Model names at this endpoint; undefined if it cannot list them. */
  listModels?(): Promise<readonly string[] | undefined>;
};

/** The credential pool of one provider, as the loop uses it. */
export interface CredentialPool {
  /** A non-secret name of the credential used for the last call. */
  current(): string | undefined;
  /** Refreshes the current credential. Returns false if that is not possible. */
  refresh(): Promise<boolean>;
  /** Puts the current credential into cooldown and selects another. Returns false if none is left. */
  rotate(kind: ModelErrorKind, retryAfterMs: number | undefined): Promise<boolean>;
  /**
   * If all credentials are in cooldown: when the first becomes available, and whether the provider stated that time.
   */
  findCooldown(): Promise<{ until: number; told: boolean } | undefined>;
  /** Credential warnings for the user about the last call; each is returned once. */
  warnings?(): Promise<readonly string[]>;
}

/**
 * A route that is not open yet. Opening can fail (no key, unknown provider); then the next route of the chain is
 * tried.
 */
export interface RouteSource {
  readonly provider: string;
  readonly model: string;
  /** The base URL of the route, if known before the route is opened. */
  readonly baseUrl?: string;
  /** The cache lifetime that is requested from the provider; undefined if it has no such option. */
  findCacheTtl?(): Promise<CacheTtlSetting | undefined>;
  /** The facts that the configuration and the catalogue have about the model. */
  findFacts?(): ModelFacts;
  /** The clock is used for cooldowns; the system clock by default. */
  open(clock?: Clock): Promise<ModelRoute>;
}

/** Whether a route can read attachments of this kind. If unknown, it is tried. */
export function canRead(route: ModelRoute, kind: AttachmentKind): boolean {
  if (!(route.client.carries ?? ATTACHMENT_KINDS).includes(kind)) return false;
  return (kind === 'image' ? route.facts?.vision : route.facts?.documents) !== false;
}

/** A secret and the hosts it may be sent to. The transport checks every request, including redirects. */
export type Credential = {
  secret: string;
  /** Host names, with the port if it is not the default, e.g. `api.openai.com`, `127.0.0.1:11434`. */
  hosts: readonly string[];
  /** The authentication scheme, if it differs from the endpoint's default: a login may use another header. */
  scheme?: AuthScheme;
  /** Extra headers, sent only to the same hosts: for example an account id, or headers that a login requires. */
  headers?: Readonly<Record<string, string>>;
  /** Signs the request instead of sending the secret. Returns the headers to add. */
  sign?(request: SignableRequest): Record<string, string>;
};

/** A request as it will be sent. */
export type SignableRequest = {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | readonly string[];
};

/** Headers and query parameters of the user. Like a credential, they are sent only to these hosts. */
export type BoundOptions = {
  hosts: readonly string[];
  /** Lower-case names. They take precedence over all others, including that of the credential. */
  headers?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  /** The values that must not appear in messages. */
  secrets?: readonly string[];
};

/** The name of the header that contains the key; `bearer` means `Authorization: Bearer`. */
export type AuthScheme = 'bearer' | 'x-api-key' | 'api-key';

/** Provides the credential for each call: a pool may have rotated it, and a login may need a token refresh. */
export interface CredentialSource {
  take(signal: AbortSignal): Promise<Credential | undefined>;
}
