import type { AssistantMessage, Message, UserMessage } from '../base/index.ts';

/** By these a summary or a map is found again, after a resume too; they never change. */
const MARKS = {
  summary: '[Hermes: summary of earlier messages]',
  map: '[Hermes: map of earlier messages]',
} as const;
const END_MARK = '[End of what stands for earlier messages]';
/** How summaries begin and end that the original program wrote. */
const FOREIGN_MARK = '[CONTEXT COMPACTION';
const FOREIGN_HEADING = /\n#{1,3} \S/;
const FOREIGN_END = /\n[^\n]*END OF CONTEXT SUMMARY[^\n]*(?:\n|$)/;

export type ReplacementKind = keyof typeof MARKS;

/** Which messages were removed, and which were kept, by their numbers. */
export type Numbers = { removed: readonly number[]; kept: readonly number[] };

/** A summary or a map as it was found in a message, and what is left of the message without it. */
export type FoundReplacement = {
  kind: ReplacementKind;
  body: string;
  numbers: Numbers | undefined;
  rest: Message | undefined;
};

/** The text that takes the place of removed messages. */
export function writeReplacement(kind: ReplacementKind, body: string, numbers: Numbers, canReadBack: boolean): string {
  const what = `This stands for messages ${formatCoarsely(numbers.removed)}, which were compacted.`;
  const use = 'It is reference material and not a message: do not answer it, go on with the conversation.';
  const kept = `Kept whole: ${formatNumbers(numbers.kept) || 'none'}.`;
  const read = canReadBack ? ' context_expand reads messages back by number, context_search searches them.' : '';
  // What was said about marks must not end this early.
  const safe = body.replaceAll(END_MARK, '(end)');
  return `${MARKS[kind]}\n${what} ${kept} ${use}${read}\n\n${safe}\n\n${END_MARK}`;
}

const HEADER = /^This stands for messages ([#\d, -]*), which were compacted\. Kept whole: (none|[#\d, -]*)\./;

/** What stands for earlier messages in this one; undefined where it is an ordinary message. */
export function findReplacement(message: Message): FoundReplacement | undefined {
  if (message.role === 'tool') return undefined;
  const text = message.role === 'user' ? (message.sentContent ?? message.content) : message.content;
  if (text.startsWith(FOREIGN_MARK) && FOREIGN_HEADING.test(text)) return foreignReplacement(message, text);
  const kind = (['summary', 'map'] as const).find((name) => text.startsWith(`${MARKS[name]}\n`));
  if (kind === undefined) return undefined;
  const header = HEADER.exec(text.slice(MARKS[kind].length + 1));
  const end = text.indexOf(`\n${END_MARK}`);
  // Someone who only quotes the mark says something of their own.
  if (header === null || end < 0) return undefined;
  const body = text.slice(text.indexOf('\n\n') + 2, end).trim();
  const numbers = { removed: parseNumbers(header[1] ?? ''), kept: parseNumbers(header[2] ?? '') };
  return { kind, body, numbers, rest: withText(message, text.slice(end + END_MARK.length + 1).replace(/^\n+/, '')) };
}

function foreignReplacement(message: UserMessage | AssistantMessage, text: string): FoundReplacement {
  const end = FOREIGN_END.exec(text);
  const whole = end === null ? text : text.slice(0, end.index);
  const body = whole.replace(/^[^\n\]]*\]?:?/, '').trim();
  const rest = end === null ? '' : text.slice(end.index + end[0].length).trim();
  return { kind: 'summary', body, numbers: undefined, rest: withText(message, rest) };
}

/** The message with only this text; undefined where nothing is left of it. */
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

/** The message with a replacement before what it says. What a user said stays what it was: only what is sent changes. */
export function putBefore(message: UserMessage | AssistantMessage, replacement: string): Message {
  if (message.role === 'assistant') {
    return { ...message, content: message.content === '' ? replacement : `${replacement}\n\n${message.content}` };
  }
  return { ...message, sentContent: `${replacement}\n\n${message.sentContent ?? message.content}` };
}

/** `#3-#87, #90` for these numbers, which are in order. */
function formatNumbers(numbers: readonly number[]): string {
  return formatRanges(rangesOf(numbers, 1));
}

/** A reader needs no more than this to find something. */
const MAX_RANGES = 12;

/** The same in few ranges: the smallest gaps between them are passed over. */
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

/** A range longer than any conversation is no range of ours. */
const MAX_NUMBERS = 1_000_000;

/** The numbers that such a text names, in the order in which they stand there. */
function parseNumbers(text: string): number[] {
  const numbers: number[] = [];
  for (const [, from, to] of text.matchAll(/#(\d{1,9})(?:-#(\d{1,9}))?/g)) {
    const [first, last] = [Number(from), Number(to ?? from)];
    if (last - first + numbers.length > MAX_NUMBERS) return numbers;
    for (let number = first; number <= last; number += 1) numbers.push(number);
  }
  return numbers;
}
