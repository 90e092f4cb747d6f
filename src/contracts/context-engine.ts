import type { Clock, CompressionReason, Message } from '../base/index.ts';
import type { AuxiliaryModels } from './auxiliary.ts';
import type { Logger } from './logger.ts';
import type { TodoItem, ToolDefinition } from './tool.ts';

/**
 * Keeps a session within the context window. The engine decides what to keep and what replaces the rest; the agent
 * stores the result and continues with it.
 */
export interface ContextEngine {
  readonly name: string;
  /** Whether the session should be compressed before the next request. */
  shouldCompress(window: WindowState): boolean;
  /**
   * Whether the next request should be made smaller although `shouldCompress` returns false, without losing messages:
   * `compress` then only shortens old tool results.
   */
  shouldClear?(input: CompressionInput): Promise<boolean>;
  /** The size at which `shouldCompress` starts to return true, for display. */
  threshold?(contextLength: number): CompressionThreshold | undefined;
  /**
   * Returns undefined if nothing could be saved. Throws only the signal's reason: all other failures are handled
   * inside.
   */
  compress(input: CompressionInput): Promise<Compression | undefined>;
  /**
   * Re-enables automatic compression. After two consecutive compressions that hardly saved anything, `shouldCompress`
   * returns false until this is called.
   */
  allow(lineageId: string, why: 'user-message' | 'model-switch' | 'command'): void;
  /** Releases the state of a lineage whose last session was closed. */
  forget?(lineageId: string): void;
  /** Whether a message contains a replacement, either alone or followed by the text of a user. */
  containsReplacement?(message: Message): Promise<boolean>;
}

/** The dependencies of a context engine. */
export type ContextEngineParts = {
  /** Undefined if there are no auxiliary models. */
  auxiliary: AuxiliaryModels | undefined;
  logger: Logger;
  clock: Clock;
};

/** Creates an engine. A custom module exports it as `createContextEngine`. */
export type ContextEngineFactory = (parts: ContextEngineParts) => ContextEngine | Promise<ContextEngine>;

/**
 * A size in tokens, and what determined it: `compression.threshold`, the default share for windows of this size, the
 * reserve of a small window, or `compression.max_tokens`.
 */
export type CompressionThreshold = { tokens: number; rule: 'configured' | 'window' | 'reserve' | 'max_tokens' };

export type WindowState = {
  /** The same for all sessions of a lineage, because compression changes the session id. */
  lineageId: string;
  /** The token figure: the last actual usage plus an estimate of what was added. */
  tokens: number;
  /** The context window of the model, or the limit learned from its provider. */
  contextLength: number;
  /** The number of messages in the history; undefined for many. */
  messageCount?: number;
};

export type CompressionInput = WindowState & {
  sessionId: string;
  taskId?: string;
  reason: CompressionReason;
  /** How many times in a row the provider has rejected the request as too large, from 1; each attempt keeps less. */
  attempt: number;
  /** The history as stored, oldest first, including earlier summaries. */
  messages: readonly Message[];
  /** How many messages at the start an earlier compression has kept, possibly in a shorter form; 0 if unknown. */
  inherited?: number;
  /** Tokens of the system prompt and tool definitions, which are part of every request. */
  fixedTokens: number;
  /** Estimates tokens with the same estimator as the token figure. */
  tokensOf(messages: readonly Message[]): number;
  /** What the summary should focus on: `/compress TOPIC`. */
  topic?: string;
  todos: readonly TodoItem[];
  /** Whether `context_search` and `context_expand` are offered, so that the summary may mention them. */
  canReadBack?: boolean;
  /** Only estimate the result, without calling a model. */
  previewOnly?: boolean;
  signal: AbortSignal;
};

/** The tool that reads removed messages back. */
export const READ_BACK_TOOL = 'context_expand';

/** The result of a compression. */
export type Compression = {
  messages: readonly CompressedMessage[];
  /** What wrote the replacement: a model (`provider/model`), a deterministic extract, a removal map, or nothing. */
  summary: { by: 'model' | 'extract' | 'map' | 'none'; model?: string; why?: string };
  tokensBefore: number;
  /** Estimated like `tokensBefore`, including the fixed tokens. */
  tokensAfter: number;
};

/** An input message by index, with its new form in `message` if it was shortened; or a new message. */
export type CompressedMessage = { index: number; message?: Message } | { message: Message };

/** The token estimator. It calibrates itself per model from actual usage. */
export interface TokenMeter {
  /** Includes attachments, tool calls and reasoning. */
  ofMessages(model: string, messages: readonly Message[]): number;
  /** Tokens of the system prompt and the tool definitions. */
  ofFixed(model: string, system: string, tools: readonly ToolDefinition[]): number;
  /** Calibrates with the estimate of a whole request and the tokens that the provider counted. */
  calibrate(model: string, guessed: number, counted: number): void;
}
