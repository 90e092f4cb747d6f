import type { Message } from '../base/index.ts';
import type { CompressionInput } from '../contracts/index.ts';
import { findReplacement, type FoundReplacement } from './replacement.ts';

/** A message of a conversation that is about to be compressed. */
export type NumberedMessage = {
  /** Its place in the given conversation. */
  index: number;
  /** Its number in the lineage. */
  number: number;
  /** Without a summary or map that stood before it. */
  message: Message;
  /** It is not as it was given. */
  changed: boolean;
};

/** A conversation with its former summary or map taken out. */
export type Conversation = {
  messages: readonly NumberedMessage[];
  /** Where the former one stood among them: what comes before it is head. */
  formerAt: number | undefined;
  former: Pick<FoundReplacement, 'kind' | 'body'> | undefined;
  /** The numbers of messages that earlier compressions removed. */
  removedBefore: readonly number[];
};

/** Finds what earlier compressions left, and gives every message its number. */
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
  // More than one stand only where another program wrote them; none of them is left out.
  const bodies = found.flatMap((replacement) => (replacement === undefined ? [] : [replacement.body]));
  const former = newest < 0 ? undefined : { kind: found[newest]?.kind ?? 'summary', body: bodies.join('\n\n') };
  return { messages: numbered, formerAt, former, removedBefore: removedNumbers(found, numbers) };
}

/** What earlier ones removed, and they themselves: each takes a number of its own, and the next one removes it. */
function removedNumbers(found: readonly (FoundReplacement | undefined)[], numbers: readonly number[]): number[] {
  return found.flatMap((replacement, index) => {
    if (replacement === undefined) return [];
    const own = replacement.rest === undefined ? [numbers[index] ?? index + 1] : [];
    return [...(replacement.numbers?.removed ?? []), ...own];
  });
}

/** What was kept has the numbers that the newest summary says; it was stored after them, and the rest after it. */
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
