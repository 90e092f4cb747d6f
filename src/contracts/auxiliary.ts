import { type Cost, type FinishReason, HermesError, type Message, type ToolCall, type Usage } from '../base/index.ts';
import type { ModelRequest, RouteSource } from './model-client.ts';
import type { ToolDefinition } from './tool.ts';

/** The auxiliary tasks, named as in the configuration: `auxiliary.<task>`. */
export const AUXILIARY_TASKS = [
  'vision',
  'web_extract',
  'compression',
  'session_search',
  'skills_hub',
  'mcp',
  'memory_flush',
  'title_generation',
  'approval',
  'injection_scan',
  'review',
] as const;

export type AuxiliaryTask = (typeof AUXILIARY_TASKS)[number];

/** Models for auxiliary tasks. Each task has its own route chain, followed by the chat's models. */
export interface AuxiliaryModels {
  /**
   * Makes one request; its cost is stored under the task name whether or not the answer is used. Throws a
   * `HermesError` if every model of the chain failed or a spending limit is reached, `UnusableAnswers` if there were
   * answers but none could be used, and the signal's reason when aborted.
   */
  ask(task: AuxiliaryTask, request: AuxiliaryRequest): Promise<AuxiliaryAnswer>;
}

/** Reports the cost of auxiliary calls to a turn. */
export interface AuxiliarySpending {
  /**
   * Calls `onSpent` for every answer stored for this turn from now on, used or not. Returns a function that stops it.
   */
  follow(taskId: string, onSpent: (spent: Spent) => void): () => void;
}

export type Spent = { usage: Usage; cost: Cost };

export type AuxiliaryRequest = {
  system: string;
  messages: readonly Message[];
  /** The bytes of attachments; models that cannot read one of them are skipped. */
  blobs?: ModelRequest['blobs'];
  maxOutputTokens?: number;
  /** Tools that the model may call; the caller runs the calls and asks again with the results. */
  tools?: readonly ToolDefinition[];
  /**
   * Validates an answer: returns undefined if it can be used, otherwise the reason, worded for a model and a log.
   * After a rejection the same model is asked once more with the reason, then the next model. Empty answers are
   * always rejected.
   */
  findRejectionReason?(answer: UncheckedAnswer): string | undefined;
  signal: AbortSignal;
  /** The session that the call is for; without one, the call counts towards the limit per day only. */
  sessionId?: string;
  /** The turn that the call belongs to, if any. */
  taskId?: string;
};

/**
 * `text` is empty only if there are tool calls; `finishReason` says whether it was truncated. Usage and cost include
 * all answers that were needed.
 */
export type AuxiliaryAnswer = {
  text: string;
  /** Set only if tools were offered. */
  toolCalls?: ToolCall[];
  finishReason: FinishReason;
  usage: Usage;
  cost: Cost;
  provider: string;
  model: string;
};

export type UncheckedAnswer = Pick<AuxiliaryAnswer, 'text' | 'toolCalls' | 'finishReason'>;

/** Models answered, but no answer could be used. The cause is the failure of the last model, if it failed. */
export class UnusableAnswers extends HermesError {}

/** The route chain for a task, in the order it is tried. */
export type AuxiliaryRoutes = (task: AuxiliaryTask) => Promise<readonly RouteSource[]>;
