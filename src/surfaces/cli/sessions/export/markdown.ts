import type { SessionExport } from '../../../../contracts/index.ts';
import { localTime } from '../../../../util/index.ts';
import { printable } from '../../style.ts';
import { formatBytes } from '../format-bytes.ts';
import {
  describeElsewhere,
  metadataOf,
  type MessagePart,
  type ReadableFile,
  type ReadableMessage,
  readMessages,
  titleOf,
  unreferencedFiles,
} from './readable-session.ts';

/**
 * Renders sessions as Markdown: messages are quoted, tool calls and results are code blocks, reasoning is collapsed.
 */
export async function* renderMarkdown(records: AsyncIterable<SessionExport>): AsyncGenerator<string> {
  let isFirst = true;
  const shown = new Set<string>();
  const rendered = new Set<string>();
  for await (const record of records) {
    if (!isFirst) yield '\n---\n\n';
    isFirst = false;
    yield `# ${inline(titleOf(record.session))}\n\n`;
    for (const [name, value] of metadataOf(record)) yield `- **${name}**: ${inline(value)}\n`;
    for (const entry of readMessages(record, rendered)) {
      if ('elsewhere' in entry) yield `\n*${inline(describeElsewhere(entry))}*\n`;
      else yield* renderMessage(entry);
    }
    const files = unreferencedFiles(record, shown);
    if (files.length > 0) yield `\n## Files\n\n${files.map(renderFile).join('')}`;
  }
}

function* renderMessage({ who, timestamp, status, parts, files }: ReadableMessage): Generator<string> {
  const outcome = status === undefined || status === 'ok' ? '' : `, ${status}`;
  yield `\n## ${inline(who)}${outcome} · ${localTime(timestamp)}\n`;
  for (const part of parts) yield `\n${renderPart(part)}`;
  if (files.length > 0) yield `\n${files.map(renderFile).join('')}`;
}

function renderPart(part: MessagePart): string {
  switch (part.kind) {
    case 'text':
      return quoted(part.text);
    case 'thinking':
      return `<details>\n<summary>Thinking</summary>\n\n${fenced(part.text, 'text')}\n</details>\n`;
    case 'call':
      return `**Calls** ${inline(part.name)}\n\n${fenced(part.text, part.isJson ? 'json' : '')}`;
    case 'result':
      return fenced(part.text, 'text');
  }
}

/** Only the metadata and the description; the data itself is in a JSON lines export. */
function renderFile({ name, mediaType, size, hash, description }: ReadableFile): string {
  const kind = mediaType.startsWith('image/') ? 'Image' : 'File';
  const called = name === undefined ? '' : ` ${inline(name)},`;
  const about = `- ${kind}:${called} ${inline(mediaType)}, ${formatBytes(size)}, sha256 ${inline(hash)}\n`;
  return description === undefined ? about : `${about}\n  Description for the model:\n\n${quoted(description)}\n`;
}

/** A code block whose fence is longer than any run of backticks in the text. */
export function fenced(text: string, language = ''): string {
  const shown = printable(text);
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${shown}${shown.endsWith('\n') ? '' : '\n'}${fence}\n`;
}

/** Escapes text for use inside a line. */
export function inline(text: string): string {
  return (
    printable(text)
      .replace(/\s+/g, ' ')
      .trim()
      // An underscore inside a word, as in ids, has no meaning in Markdown.
      .replace(/[\\`*{}[\]<>#|&~!]|(?<!\w)_|_(?!\w)/g, '\\$&')
  );
}

/**
 * Quotes text that is Markdown itself: lists, headings and fences in it end with the quote. Tags would not, so they
 * are escaped.
 */
export function quoted(text: string): string {
  return withoutTags(printable(text).trimEnd())
    .split('\n')
    .map((line) => (line === '' ? '>\n' : `> ${line}\n`))
    .join('');
}

const TAG_START = /<(?=[a-z/!?])/gi;
const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})/;
/** A fence after list markers, quote markers or spaces, whose container is not tracked. */
const NESTED_FENCE = /^[\s>*+\-\d.)]+(?:`{3,}|~{3,})/;

/** Escapes tags, except in what is certainly code, where Markdown shows them as text anyway. */
function withoutTags(text: string): string {
  let fence: string | undefined;
  let isCertain = true;
  let hasOpenSpan = false;
  return text
    .split('\n')
    .map((line) => {
      if (fence !== undefined) {
        if (isEndOf(fence, line)) fence = undefined;
        return line;
      }
      isCertain &&= !NESTED_FENCE.test(line);
      fence = isCertain ? FENCE.exec(line)?.[1] : undefined;
      if (fence !== undefined) return line.replace(TAG_START, '&lt;');
      if (line.trim() === '') hasOpenSpan = false;
      const spans = splitSpans(line);
      // A code span may have started in the previous line, which swaps inside and outside.
      hasOpenSpan ||= spans.isOpen;
      if (hasOpenSpan || !isCertain) return line.replace(TAG_START, '&lt;');
      return spans.parts.map((part, at) => (at % 2 === 1 ? part : part.replace(TAG_START, '&lt;'))).join('');
    })
    .join('\n');
}

function isEndOf(fence: string, line: string): boolean {
  const run = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return run !== undefined && run[0] === fence[0] && run.length >= fence.length;
}

/** Splits a line into alternating text and code. It is open if unmatched backticks may be closed in another line. */
function splitSpans(line: string): { parts: string[]; isOpen: boolean } {
  const parts = line.split(/((?<!`)(`+)(?!`).*?(?<!`)\2(?!`))/).filter((_, at) => at % 3 !== 2);
  const isOpen = line.includes('\\`') || parts.some((part, at) => at % 2 === 0 && part.includes('`'));
  return { parts, isOpen };
}
