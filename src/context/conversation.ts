import type { Message } from '../base/index.ts';
import type { CompressionInput } from '../contracts/index.ts';
import { findStandIn, type FoundStandIn } from './summary-message.ts';

/** A message of a conversation that is about to be compressed. */
export type Entry = {
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
  entries: readonly Entry[];
  /** Where the former one stood among the entries: what comes before it is head. */
  formerAt: number | undefined;
  former: Pick<FoundStandIn, 'kind' | 'body'> | undefined;
  /** The numbers of messages that earlier compressions removed. */
  removedBefore: readonly number[];
};

/** Finds what earlier compressions left, and gives every message its number. */
export function readConversation(input: Pick<CompressionInput, 'messages' | 'positions'>): Conversation {
  const found = input.messages.map((message) => findStandIn(message));
  const newest = found.findLastIndex((standIn) => standIn !== undefined);
  const numbers = input.positions ?? numbersOf(found, newest);
  const entries: Entry[] = [];
  let formerAt: number | undefined;
  input.messages.forEach((message, index) => {
    if (index === newest) formerAt = entries.length;
    const standIn = found[index];
    const rest = standIn === undefined ? message : standIn.rest;
    if (rest === undefined) return;
    entries.push({ index, number: numbers[index] ?? index + 1, message: rest, changed: standIn !== undefined });
  });
  // More than one stand only where another program wrote them; none of them is left out.
  const bodies = found.flatMap((standIn) => (standIn === undefined ? [] : [standIn.body]));
  const former = newest < 0 ? undefined : { kind: found[newest]?.kind ?? 'summary', body: bodies.join('\n\n') };
  return { entries, formerAt, former, removedBefore: found[newest]?.numbers?.removed ?? [] };
}

/** What was kept has the numbers that the newest summary says; it was stored after them, and the rest after it. */
function numbersOf(found: readonly (FoundStandIn | undefined)[], newest: number): number[] {
  const said = found[newest]?.numbers;
  if (said === undefined) return found.map((_, index) => index + 1);
  const kept = [...said.kept];
  let last = [...said.removed, ...said.kept].reduce((most, number) => Math.max(most, number), 0);
  return found.map((standIn) => {
    const known = standIn !== undefined && standIn.rest === undefined ? undefined : kept.shift();
    if (known !== undefined) return known;
    last += 1;
    return last;
  });
}
