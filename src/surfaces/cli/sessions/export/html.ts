import type { SessionExport } from '../../../../contracts/index.ts';
import { localTime } from '../../../../util/index.ts';
import { createFileRenderer } from './html-files.ts';
import { PAGE_STYLE } from './html-style.ts';
import { anchorOf, escaped, styleHash } from './html-text.ts';
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

/** A session as the table of contents shows it. */
export type ContentsEntry = { id: string; title: string; startedAt: number };

/** Longer results are folded. */
const LINES_OPEN = 15;

/** Nothing may be loaded and nothing may run, whatever the texts hold. */
const POLICY = `default-src 'none'; img-src data:; style-src '${styleHash(PAGE_STYLE)}'; base-uri 'none'; form-action 'none'`;

/** One page that needs nothing else: no network, no script. `contents` are the sessions that will come. */
export async function* renderHtml(
  records: AsyncIterable<SessionExport>,
  contents: readonly ContentsEntry[],
): AsyncGenerator<string> {
  yield renderHead(contents);
  const renderFile = createFileRenderer();
  const shown = new Set<string>();
  const rendered = new Set<string>();
  for await (const record of records) {
    const { id } = record.session;
    yield `<article id="${anchorOf(id)}">\n<h2 dir="auto">${escaped(titleOf(record.session))}</h2>\n${renderFacts(record)}`;
    for (const entry of readMessages(record, rendered)) {
      if ('elsewhere' in entry) yield renderElsewhere(entry.elsewhere, describeElsewhere(entry), contents);
      else yield* renderMessage(entry, renderFile);
    }
    for (const file of unplacedFiles(record, shown)) yield renderFile(file);
    yield '</article>\n';
  }
  yield '</main>\n</body>\n</html>\n';
}

function renderHead(contents: readonly ContentsEntry[]): string {
  const [only] = contents;
  const title = contents.length === 1 && only !== undefined ? only.title : `${contents.length} sessions`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
${contents.length > 1 ? renderContents(contents) : ''}<main>
`;
}

function renderContents(contents: readonly ContentsEntry[]): string {
  const rows = contents.map(
    ({ id, title, startedAt }) =>
      `<li><a href="#${anchorOf(id)}" dir="auto">${escaped(title)}</a> ${renderTime(startedAt)}</li>\n`,
  );
  return `<h1>${contents.length} sessions</h1>\n<nav>\n<ol>\n${rows.join('')}</ol>\n</nav>\n`;
}

function renderFacts(record: SessionExport): string {
  const rows = factsOf(record).map(([name, value]) => `<dt>${name}</dt><dd>${escaped(value)}</dd>\n`);
  return `<dl>\n${rows.join('')}</dl>\n`;
}

function renderElsewhere(sessionId: string, text: string, contents: readonly ContentsEntry[]): string {
  const isHere = contents.some(({ id }) => id === sessionId);
  const inside = isHere ? `<a href="#${anchorOf(sessionId)}">${escaped(text)}</a>` : escaped(text);
  return `<p class="note">${inside}</p>\n`;
}

function* renderMessage(message: ReadableMessage, renderFile: (file: ReadableFile) => string): Generator<string> {
  const { who, role, timestamp, status, parts, files } = message;
  const outcome = status === undefined || status === 'ok' ? '' : `, ${escaped(status)}`;
  yield `<section class="${role}">\n<h3>${escaped(who)}${outcome} · ${renderTime(timestamp)}</h3>\n`;
  for (const part of parts) yield renderPart(part);
  for (const file of files) yield renderFile(file);
  yield '</section>\n';
}

function renderPart(part: MessagePart): string {
  const block = `<pre dir="auto">${escaped(part.text)}</pre>`;
  switch (part.kind) {
    case 'text':
      return `<div class="text" dir="auto">${escaped(part.text)}</div>\n`;
    case 'thinking':
      return `<details><summary>Thinking</summary>${block}</details>\n`;
    case 'call':
      return `<details open><summary>Calls ${escaped(part.name)}</summary>${block}</details>\n`;
    case 'result': {
      const lines = part.text.split('\n').length;
      const isLong = lines > LINES_OPEN || part.text.length > LINES_OPEN * 200;
      const size = lines === 1 ? `${part.text.length} characters` : `${lines} lines`;
      return `<details${isLong ? '' : ' open'}><summary>Result, ${size}</summary>${block}</details>\n`;
    }
  }
}

function renderTime(timestamp: number): string {
  const at = new Date(timestamp);
  // Another program may have stored a time that is none.
  if (Number.isNaN(at.getTime())) return escaped(localTime(timestamp));
  return `<time datetime="${at.toISOString()}">${escaped(localTime(timestamp))}</time>`;
}
