import type { Message } from '../base/index.ts';
import type { CompressionSettings } from '../config/index.ts';
import type { CompressedMessage, Compression, CompressionInput } from '../contracts/index.ts';
import { type Conversation, type NumberedMessage, readConversation } from './conversation.ts';
import { clearOldResults } from './clear-results.ts';
import { planCompression, type CompressionPlan } from './compression-plan.ts';
import { findLostReferences, noteLostReference } from './lost-references.ts';
import { compressionThreshold } from './threshold.ts';
import { prependReplacement, type ReplacementKind, writeReplacement } from './replacement.ts';
import { type NewestStatement, findUserStatements } from './summary/user-statements.ts';

/** The text that replaces the middle, and who wrote it. */
export type Replacement = { kind: ReplacementKind; body: string; by: Compression['summary'] };

export type ReplacementInput = {
  input: CompressionInput;
  conversation: Conversation;
  plan: CompressionPlan;
  newestStatement: NewestStatement | undefined;
  /** Limit for the body in tokens, without the header and the end marker. */
  limit: number;
  tokensOf(text: string): number;
};

/** Tokens of the header and the end marker around a summary or removal map, including the message numbers. */
const HEADER_TOKENS = 110;
const MIN_BODY_TOKENS = 60;
/** If clearing old tool results brings the request below this share of the threshold, nothing is replaced. */
const CLEARED_SHARE = 0.9;
/** A middle with fewer tokens than this is not worth a call to the summary model. */
const MIN_REPLACED = 400;

/** Runs the compression phases in order. The engines differ only in how they write the replacement. */
export async function compressConversation(
  input: CompressionInput,
  settings: CompressionSettings,
  engine: { makeReplacement(of: ReplacementInput): Promise<Replacement>; clearsResults: boolean },
): Promise<Compression | undefined> {
  input.signal.throwIfAborted();
  const conversation = readConversation(input.messages);
  const cleared = engine.clearsResults ? clearOnly(input, conversation, settings) : undefined;
  if (cleared !== undefined) return cleared;
  const plan = planCompression(input, conversation, settings);
  if (plan === undefined) return undefined;
  const whole = keepMiddle(input, conversation, plan);
  if (whole !== undefined || plan.replaced === 0) return whole;
  const tokensOf = (text: string) => input.tokensOf([{ role: 'user', content: text }]);
  const limit = Math.max(plan.limit - HEADER_TOKENS, MIN_BODY_TOKENS);
  const newestWords = findNewestStatement(conversation, plan);
  const replacement = await engine.makeReplacement({
    input,
    conversation,
    plan,
    newestStatement: newestWords,
    limit,
    tokensOf,
  });
  return finish(input, plan.head, writeFramed(input, conversation, plan, replacement), plan.tail, replacement.by);
}

function findNewestStatement({ messages }: Conversation, { head, tail }: CompressionPlan): NewestStatement | undefined {
  const newest = findUserStatements(messages).at(-1);
  return newest && { ...newest, isKept: [...head, ...tail].some(({ number }) => number === newest.number) };
}

function writeFramed(
  input: CompressionInput,
  conversation: Conversation,
  plan: CompressionPlan,
  { kind, body }: Replacement,
): string {
  const removed = new Set([...conversation.removedBefore, ...plan.middle.map(({ number }) => number)]);
  const kept = [...plan.head, ...plan.tail].map(({ number }) => number);
  const numbers = { removed: [...removed].sort((a, b) => a - b), kept };
  return writeReplacement(kind, body, numbers, input.canReadBack ?? false);
}

/** Whether `compressConversation` would only clear old tool results. */
export function isClearingDue(input: CompressionInput, settings: CompressionSettings): boolean {
  return clearOnly(input, readConversation(input.messages), settings) !== undefined;
}

/** Only clears old tool results, which keeps all messages. Returns undefined if that is not due or not enough. */
function clearOnly(
  input: CompressionInput,
  conversation: Conversation,
  settings: CompressionSettings,
): Compression | undefined {
  if (input.reason === 'command' || input.attempt > 1) return undefined;
  const cleared = clearOldResults(input, conversation, settings);
  if (cleared === undefined) return undefined;
  const compression = finish(input, cleared, undefined, [], { by: 'none', why: CLEARED });
  const most = compressionThreshold(input.contextLength, settings).tokens * CLEARED_SHARE;
  return compression !== undefined && compression.tokensAfter <= most ? compression : undefined;
}

