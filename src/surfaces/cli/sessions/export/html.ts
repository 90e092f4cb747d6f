import { createHash } from 'node:crypto';
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

/** A session in the table of contents. */
export type ContentsEntry = { id: string; title: string; startedAt: number };

/** Results with more lines than this are collapsed. */
const LINES_OPEN = 15;

/** Renders one self-contained page without network access or scripts. `contents` lists the sessions that follow. */
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
    for (const file of unreferencedFiles(record, shown)) yield renderFile(file);
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
  const rows = metadataOf(record).map(([name, value]) => `<dt>${name}</dt><dd>${escaped(value)}</dd>\n`);
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
  // Another program may have stored an invalid time.
  if (Number.isNaN(at.getTime())) return escaped(localTime(timestamp));
  return `<time datetime="${at.toISOString()}">${escaped(localTime(timestamp))}</time>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for an element or a quoted attribute. All text that is not our own must pass through here. */
function escaped(text: string): string {
  return printable(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** The anchor of a session. Ids may contain any characters, so they are hashed. */
function anchorOf(sessionId: string): string {
  return `s-${createHash('sha256').update(sessionId).digest('hex').slice(0, 16)}`;
}

/** The hash by which the content security policy allows the style sheet. */
function styleHash(style: string): string {
  return `sha256-${createHash('sha256').update(style).digest('base64')}`;
}

/** Image formats that every browser supports; without SVG, which can contain scripts. */
const SHOWN = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];

/** Larger images, and images beyond the total limit, are only named, so that the page still opens. */
const MAX_IMAGE_SIZE = 5_000_000;
const MAX_SUM = 50_000_000;

/** Embeds images until the total limit is reached. */
function createFileRenderer(): (file: ReadableFile) => string {
  let room = MAX_SUM;
  return (file) => {
    const { name, mediaType, size, hash, base64 } = file;
    const about = `${name === undefined ? '' : `${name}, `}${mediaType}, ${formatBytes(size)}, sha256 ${hash}`;
    const reason = reasonToLeaveOut(file, room);
    const described = renderDescription(file);
    if (reason !== undefined || base64 === undefined) {
      return `<p class="note">${escaped(`Not shown, ${reason}: ${about}`)}</p>\n${described}`;
    }
    room -= size;
    const source = `data:${mediaType};base64,${escaped(base64)}`;
    const caption = `<figcaption>${escaped(about)}</figcaption>`;
    return `<figure><img alt="${escaped(mediaType)}" src="${source}">${caption}</figure>\n${described}`;
  };
}

function renderDescription({ description }: ReadableFile): string {
  if (description === undefined) return '';
  const block = `<pre dir="auto">${escaped(description)}</pre>`;
  return `<details><summary>Description for the model</summary>${block}</details>\n`;
}

function reasonToLeaveOut({ mediaType, size, base64 }: ReadableFile, room: number): string | undefined {
  if (base64 === undefined) return 'because its data is no longer available';
  if (!SHOWN.includes(mediaType)) return 'because it is not a supported image';
  if (size > MAX_IMAGE_SIZE) return `because it is larger than ${formatBytes(MAX_IMAGE_SIZE)}`;
  return size > room ? `because the page already contains ${formatBytes(MAX_SUM)} of images` : undefined;
}

/** Light or dark as the reader's system prefers, and black on white in print. */
const PAGE_STYLE = `
:root { color-scheme: light dark; --text: #1f2328; --soft: #59636e; --line: #d1d9e0; --back: #fff; --block: #f6f8fa;
  --user: #0969da; --tool: #9a6700; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --soft: #9198a1; --line: #3d444d; --back: #0d1117; --block: #151b23; --user: #4493f8;
    --tool: #d29922; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; color: var(--text); background: var(--back);
  font: 1rem/1.55 system-ui, sans-serif; }
h1, h2 { line-height: 1.25; overflow-wrap: anywhere; }
h3 { margin: 0 0 .4rem; font-size: .9rem; color: var(--soft); overflow-wrap: anywhere; }
h3 time { font-weight: normal; }
a { color: var(--user); }
nav li { margin: .2rem 0; overflow-wrap: anywhere; }
nav time, footer, .note { color: var(--soft); font-size: .85rem; }
article { margin: 2.5rem 0; padding-top: 1rem; border-top: 2px solid var(--line); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; font-size: .85rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
section { margin: 1rem 0; padding: .2rem 0 .2rem .9rem; border-left: 3px solid var(--line); }
section.user { border-left-color: var(--user); }
section.tool { border-left-color: var(--tool); }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
pre { margin: .4rem 0; padding: .6rem; background: var(--block); border: 1px solid var(--line); border-radius: 6px;
  white-space: pre-wrap; overflow-wrap: anywhere; font: .82rem/1.45 ui-monospace, monospace; }
summary { cursor: pointer; color: var(--soft); font-size: .85rem; }
figure { margin: .6rem 0; }
img { max-width: 100%; height: auto; }
figcaption { color: var(--soft); font-size: .8rem; overflow-wrap: anywhere; }
@media print {
  :root { --text: #000; --soft: #444; --line: #999; --back: #fff; --block: #fff; --user: #000; --tool: #000; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  article { break-before: page; }
  h2, h3 { break-after: avoid; }
  figure { break-inside: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
`;

/** Nothing may be loaded or run, whatever the texts contain. */
const POLICY = `default-src 'none'; img-src data:; style-src '${styleHash(PAGE_STYLE)}'; base-uri 'none'; form-action 'none'`;
