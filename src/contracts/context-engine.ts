import type { Clock, CompressionReason, Message } from '../base/index.ts';
import type { AuxiliaryModels } from './auxiliary.ts';
import type { Logger } from './logger.ts';
import type { TodoItem, ToolDefinition } from './tool.ts';

/**
 * Keeps a conversation inside the model's window. It decides what stays and what takes the place of the rest; storing
 * that, and going on with it, is the agent's.
 */
export interface ContextEngine {
  readonly name: string;
  /** Whether the next request should be made smaller before it is sent. */
  shouldCompress(window: WindowState): boolean;
  /** Undefined where nothing could be saved. Throws only the signal's reason: whatever else fails has a way out in it. */
  compress(input: CompressionInput): Promise<Compression | undefined>;
  /**
   * After two compressions in a row that hardly saved anything `shouldCompress` says no, until one of these is told:
   * there is something new to work with, or someone who wants it.
   */
  allow(lineageId: string, why: 'user-message' | 'model-switch' | 'command'): void;
  /** Releases what is kept for a lineage whose last session was closed. */
  forget?(lineageId: string): void;
  /** Whether a message holds what stands for removed ones, on its own or before words that somebody said. */
  holdsReplacement?(message: Message): Promise<boolean>;
}

/** What an engine is made with. */
export type ContextEngineParts = {
  /** Absent where no second model can be asked. */
  auxiliary: AuxiliaryModels | undefined;
  logger: Logger;
  clock: Clock;
};

/** Makes an engine; what a module of one's own exports as `createContextEngine`. */
export type ContextEngineFactory = (parts: ContextEngineParts) => ContextEngine | Promise<ContextEngine>;

export type WindowState = {
  /** The same for a session and all that continue it, because a compression changes the session's id. */
  lineageId: string;
  /** The one figure: what the last call took, and a guess at what came since. */
  tokens: number;
  /** The model's window, or the limit that was learnt from its provider. */
  contextLength: number;
};

export type CompressionInput = WindowState & {
  sessionId: string;
  taskId?: string;
  reason: CompressionReason;
  /** How often in a row the provider refused the request all the same, from 1; each time less is kept. */
  attempt: number;
  /** The whole conversation as it is stored, oldest first; earlier summaries are messages of it. */
  messages: readonly Message[];
  /** What goes with every request besides them: system prompt and tool definitions. */
  fixedTokens: number;
  /** The guess that the figure is made of. */
  tokensOf(messages: readonly Message[]): number;
  /** What the summary should dwell on: `/compress TOPIC`. */
  topic?: string;
  todos: readonly TodoItem[];
  /** The tools that read removed messages back, `context_search` and `context_expand`, are offered; they may be named. */
  canReadBack?: boolean;
  /** Says what would be done without asking a model. */
  previewOnly?: boolean;
  signal: AbortSignal;
};

/** What the conversation goes on with. */
export type Compression = {
  messages: readonly CompressedMessage[];
  /** Who wrote what stands for the rest: a model (`provider/model`), an extract without one, a map of what was removed, or nobody. */
  summary: { by: 'model' | 'extract' | 'map' | 'none'; model?: string; why?: string };
  tokensBefore: number;
  /** By the same guess, with what goes with every request. */
  tokensAfter: number;
};

/** One of the given messages by its index, shortened where `message` says how it is now; or a new one. */
export type CompressedMessage = { index: number; message?: Message } | { message: Message };

/** The one guess at how many tokens a text takes. It learns, for each model, from what calls really took. */
export interface TokenMeter {
  /** Attachments, calls and reasoning included; nothing is encoded for it. */
  ofMessages(model: string, messages: readonly Message[]): number;
  /** What every request carries before a word was said. */
  ofFixed(model: string, system: string, tools: readonly ToolDefinition[]): number;
  /** A whole request was guessed at so many tokens, and the provider counted so many. */
  learn(model: string, guessed: number, counted: number): void;
}
