import { type AssistantMessage, type Message, readOriginalSummary, type UserMessage } from '../base/index.ts';

/** Markers of a replacement in stored sessions. If you change one, keep recognising the old form. */
const START_MARKERS = {
  summary: '[Hermes: summary of earlier messages]',
  map: '[Hermes: map of earlier messages]',
} as const;
const END_MARKER = '[Hermes: end of earlier messages]';
/** `END_MARK`, or what earlier versions wrote instead. */
const ANY_END_MARKER = /\[(?:Hermes: end of earlier messages|End of what stands for earlier messages)\]/g;

export type ReplacementKind = keyof typeof START_MARKERS;

/** The numbers of the removed and of the kept messages. */
export type MessageNumbers = { removed: readonly number[]; kept: readonly number[] };

/** A replacement found in a message, and the rest of the message without it. */
export type FoundReplacement = {
  kind: ReplacementKind;
  body: string;
  numbers: MessageNumbers | undefined;
  rest: Message | undefined;
};

/** The text that replaces the removed messages. */
export function writeReplacement(
  kind: ReplacementKind,
  body: string,
  numbers: MessageNumbers,
  canReadBack: boolean,
): string {
  const what = `This replaces messages ${formatCoarsely(numbers.removed)}, which were compacted.`;
  const use = 'It is reference material, not a message: do not answer it, continue the conversation.';
  const kept = `Messages kept in full: ${formatNumbers(numbers.kept) || 'none'}.`;
  const read = canReadBack
    ? ' Use context_expand to read messages back by number and context_search to search them.'
    : '';
  // A quoted end marker in the body must not end the replacement early.
  const safe = body.replaceAll(ANY_END_MARKER, '(end)');
  return `${START_MARKERS[kind]}\n${what} ${kept} ${use}${read}\n\n${safe}\n\n${END_MARKER}`;
}

/** The header of a replacement. Earlier versions wrote "This stands for messages" and "Kept whole". */
const HEADER =
  /^This (?:replaces|stands for) messages ([#\d, -]*), which were compacted\. (?:Messages kept in full|Kept whole): (none|[#\d, -]*)\./;

/** Finds the replacement in a message; undefined for an ordinary message. */
export function findReplacement(message: Message): FoundReplacement | undefined {
  if (message.role === 'tool') return undefined;
  const text = message.role === 'user' ? (message.sentContent ?? message.content) : message.content;
  const original = readOriginalSummary(text);
  if (original !== undefined)
    return { kind: 'summary', body: original.body, numbers: undefined, rest: withText(message, original.rest) };
  const kind = (['summary', 'map'] as const).find((name) => text.startsWith(`${START_MARKERS[name]}\n`));
  if (kind === undefined) return undefined;
  const header = HEADER.exec(text.slice(START_MARKERS[kind].length + 1));
  const end = findEnd(text);
  // A message that only quotes the marker is an ordinary message.
  if (header === null || end === undefined) return undefined;
  const body = text.slice(text.indexOf('\n\n') + 2, end.start).trim();
  const numbers = { removed: parseNumbers(header[1] ?? ''), kept: parseNumbers(header[2] ?? '') };
  return { kind, body, numbers, rest: withText(message, text.slice(end.end).replace(/^\n+/, '')) };
}

/** The position of the first end marker that starts a line. */
function findEnd(text: string): { start: number; end: number } | undefined {
  for (const { 0: marker, index } of text.matchAll(ANY_END_MARKER)) {
    if (text[index - 1] === '\n') return { start: index, end: index + marker.length };
  }
  return undefined;
}

/** The message with this text instead of its own; undefined if the message would be empty. */
function withText(message: UserMessage | AssistantMessage, text: string): Message | undefined {
  if (message.role === 'assistant') {
    const { content: _whole, ...others } = message;
    return text === '' && !message.toolCalls?.length ? undefined : { ...others, content: text };
  }
  const { sentContent, content, ...others } = message;
  if (sentContent === undefined)
    return text === '' && !message.attachments?.length ? undefined : { ...others, content: text };
  return { ...others, content, ...(text === content ? {} : { sentContent: text }) };
}

/**
 * Prepends a replacement to a message. For a user message only `sentContent` changes, so the user's own text is
 * preserved.
 */
export function prependReplacement(message: UserMessage | AssistantMessage, replacement: string): Message {
  if (message.role === 'assistant') {
    return { ...message, content: message.content === '' ? replacement : `${replacement}\n\n${message.content}` };
  }
  return { ...message, sentContent: `${replacement}\n\n${message.sentContent ?? message.content}` };
}

/** Formats ascending numbers as ranges: `#3-#87, #90`. */
function formatNumbers(numbers: readonly number[]): string {
  return formatRanges(rangesOf(numbers, 1));
}

/** More ranges than this do not help a model to find a message. */
const MAX_RANGES = 12;

/** Like `formatNumbers`, but merges ranges with small gaps until at most `MAX_RANGES` are left. */
function formatCoarsely(numbers: readonly number[]): string {
  let [gap, ranges] = [1, rangesOf(numbers, 1)];
  while (ranges.length > MAX_RANGES) {
    gap *= 2;
    ranges = rangesOf(numbers, gap);
  }
  return formatRanges(ranges);
}

type Range = [first: number, last: number];

function rangesOf(numbers: readonly number[], gap: number): Range[] {
  const ranges: Range[] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && number <= last[1] + gap) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

function formatRanges(ranges: readonly Range[]): string {
  return ranges.map(([first, last]) => (first === last ? `#${first}` : `#${first}-#${last}`)).join(', ');
}

/** The maximum number of messages in a range; a longer range cannot have been written by us. */
const MAX_NUMBERS = 1_000_000;

/** Parses a list of ranges such as `#3-#87, #90`, in the order of the text. */
function parseNumbers(text: string): number[] {
  const numbers: number[] = [];
  for (const [, from, to] of text.matchAll(/#(\d{1,9})(?:-#(\d{1,9}))?/g)) {
    const [first, last] = [Number(from), Number(to ?? from)];
    if (last - first + numbers.length > MAX_NUMBERS) return numbers;
    for (let number = first; number <= last; number += 1) numbers.push(number);
  }
  return numbers;
}