const CLEARED = 'old tool results were cleared';

/** Keeps the middle if it is very small. Returns the result if it fits into the window, else undefined. */
function keepMiddle(
  input: CompressionInput,
  { previous }: Conversation,
  plan: CompressionPlan,
): Compression | undefined {
  if (previous !== undefined || plan.replaced > Math.min(MIN_REPLACED, input.contextLength * 0.05)) return undefined;
  const whole = [...plan.head, ...plan.middle, ...plan.tail].sort(byIndex);
  const compression = finish(input, whole, undefined, [], { by: 'none', why: 'there was almost nothing to replace' });
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
  const placed = noteLostReferences(assemble(head, replacement, tail), input.messages);
  const tokensBefore = input.fixedTokens + input.tokensOf(input.messages);
  const tokensAfter = input.fixedTokens + input.tokensOf(placed.map(({ message }) => message));
  if (tokensAfter >= tokensBefore) return undefined;
  return { messages: toCompressed(placed), summary, tokensBefore, tokensAfter };
}

/** Marks results that refer to an earlier result which was shortened or removed. */
function noteLostReferences(placed: readonly Placed[], messages: readonly Message[]): Placed[] {
  const kept = new Set(
    placed.flatMap(({ source, message }) => (source && message === messages[source.index] ? [source.index] : [])),
  );
  const lost = findLostReferences(messages, (index) => kept.has(index));
  return placed.map((each) => {
    const { source, message } = each;
    const isLost = source !== undefined && message.role === 'tool' && lost.has(source.index);
    return isLost ? { source, message: noteLostReference(message) } : each;
  });
}

const NO_RESULT = 'No result was recorded for this call.';

/** A message of the compressed session: one of the input messages (`source`) or a new one. */
type Placed = { source?: NumberedMessage; message: Message };

/**
 * Joins head, replacement and tail. The replacement gets a role that differs from both neighbours. If neither role is
 * free, it is prepended to the first message of the tail. Orphaned tool calls and results are repaired.
 */
export function assemble(
  head: readonly NumberedMessage[],
  replacement: string | undefined,
  tail: readonly NumberedMessage[],
): Placed[] {
  const [before, after] = [repairPairs(head), repairPairs(tail)];
  if (replacement === undefined) return [...before, ...after];
  const role = freeRole(before.at(-1)?.message.role, after[0]?.message.role);
  if (role !== undefined) return [...before, { message: { role, content: replacement } }, ...after];
  const [first, ...others] = after;
  // A tail never begins with a tool result: results stay with their calls, and orphaned results were removed above.
  if (first === undefined || first.message.role === 'tool') return [...before, ...after];
  return [...before, { ...first, message: prependReplacement(first.message, replacement) }, ...others];
}

/** Refers to input messages by index, and adds the message itself only if it was changed. */
export function toCompressed(placed: readonly Placed[]): CompressedMessage[] {
  return placed.map(({ source, message }) => {
    if (source === undefined) return { message };
    return source.changed || source.message !== message ? { index: source.index, message } : { index: source.index };
  });
}

/** A conversation must start with a user message; after a tool result, either role is valid. */
function freeRole(
  before: Message['role'] | undefined,
  after: Message['role'] | undefined,
): 'user' | 'assistant' | undefined {
  const canBeUser = before !== 'user' && after !== 'user';
  if (canBeUser) return 'user';
  return before !== undefined && before !== 'assistant' && after !== 'assistant' ? 'assistant' : undefined;
}

/** Drops results without a call, and adds a placeholder result for each call without one. */
function repairPairs(numbered: readonly NumberedMessage[]): Placed[] {
  const placed: Placed[] = [];
  let open = new Map<string, string>();
  const close = () => {
    for (const [id, name] of open)
      placed.push({ message: { role: 'tool', toolCallId: id, toolName: name, content: NO_RESULT } });
    open = new Map();
  };
  for (const source of numbered) {
    const { message } = source;
    if (message.role === 'tool') {
      if (open.delete(message.toolCallId)) placed.push({ source, message });
      continue;
    }
    close();
    placed.push({ source, message });
    if (message.role === 'assistant') open = new Map((message.toolCalls ?? []).map(({ id, name }) => [id, name]));
  }
  close();
  return placed;
}
