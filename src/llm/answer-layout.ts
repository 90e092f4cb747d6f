import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';

/**
 * The order of the parts of an answer: a reasoning block, a tool call, or a number of characters of its text. Providers
 * that interleave reasoning with text and calls require it back between the same parts.
 */
export type LayoutPart = 'reasoning' | 'call' | number;

const TYPE = 'hermes_layout';

/** Counts of what a layout must describe completely; otherwise it belongs to another form of the message. */
type Counts = { reasoning: number; calls: number; characters: number };

/**
 * The entry of `reasoningDetails` that stores a layout; undefined if all reasoning comes first, which is the order
 * without a layout, or if the parts are not those of the answer.
 */
export function layoutEntry(parts: readonly LayoutPart[], counts: Counts): JsonObject | undefined {
  const joined = joinText(parts);
  const others = joined.findIndex((part) => part !== 'reasoning');
  const isInterleaved = others >= 0 && joined.includes('reasoning', others);
  return isInterleaved && describes(joined, counts) ? { type: TYPE, parts: joined } : undefined;
}

export function isLayout(detail: JsonValue): boolean {
  return isJsonObject(detail) && detail.type === TYPE;
}

/** What the parts of a layout are in the format of an API mode. */
type Parts<Block> = { reasoning: readonly (Block | undefined)[]; calls: readonly Block[]; text: string };

/**
 * The blocks of a message in the order of its stored layout; undefined if it has none that fits. Reasoning at the end
 * is omitted, because the APIs reject it without the block that it led to.
 */
export function arrangeBlocks<Block>(
  details: readonly JsonValue[] | undefined,
  { reasoning, calls, text }: Parts<Block>,
  textBlocks: (text: string) => readonly Block[],
): Block[] | undefined {
  const parts = partsIn(details?.find(isLayout));
  const counts = { reasoning: reasoning.length, calls: calls.length, characters: text.length };
  if (parts === undefined || !describes(parts, counts)) return undefined;
  const blocks: (Block | undefined)[] = [];
  const next = { reasoning: 0, call: 0, character: 0 };
  let end = 0;
  for (const part of parts) {
    if (part === 'reasoning') blocks.push(reasoning[next.reasoning++]);
    else if (part === 'call') blocks.push(calls[next.call++]);
    else blocks.push(...textBlocks(text.slice(next.character, (next.character += part))));
    if (part !== 'reasoning') end = blocks.length;
  }
  return blocks.slice(0, end).filter((block) => block !== undefined);
}

function partsIn(entry: JsonValue | undefined): LayoutPart[] | undefined {
  const parts = isJsonObject(entry) ? entry.parts : undefined;
  if (!Array.isArray(parts)) return undefined;
  const isPart = (part: JsonValue): part is LayoutPart =>
    part === 'reasoning' || part === 'call' || (Number.isInteger(part) && (part as number) > 0);
  return parts.every(isPart) ? parts : undefined;
}

function describes(parts: readonly LayoutPart[], { reasoning, calls, characters }: Counts): boolean {
  const count = (kind: LayoutPart) => parts.filter((part) => part === kind).length;
  const written = parts.reduce<number>((sum, part) => sum + (typeof part === 'number' ? part : 0), 0);
  return count('reasoning') === reasoning && count('call') === calls && written === characters;
}

/** Neighbouring texts are one part, and empty ones none. */
function joinText(parts: readonly LayoutPart[]): LayoutPart[] {
  const joined: LayoutPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === 'number' && typeof last === 'number') joined[joined.length - 1] = last + part;
    else if (part !== 0) joined.push(part);
  }
  return joined;
}
