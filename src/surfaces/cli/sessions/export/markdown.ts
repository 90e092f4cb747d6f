import type { SessionExport } from '../../../../contracts/index.ts';
import { formatBytes } from '../format-bytes.ts';
import { localTime } from '../../../../util/index.ts';
import { fenced, inline, quoted } from './markdown-text.ts';
import {
  describeElsewhere,
  factsOf,
  type MessagePart,
  type ReadableFile,
  type ReadableMessage,
  readMessages,
  titleOf,
  unplacedFiles,
} from './readable-session.ts';

/** Sessions to read: what someone said is quoted, what went to and came from tools is code, thinking is folded. */
export async function* renderMarkdown(records: AsyncIterable<SessionExport>): AsyncGenerator<string> {
  let isFirst = true;
  const shown = new Set<string>();
  const rendered = new Set<string>();
  for await (const record of records) {
    if (!isFirst) yield '\n---\n\n';
    isFirst = false;
    yield `# ${inline(titleOf(record.session))}\n\n`;
    for (const [name, value] of factsOf(record)) yield `- **${name}**: ${inline(value)}\n`;
    for (const entry of readMessages(record, rendered)) {
      if ('elsewhere' in entry) yield `\n*${inline(describeElsewhere(entry))}*\n`;
      else yield* renderMessage(entry);
    }
    const files = unplacedFiles(record, shown);
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

/** The bytes are in an export as lines; here only what they are, and what a model saw in them. */
function renderFile({ name, mediaType, size, hash, description }: ReadableFile): string {
  const kind = mediaType.startsWith('image/') ? 'Image' : 'File';
  const called = name === undefined ? '' : ` ${inline(name)},`;
  const about = `- ${kind}:${called} ${inline(mediaType)}, ${formatBytes(size)}, sha256 ${inline(hash)}\n`;
  return description === undefined ? about : `${about}\n  Described for the model:\n\n${quoted(description)}\n`;
}
