import type { RebuiltStep } from '../../agent/index.ts';
import type { ToolCall } from '../../base/index.ts';

export type ReplayDifference = { kind: 'prompt' | 'tools' | 'history' | 'prefix'; message: string };

export type ReplayStep = {
  /** Counted from 1. */
  step: number;
  messages: number;
  bytes: number;
  /** SHA-256 of the body without cache markers; equal if the same content is sent. */
  hash: string;
  /** The recorded answer: its tool calls, or the start of its text. */
  calls: readonly string[];
  text: string | undefined;
  differences: ReplayDifference[];
};

export function callsOf(answer: RebuiltStep['answer']): readonly ToolCall[] {
  return answer?.role === 'assistant' ? (answer.toolCalls ?? []) : [];
}
