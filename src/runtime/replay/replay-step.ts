import type { RebuiltStep } from '../../agent/index.ts';
import type { ToolCall } from '../../base/index.ts';

export type ReplayDifference = { kind: 'prompt' | 'tools' | 'history' | 'prefix'; message: string };

export type ReplayStep = {
  /** From 1. */
  step: number;
  messages: number;
  bytes: number;
  /** SHA-256 of the body, cache marks left out: the same as long as the same is sent. */
  hash: string;
  /** What was answered then: calls, or the beginning of a text. */
  calls: readonly string[];
  text: string | undefined;
  differences: ReplayDifference[];
};

export function callsOf(answer: RebuiltStep['answer']): readonly ToolCall[] {
  return answer?.role === 'assistant' ? (answer.toolCalls ?? []) : [];
}
