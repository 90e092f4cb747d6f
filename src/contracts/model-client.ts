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
import type { ModelFacts } from './model-facts.ts';
import type { ToolDefinition } from './tool.ts';

export const API_MODES = ['chat_completions', 'codex_responses', 'anthropic_messages', 'ollama_chat'] as const;
export type ApiMode = (typeof API_MODES)[number];

/** One call to a model, in terms that no API mode owns. */
export type ModelRequest = {
  system: string;
  messages: readonly Message[];
  /** The bytes of attachments in base64, by their hash. One whose bytes are not here is left out. */
  blobs?: ReadonlyMap<string, string>;
  tools: readonly ToolDefinition[];
  /** `none` keeps the definitions in the request and forbids their use. */
  toolChoice: 'auto' | 'none';
  stream: boolean;
  maxOutputTokens?: number;
  /** How much the model should think; absent leaves it to the provider. */
  effort?: ReasoningEffort;
  speed?: SpeedTier;
  /**
   * The same for all requests of a session, so that a provider sends them where its cache is. A request without one is
   * asked once and never again, and nothing of it is worth keeping.
   */
  cacheKey?: string;
  /** Another one where the beginning was changed on purpose; else a request is the one before and more. */
  revision?: string;
  /** The last message that this very model was sent before, whoever answered since. */
  readUpTo?: Message;
  /** The final answer has to be JSON of this JSON Schema; an API mode that has no word for that leaves it out. */
  outputSchema?: JsonObject;
  /** How many messages at the end are for this request alone. */
  tailLength?: number;
  /** Parameters this model is known to refuse, with the name it wants instead, if any. */
  parameterChanges?: readonly ParameterChange[];
};

export const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

/** `fast` is answered sooner and costs more, where a provider offers that. */
const SPEED_TIERS = ['normal', 'fast'] as const;
export type SpeedTier = (typeof SPEED_TIERS)[number];

/** How the person wants models to work; read for each request, so a change holds from the next one on. */
export type ModelPreferences = { effort?: ReasoningEffort; speed?: SpeedTier };

export type ParameterChange = { name: string; replacement?: string };

/** The exact bytes of a request, without its credential. */
export type PreparedRequest = {
  method: 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
};

/** What a model says while it is still speaking. */
export type ModelStreamEvent =
  | { type: 'text-delta'; text: string }
  | { type: 'reasoning-delta'; text: string }
  | { type: 'tool-call-start'; name: string };

/** A whole answer. An answer that was cut off before its end never becomes one of these. */
export type ModelAnswer = {
  text: string;
  toolCalls: ToolCall[];
  finishReason: FinishReason;
  reasoning?: string;
  reasoningDetails?: JsonValue[];
  codexReasoningItems?: JsonValue[];
  usage: Usage;
  /** Set where the provider itself said what the call cost. */
  cost?: Cost;
};

export type StreamOptions = {
  signal: AbortSignal;
  onEvent: (event: ModelStreamEvent) => void;
  /** The request is not the one before and more, although nobody changed anything. */
  onPrefixBreak?: (found: PrefixBreak) => void;
};

/** Where a request first differs from the one before, counted in bytes of that part, and the text there. */
export type PrefixBreak = {
  part: 'tools' | 'system' | 'message';
  /** Which of the tools or messages, from 0, and whose message. */
  index?: number;
  role?: Message['role'];
  byte: number;
  before: string;
  after: string;
};

/** How long a provider keeps what was marked, from its last use on. */
export const CACHE_TTLS = ['5m', '1h'] as const;
export type CacheTtl = (typeof CACHE_TTLS)[number];

/** Talks to one model at one endpoint. Every failure is a `ModelError`, except that an abort throws the signal's reason. */
export interface ModelClient {
  /** Marks the messages of this endpoint, so that provider-native fields only ever go back to it. */
  readonly producer: string;
  /** What can be put into a request at all, whether or not the model reads it; everything unless told otherwise. */
  readonly carries?: readonly AttachmentKind[];
  prepare(request: ModelRequest): PreparedRequest;
  stream(request: ModelRequest, options: StreamOptions): Promise<ModelAnswer>;
}

/** A model the agent can use: what to call it and how to reach it. */
export type ModelRoute = {
  provider: string;
  model: string;
  baseUrl: string;
  /** `acp` is a program that is spoken to in place of an endpoint. */
  apiMode: ApiMode | 'acp';
  contextLength: number | undefined;
  /** Set where requests carry cache marks. */
  cacheTtl?: CacheTtl;
  facts?: ModelFacts;
  client: ModelClient;
  credentials?: CredentialPool;
  /** The names of the models at this endpoint; undefined where it cannot be asked. */
  listModels?(): Promise<readonly string[] | undefined>;
};

/** The credentials of one provider, seen from the loop. */
export interface CredentialPool {
  /** Which credential the last call was sent with, by a name that is no secret. */
  current(): string | undefined;
  /** Tries to renew the current credential; false where that is not possible. */
  refresh(): Promise<boolean>;
  /** Takes the current credential out of use for a reason; false where no other one is left. */
  rotate(kind: ModelErrorKind, retryAfterMs: number | undefined): Promise<boolean>;
  /** Where all of them rest: until when the first one does, and whether the provider said so. */
  restOfAll(): Promise<{ until: number; told: boolean } | undefined>;
  /** What the person should hear about the last call's credential; each is given out once. */
  notices?(): Promise<readonly string[]>;
}

/** A route before it is opened: opening can fail (no key, no such provider), and the next in the chain is tried. */
export interface RouteSource {
  readonly provider: string;
  readonly model: string;
  /** Where it is, as far as that is known before it is opened. */
  readonly baseUrl?: string;
  /** How long its provider is asked to keep what it has read; undefined where it cannot be asked. */
  findCacheTtl?(): Promise<CacheTtl | undefined>;
  /** The clock tells when credentials have rested; without one it is the system's. */
  open(clock?: Clock): Promise<ModelRoute>;
}

/** Whether a route can be given an attachment of this kind. Where nobody knows, it is tried. */
export function canRead(route: ModelRoute, kind: AttachmentKind): boolean {
  if (!(route.client.carries ?? ATTACHMENT_KINDS).includes(kind)) return false;
  return (kind === 'image' ? route.facts?.vision : route.facts?.documents) !== false;
}

/** A secret and the hosts it may be sent to. The transport checks every request, redirects included. */
export type Credential = {
  secret: string;
  /** Host names with port where one is not the default, e.g. `api.openai.com`, `127.0.0.1:11434`. */
  hosts: readonly string[];
  /** How it is sent, where that is not what the endpoint takes a key in: a login may go in another header. */
  scheme?: AuthScheme;
  /** Go with the secret and, like it, only to its hosts: an account's id, the mark of a login. */
  headers?: Readonly<Record<string, string>>;
};

export type AuthScheme = 'bearer' | 'x-api-key';

/** Gives the credential of the next call: a pool may have changed it since the last one, a login may have to be renewed. */
export interface CredentialSource {
  take(signal: AbortSignal): Promise<Credential | undefined>;
}
