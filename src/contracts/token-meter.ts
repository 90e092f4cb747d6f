import type { Message } from '../base/index.ts';
import type { ToolDefinition } from './tool.ts';

/** The one guess at how many tokens a text takes. It learns, for each model, from what calls really took. */
export interface TokenMeter {
  /** Attachments, calls and reasoning included; nothing is encoded for it. */
  ofMessages(model: string, messages: readonly Message[]): number;
  /** What every request carries before a word was said. */
  ofFixed(model: string, system: string, tools: readonly ToolDefinition[]): number;
  /** A whole request was guessed at so many tokens, and the provider counted so many. */
  learn(model: string, guessed: number, counted: number): void;
}
