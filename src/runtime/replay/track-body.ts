import { createHash, type Hash } from 'node:crypto';
import type { Message } from '../../base/index.ts';
import type { ModelClient, ModelRequest } from '../../contracts/index.ts';
import { countValues, describeBreak, isSamePart, type Omission, withoutMarkers } from './describe-break.ts';

export type TrackedBody = {
  bytes: number;
  /** SHA-256 of the body without cache markers. */
  hash: string;
  /** Why the body does not extend the previous one; undefined if it does, or if it is the first. */
  broken: string | undefined;
};

/** Encodes consecutive requests, and compares and hashes their bodies. */
export interface BodyTracker {
  /** The first `unchanged` messages are the same as in the previous request, and stay the same in all later ones. */
  next(request: ModelRequest, unchanged: number): TrackedBody;
}

/** When more messages than this are encoded for each request, those before the newest `KEPT` are settled. */
const MAX_ENCODED = 40;
const KEPT = 16;

/**
 * The bodies of a long session have many megabytes each, and each is the previous one plus a few messages. So only the
 * newest messages are encoded again. The messages before them are settled: their text is hashed once and forgotten.
 */
export function createBodyTracker(client: Pick<ModelClient, 'prepare'>): BodyTracker {
  const encode = createEncoder(client);
  let settled = nothingSettled();
  let before: readonly string[] | undefined;
  return {
    next(request, unchanged) {
      let parts = encode(request, settled.messages);
      const broken = before && describeBreak(before, parts, settled);
      if (!startsWith(parts, settled.head)) {
        // The hash of everything after the head is useless if the head has changed.
        settled = nothingSettled();
        parts = encode(request, 0);
      }
      const body = { broken, ...finishBody(settled, parts) };
      const next = findSettleable(settled, request.messages, unchanged);
      const others = next === undefined ? undefined : settle(settled, parts, { encode, request, next });
      before = others ?? parts;
      return body;
    },
  };
}

type Settled = Omission & {
  /** The number of settled messages. */
  messages: number;
  /** The body before its first message. */
  head: readonly string[];
  /** The hash of the head and of the settled messages. */
  hash: Hash;
  bytes: number;
};

function nothingSettled(): Settled {
  return { messages: 0, headParts: 0, head: [], omitted: 0, hash: createHash('sha256'), bytes: 0 };
}

type Encode = (request: ModelRequest, from: number) => readonly string[];

/**
 * Encodes the messages from an index on. Clients cache the text of a message as long as the message exists, so copies
 * are encoded, which exist only until their message is settled.
 */
function createEncoder(client: Pick<ModelClient, 'prepare'>): Encode {
  let copies = new Map<Message, Message>();
  return (request, from) => {
    const known = copies;
    copies = new Map();
    const messages = request.messages.slice(from).map((message) => {
      const copy = known.get(message) ?? { ...message };
      copies.set(message, copy);
      return copy;
    });
    const readUpTo = request.readUpTo && copies.get(request.readUpTo);
    const prepared = client.prepare({ ...request, messages, readUpTo });
    return prepared.parts ?? [prepared.body];
  };
}

/** Whether a body starts with these parts, apart from cache markers. */
function startsWith(parts: readonly string[], start: readonly string[]): boolean {
  return start.every((part, index) => isSamePart(part, parts[index]));
}

function finishBody({ hash, bytes, headParts }: Settled, parts: readonly string[]) {
  const whole = hash.copy();
  for (const part of parts.slice(headParts)) whole.update(withoutMarkers(part));
  return { bytes: bytes + sizeOf(parts), hash: whole.digest('hex') };
}

function sizeOf(parts: readonly string[]): number {
  return parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}

/** The message before which everything could be settled: an answer, because no API mode merges it with what is before. */
function findSettleable({ messages: done }: Settled, messages: readonly Message[], unchanged: number) {
  if (messages.length - done <= MAX_ENCODED) return undefined;
  for (let index = Math.min(unchanged, messages.length - KEPT); index > done; index -= 1) {
    if (messages[index]?.role === 'assistant') return index;
  }
  return undefined;
}

/**
 * Settles all messages before `next`, if the body is exactly their text followed by what is encoded for the others
 * alone. Returns the latter, or undefined if nothing was settled.
 */
function settle(
  settled: Settled,
  parts: readonly string[],
  { encode, request, next }: { encode: Encode; request: ModelRequest; next: number },
): readonly string[] | undefined {
  const others = encode(request, next);
  const headParts = encode(request, request.messages.length).length - END.length;
  const rest = others.slice(headParts);
  const end = parts.length - rest.length;
  const moved = parts.slice(headParts, end);
  const isSame =
    END.every((part, index) => parts.at(index - END.length) === part) &&
    startsWith(parts, others.slice(0, headParts)) &&
    startsWith(parts.slice(end), rest);
  // With a marker it is not certain how the text will be sent from now on.
  if (!isSame || moved.length === 0 || moved.some((part) => withoutMarkers(part) !== part)) return undefined;
  if (settled.messages === 0) {
    settled.head = parts.slice(0, headParts);
    settled.headParts = headParts;
    for (const part of settled.head) settled.hash.update(withoutMarkers(part));
  }
  for (const part of moved) settled.hash.update(part);
  settled.bytes += sizeOf(moved);
  settled.omitted += moved.reduce((sum, part) => sum + countValues(part), 0);
  settled.messages = next;
  return others;
}

/** The messages are the last field of every body. */
const END = [']', '}'] as const;
