import { newId, type ToolCall, type Usage } from '../../base/index.ts';
import type { ReplyContent, ReplyFinishReason, ReplyToolCall } from './reply.ts';

/** A reply with everything filled in that was left out. */
export type PlannedReply = {
  text: string;
  reasoning: string;
  toolCalls: ToolCall[];
  /** Undefined for an answer that is to end without one. */
  finishReason: ReplyFinishReason | undefined;
  usage: Usage;
  chunkSize: number;
  delayMs: number;
};

/** Small enough that a short sentence arrives in several pieces. */
const DEFAULT_CHUNK_SIZE = 16;
/** A usual rule of thumb; tests that need exact counts give them. */
const CHARACTERS_PER_TOKEN = 4;

export function planReply(reply: ReplyContent, inputCharacters: number): PlannedReply {
  const toolCalls = (reply.toolCalls ?? []).map(planToolCall);
  const text = reply.text ?? '';
  const reasoning = reply.reasoning ?? '';
  const written = toolCalls.reduce((sum, call) => sum + call.arguments.length, text.length + reasoning.length);
  return {
    text,
    reasoning,
    toolCalls,
    finishReason: reply.finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop'),
    usage: {
      input: guessTokens(inputCharacters),
      output: guessTokens(written),
      cacheRead: 0,
      cacheWrite: 0,
      reasoning: guessTokens(reasoning.length),
      ...reply.usage,
    },
    chunkSize: reply.chunkSize ?? DEFAULT_CHUNK_SIZE,
    delayMs: reply.delayMs ?? 0,
  };
}

function planToolCall(call: ReplyToolCall): ToolCall {
  // Random like a provider's: a session that goes on with another server must not meet the same id again.
  const id = call.id ?? newId('call');
  const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
  return { id, name: call.name, arguments: text };
}

function guessTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Cuts text into pieces of at most `size` UTF-16 units (at least one character), never inside a surrogate pair. */
export function chunkText(text: string, size: number): string[] {
  const chunks: string[] = [];
  let start = 0;
  while (start < text.length) {
    let end = Math.min(start + Math.max(1, size), text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end += end - 1 > start ? -1 : 1;
    chunks.push(text.slice(start, end));
    start = end;
  }
  return chunks;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
