import type { CompressionSettings } from '../config/index.ts';
import type { Compression, CompressionInput } from '../contracts/index.ts';
import { type Conversation, type NumberedMessage, readConversation } from './conversation.ts';
import { assemble, toCompressed } from './phases/assembly.ts';
import { pruneMessages } from './phases/prune.ts';
import { change, makePlan, type Plan } from './plan.ts';
import { type ReplacementKind, writeReplacement } from './replacement.ts';
import { type NewestWords, wordsOf } from './summary/user-words.ts';

/** What stands for the middle, and who wrote it. */
export type Replacement = { kind: ReplacementKind; body: string; by: Compression['summary'] };

export type ReplacementInput = {
  input: CompressionInput;
  conversation: Conversation;
  plan: Plan;
  newestWords: NewestWords | undefined;
  /** Tokens of the text itself, without its frame. */
  limit: number;
  tokensOf(text: string): number;
};

/** Tokens of the frame around a summary or map, with the numbers it names. */
const FRAME_TOKENS = 110;
const LEAST_BODY_TOKENS = 60;
/** Where shortening old results alone brings it below this share of the threshold, nothing needs to be replaced. */
const PRUNED_SHARE = 0.5;
/** A middle of fewer tokens is not worth a question. */
const LEAST_REPLACED = 400;

/** The phases, one after another; the engines differ only in what they put in the place of the middle. */
export async function compressConversation(
  input: CompressionInput,
  settings: CompressionSettings,
  engine: { makeReplacement(of: ReplacementInput): Promise<Replacement>; prunesAlone: boolean },
): Promise<Compression | undefined> {
  input.signal.throwIfAborted();
  const conversation = readConversation(input.messages);
  const plan = makePlan(input, conversation, settings);
  if (plan === undefined) return undefined;
  const pruned = engine.prunesAlone ? pruneOnly(input, conversation, plan, settings) : undefined;
  if (pruned !== undefined) return pruned;
  const whole = keepMiddle(input, conversation, plan);
  if (whole !== undefined || plan.replaced === 0) return whole;
  const tokensOf = (text: string) => input.tokensOf([{ role: 'user', content: text }]);
  const limit = Math.max(plan.limit - FRAME_TOKENS, LEAST_BODY_TOKENS);
  const newestWords = findNewestWords(conversation, plan);
  const replacement = await engine.makeReplacement({ input, conversation, plan, newestWords, limit, tokensOf });
  return finish(input, plan.head, frame(input, conversation, plan, replacement), plan.tail, replacement.by);
}

function findNewestWords({ messages }: Conversation, { head, tail }: Plan): NewestWords | undefined {
  const newest = wordsOf(messages).at(-1);
  return newest && { ...newest, isKept: [...head, ...tail].some(({ number }) => number === newest.number) };
}

function frame(input: CompressionInput, conversation: Conversation, plan: Plan, { kind, body }: Replacement): string {
  const removed = new Set([...conversation.removedBefore, ...plan.middle.map(({ number }) => number)]);
  const kept = [...plan.head, ...plan.tail].map(({ number }) => number);
  const numbers = { removed: [...removed].sort((a, b) => a - b), kept };
  return writeReplacement(kind, body, numbers, input.canReadBack ?? false);
}

/** The first phase alone, where that is enough: everything that was said stays as it is. */
function pruneOnly(
  input: CompressionInput,
  { former }: Conversation,
  { head, middle, tail }: Plan,
  settings: CompressionSettings,
): Compression | undefined {
  if (former !== undefined || input.reason === 'command' || input.attempt > 1) return undefined;
  const whole = [...change([...head, ...middle].sort(byIndex), pruneMessages), ...tail].sort(byIndex);
  const compression = finish(input, whole, undefined, [], { by: 'none', why: 'shortening old results was enough' });
  const most = input.contextLength * settings.threshold * PRUNED_SHARE;
  return compression !== undefined && compression.tokensAfter <= most ? compression : undefined;
}

/** A middle of a few words stays; what was cut elsewhere may be enough. */
function keepMiddle(input: CompressionInput, { former }: Conversation, plan: Plan): Compression | undefined {
  if (former !== undefined || plan.replaced > Math.min(LEAST_REPLACED, input.contextLength * 0.05)) return undefined;
  const whole = [...plan.head, ...plan.middle, ...plan.tail].sort(byIndex);
  const compression = finish(input, whole, undefined, [], { by: 'none', why: 'there was hardly anything to replace' });
  return compression !== undefined && compression.tokensAfter <= input.contextLength ? compression : undefined;
}

function byIndex(a: NumberedMessage, b: NumberedMessage): number {
  return a.index - b.index;
}

function finish(
  input: CompressionInput,
  head: readonly NumberedMessage[],
  replacement: string | undefined,
  tail: readonly NumberedMessage[],
  summary: Compression['summary'],
): Compression | undefined {
  const placed = assemble(head, replacement, tail);
  const tokensBefore = input.fixedTokens + input.tokensOf(input.messages);
  const tokensAfter = input.fixedTokens + input.tokensOf(placed.map(({ message }) => message));
  if (tokensAfter >= tokensBefore) return undefined;
  return { messages: toCompressed(placed), summary, tokensBefore, tokensAfter };
}
