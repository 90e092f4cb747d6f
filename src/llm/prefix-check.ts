import type { Message } from '../base/index.ts';
import type { ModelRequest, PrefixBreak, ToolDefinition } from '../contracts/index.ts';
import { redactSecrets } from '../util/index.ts';

/** Compares each request with the previous one. */
export interface PrefixCheck {
  /** Returns the prefix break; undefined if the request extends the previous one or was changed on purpose. */
  check(request: ModelRequest): PrefixBreak | undefined;
}

/** How many characters to show before and after the position of a break. */
const SHOWN_BEFORE = 30;
const SHOWN_AFTER = 50;
/** How many characters around the position are scanned for secrets. */
const REDACTED_RANGE = 4_000;

/**
 * The same message object always has the same bytes, because encoders cache them. So usually only references are
 * compared, and the bytes (`textOf`) only if the objects differ.
 */
export function createPrefixCheck(textOf: (message: Message) => string | undefined): PrefixCheck {
  let last: ModelRequest | undefined;
  return {
    check(request) {
      const before = last;
      // A one-off request is not compared with later ones.
      if (request.cacheKey === undefined) return undefined;
      last = request;
      const isSequel = before?.cacheKey === request.cacheKey && before.revision === request.revision;
      return isSequel ? findBreak(before, request, textOf) : undefined;
    },
  };
}

function findBreak(
  before: ModelRequest,
  after: ModelRequest,
  textOf: (message: Message) => string | undefined,
): PrefixBreak | undefined {
  return (
    breakInTools(before.tools, after.tools) ??
    compareTexts({ part: 'system' }, before.system, after.system) ??
    breakInMessages(before, after, textOf)
  );
}

function breakInTools(before: readonly ToolDefinition[], after: readonly ToolDefinition[]): PrefixBreak | undefined {
  if (before === after) return undefined;
  for (let index = 0; index < Math.max(before.length, after.length); index += 1) {
    if (before[index] === after[index]) continue;
    const found = compareTexts({ part: 'tools', index }, jsonOf(before[index]), jsonOf(after[index]));
    if (found) return found;
  }
  return undefined;
}

function breakInMessages(
  { messages: before, tailLength = 0 }: ModelRequest,
  { messages: after }: ModelRequest,
  textOf: (message: Message) => string | undefined,
): PrefixBreak | undefined {
  const kept = before.length - tailLength;
  for (let index = 0; index < kept; index += 1) {
    const old = before[index];
    const now = after[index];
    if (old === now || old === undefined) continue;
    const location = { part: 'message', index, role: old.role } as const;
    const found = compareTexts(location, textOf(old) ?? '', (now && textOf(now)) ?? '');
    if (found) return found;
  }
  return undefined;
}

function jsonOf(tool: ToolDefinition | undefined): string {
  return tool === undefined ? '' : JSON.stringify(tool);
}

type Place = Pick<PrefixBreak, 'part' | 'index' | 'role'>;

function compareTexts(location: Place, before: string, after: string): PrefixBreak | undefined {
  if (before === after) return undefined;
  const same = commonLength(before, after);
  return { ...location, byte: Buffer.byteLength(before.slice(0, same)), ...excerpts(before, after, same) };
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/** Secrets are redacted before the texts are shortened, because part of a secret would not be recognised. */
function excerpts(before: string, after: string, index: number): Pick<PrefixBreak, 'before' | 'after'> {
  const clean = (text: string) =>
    redactSecrets(text.slice(Math.max(0, index - REDACTED_RANGE), index + REDACTED_RANGE));
  const [old, now] = [clean(before), clean(after)];
  const same = commonLength(old, now);
  const around = (text: string) => text.slice(Math.max(0, same - SHOWN_BEFORE), same + SHOWN_AFTER);
  return { before: around(old), after: around(now) };
}
