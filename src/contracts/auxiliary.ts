import { type Cost, type FinishReason, HermesError, type Message, type ToolCall, type Usage } from '../base/index.ts';
import type { ModelRequest, RouteSource } from './model-client.ts';
import type { ToolDefinition } from './tool.ts';

/** What a second model does beside the chat. The names are those of the configuration: `auxiliary.<task>`. */
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
  'review',
] as const;

export type AuxiliaryTask = (typeof AUXILIARY_TASKS)[number];

/** Models for the tasks beside the chat: each has a chain of its own, and the chat's own models at its end. */
export interface AuxiliaryModels {
  /**
   * One question, one answer; what it cost is stored under the name of the task, used or not. Throws a `HermesError`
   * where every model of the chain failed or a spending limit is reached (`UnusableAnswers` where some answered, and
   * nothing of use), and the signal's reason where it was aborted.
   */
  ask(task: AuxiliaryTask, request: AuxiliaryRequest): Promise<AuxiliaryAnswer>;
}

/** What auxiliary calls cost, for whoever adds up a turn. */
export interface AuxiliarySpending {
  /** Tells of every answer for this turn that is stored from now on, used or not; what it gives back ends that. */
  follow(taskId: string, onSpent: (spent: Spent) => void): () => void;
}

export type Spent = { usage: Usage; cost: Cost };

export type AuxiliaryRequest = {
  system: string;
  messages: readonly Message[];
  /** The bytes of attachments; models that cannot read one of them are passed over. */
  blobs?: ModelRequest['blobs'];
  maxOutputTokens?: number;
  /** What the model may call; whoever asks runs the calls and asks again with their results. */
  tools?: readonly ToolDefinition[];
  /**
   * Why an answer cannot be used, in words that a model and a log may read; undefined where it can. The same model is then
   * asked once more and told, and after that the next one of the chain. An answer that is empty needs no judge.
   */
  findFault?(answer: JudgedAnswer): string | undefined;
  signal: AbortSignal;
  /** The session it is done for; without one it counts for the day only. */
  sessionId?: string;
  /** The turn it is done for, where it is part of one. */
  taskId?: string;
};

/** `text` is empty only where there are calls instead; `finishReason` says whether it was cut off. Usage and cost are those of all answers it took. */
export type AuxiliaryAnswer = {
  text: string;
  /** Only where tools were offered. */
  toolCalls?: ToolCall[];
  finishReason: FinishReason;
  usage: Usage;
  cost: Cost;
  provider: string;
  model: string;
};

export type JudgedAnswer = Pick<AuxiliaryAnswer, 'text' | 'toolCalls' | 'finishReason'>;

/** Models of the chain answered, and none of the answers could be used. Its cause is the failure of the last one, if it had one. */
export class UnusableAnswers extends HermesError {}

/** The chain of models for a task, in the order in which they are asked. */
export type AuxiliaryRoutes = (task: AuxiliaryTask) => Promise<readonly RouteSource[]>;
