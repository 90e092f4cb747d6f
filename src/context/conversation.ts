import type { Message } from '../base/index.ts';
import type { CompressionInput } from '../contracts/index.ts';
import { findReplacement, type FoundReplacement } from './replacement.ts';

/** A message of a conversation that is being compressed. */
export type NumberedMessage = {
  /** Its index in the input. */
  index: number;
  /** Its message number in the lineage. */
  number: number;
  /** The message without a replacement that was prepended to it. */
  message: Message;
  /** Whether it differs from the input message. */
  changed: boolean;
};

/** A conversation from which the previous summary or removal map was extracted. */
export type Conversation = {
  messages: readonly NumberedMessage[];
  /** The index in `messages` where the previous replacement was; everything before it is head. */
  previousIndex: number | undefined;
  previous: Pick<FoundReplacement, 'kind' | 'body'> | undefined;
  /** The numbers of messages that earlier compressions removed. */
  removedBefore: readonly number[];
};

/** Extracts the replacements of earlier compressions and assigns every message its number. */
export function readConversation(messages: CompressionInput['messages']): Conversation {
  const found = messages.map((message) => findReplacement(message));
  const newest = found.findLastIndex((replacement) => replacement !== undefined);
  const numbers = numbersOf(found, newest);
  const numbered: NumberedMessage[] = [];
  let formerAt: number | undefined;
  messages.forEach((message, index) => {
    if (index === newest) formerAt = numbered.length;
    const replacement = found[index];
    const rest = replacement === undefined ? message : replacement.rest;
    if (rest === undefined) return;
    numbered.push({ index, number: numbers[index] ?? index + 1, message: rest, changed: replacement !== undefined });
  });
  // Only other programs write more than one replacement. Their bodies are joined so that nothing is lost.
  const bodies = found.flatMap((replacement) => (replacement === undefined ? [] : [replacement.body]));
  const former = newest < 0 ? undefined : { kind: found[newest]?.kind ?? 'summary', body: bodies.join('\n\n') };
  return {
    messages: numbered,
    previousIndex: formerAt,
    previous: former,
    removedBefore: removedNumbers(found, numbers),
  };
}

/**
 * The numbers of the messages that earlier compressions removed, and of the replacements themselves: each replacement
 * has its own number and is removed by the next compression.
 */
function removedNumbers(found: readonly (FoundReplacement | undefined)[], numbers: readonly number[]): number[] {
  return found.flatMap((replacement, index) => {
    if (replacement === undefined) return [];
    const own = replacement.rest === undefined ? [numbers[index] ?? index + 1] : [];
    return [...(replacement.numbers?.removed ?? []), ...own];
  });
}

/**
 * Kept messages have the numbers listed in the newest replacement. The replacement was stored after them, and all
 * other messages after the replacement.
 */
function numbersOf(found: readonly (FoundReplacement | undefined)[], newest: number): number[] {
  const said = found[newest]?.numbers;
  if (said === undefined) return found.map((_, index) => index + 1);
  const kept = [...said.kept];
  let last = [...said.removed, ...said.kept].reduce((most, number) => Math.max(most, number), 0);
  return found.map((replacement) => {
    const known = replacement !== undefined && replacement.rest === undefined ? undefined : kept.shift();
    if (known !== undefined) return known;
    last += 1;
    return last;
  });
}
