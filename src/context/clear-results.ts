import type { Message } from '../base/index.ts';
import type { CompressionSettings } from '../config/index.ts';
import type { CompressionInput } from '../contracts/index.ts';
import { mapMessages } from './compression-plan.ts';
import type { Conversation, NumberedMessage } from './conversation.ts';
import { isPrunable, isPruned, pruneMessages } from './prune.ts';
import { findReplacement } from './replacement.ts';
import { sparedResults } from './spared-results.ts';
import { compressionThreshold } from './threshold.ts';

/** The share of the tail budget within which the newest results stay, and how many stay in any case. */
const KEPT_SHARE = 0.5;
const MIN_KEPT_RESULTS = 3;
/** Clearing waits until it frees this share of the room for messages, so that it happens in few large steps. */
const MIN_FREED_SHARE = 0.25;
/** Tokens of the line that replaces a result. */
const LINE_TOKENS = 50;
/** Prices of cached tokens as shares of the input price: reading them again, and writing them instead of reading them. */
const READ_PRICE = 0.1;
const REWRITE_PRICE = 1.15;

/**
 * Replaces old tool results with one line each, oldest first, without a model: undefined if it is not due. Everything
 * after the first cleared result has to be written to the provider's cache again, so it is due only if the conversation
 * is long enough and the calls that follow save more than that costs.
 */
export function clearOldResults(
  input: CompressionInput,
  conversation: Conversation,
  settings: CompressionSettings,
): NumberedMessage[] | undefined {
  const { tokens, fixedTokens, canReadBack = false } = input;
  const room = compressionThreshold(input.contextLength, settings).tokens - fixedTokens;
  if (room <= 0 || tokens < fixedTokens + room * settings.clearAt) return undefined;
  const messages = numberAll(input, conversation);
  const tokensOf = (some: readonly NumberedMessage[]) => input.tokensOf(some.map(({ message }) => message));
  const settled = settledMessages(input);
  const spared = new Set([...sparedResults(input.messages), ...Array(settled).keys()]);
  const end = startOfKept(messages, room * settings.targetRatio * KEPT_SHARE, tokensOf);
  const old = messages.slice(0, end);
  const candidates = old.filter(({ index, message }) => !spared.has(index) && isPrunable(message));
  if (tokensOf(candidates) - candidates.length * LINE_TOKENS < room * MIN_FREED_SHARE) return undefined;
  const numbers = canReadBack ? old.map(({ number }) => number) : [];
  const cleared = [...mapMessages(old, (some) => pruneMessages(some, numbers), spared), ...messages.slice(end)];
  const first = cleared.findIndex((source, position) => source !== messages[position]);
  const freed = tokensOf(messages) - tokensOf(cleared);
  const isEnough = freed >= room * MIN_FREED_SHARE * 0.9;
  return isEnough && isWorthwhile(freed, tokensOf(cleared.slice(first)), growthOf(input.messages, tokensOf(messages)))
    ? cleared
    : undefined;
}

/**
 * How many messages at the start stay as they are. What an earlier clearing has kept is cached up to its end, and is
 * not cleared later either, so that this part of the cache is used until the conversation is summarised.
 */
function settledMessages({ messages, inherited = 0 }: CompressionInput): number {
  const first = messages.findLastIndex((message) => findReplacement(message) !== undefined) + 1;
  return messages.slice(first, inherited).some(isPruned) ? inherited : 0;
}

/** All messages of the input, including replacements. */
function numberAll({ messages }: CompressionInput, conversation: Conversation): NumberedMessage[] {
  const numbers = new Map(conversation.messages.map(({ index, number }) => [index, number]));
  return messages.map((message, index) => ({ index, number: numbers.get(index) ?? 0, message, changed: false }));
}

/** Where the newest messages begin that stay within a budget, with at least a few results. */
function startOfKept(
  messages: readonly NumberedMessage[],
  budget: number,
  tokensOf: (messages: readonly NumberedMessage[]) => number,
): number {
  let [tokens, results] = [0, 0];
  return (
    messages.findLastIndex((source) => {
      tokens += tokensOf([source]);
      if (source.message.role === 'tool') results += 1;
      return tokens > budget && results > MIN_KEPT_RESULTS;
    }) + 1
  );
}

/**
 * Whether not reading the freed tokens saves more than writing the rest again costs. It saves until the conversation has
 * grown by as much again.
 */
function isWorthwhile(freed: number, rewritten: number, growth: number): boolean {
  return freed * READ_PRICE * (freed / growth) > rewritten * REWRITE_PRICE;
}

/** By how many tokens a conversation grows with each call. */
function growthOf(messages: readonly Message[], tokens: number): number {
  return Math.max(tokens / Math.max(messages.filter(({ role }) => role === 'assistant').length, 1), 1);
}
