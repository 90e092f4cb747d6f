import { extname, resolve } from 'node:path';
import { ConfigurationError } from '../../../../base/index.ts';
import type { SessionExport, SessionRecord, SessionStore } from '../../../../contracts/index.ts';
import { toOriginalExport } from '../../../../store/index.ts';
import { counted } from '../../../text/counted.ts';
import type { CliIo } from '../../cli-io.ts';
import { printable } from '../../style.ts';
import { requireSession, withStore } from '../with-store.ts';
import { writeJson } from '../write-json.ts';
import { type ContentsEntry, renderHtml } from './html.ts';
import { renderMarkdown } from './markdown.ts';
import { titleOf } from './readable-session.ts';
import { writeNewFile, writeStream } from './write-target.ts';

export type ExportOptions = {
  session?: string;
  lineage?: boolean;
  source?: string;
  format?: ExportFormat;
  /** Redact secrets; for trajectories only. */
  redact?: boolean;
  json?: boolean;
};

type ExportTotals = { sessions: number; messages: number };

type Choice = {
  records: AsyncIterable<SessionExport>;
  /** The exported sessions, for a table of contents. */
  listContents(): Promise<ContentsEntry[]>;
};

const LIST_STEP = 500;

/** Exports sessions as JSON lines, Markdown or HTML. With `-`, nothing else is written to stdout. */
export async function exportSessions(target: string, options: ExportOptions, io: CliIo): Promise<number> {
  if (options.format === 'trajectory') {
    const { exportTrajectories } = await import('./trajectories.ts');
    return exportTrajectories(target, options, io);
  }
  rejectRedact(options);
  return withStore(io, async (store) => {
    const format = chooseFormat(target, options.format);
    const choice = await choose(store, options);
    const totals = { sessions: 0, messages: 0 };
    // Each session of the original is complete, while ours refers to messages of its parent.
    const records = format === 'hermes' ? inFull(store, choice.records) : choice.records;
    const pieces = await render({ ...choice, records }, format, totals);
    if (target === '-') {
      await writeStream(io.stdout, pieces);
      return 0;
    }
    const file = resolve(io.workingDirectory, target);
    await writeNewFile(file, pieces);
    if (options.json) writeJson(io.stdout, { file, ...totals });
    else io.stdout.write(`Wrote ${counted(totals.sessions, 'session')} to ${printable(file)}.\n`);
    return 0;
  });
}

/** JSON lines must be complete, because they can be imported again, and export pages are for the user's own use. */
function rejectRedact({ redact }: ExportOptions): void {
  if (!redact) return;
  throw new ConfigurationError('--redact requires --format trajectory.', {
    hint: 'Omit --redact, or add --format trajectory.',
  });
}

/** Exports one session to a new file, in the format that the file name implies. */
export async function exportToFile(store: SessionStore, sessionId: string, file: string): Promise<ExportTotals> {
  const totals = { sessions: 0, messages: 0 };
  const choice = await choose(store, { session: sessionId });
  await writeNewFile(file, await render(choice, chooseFormat(file), totals));
  return totals;
}

async function render(choice: Choice, format: ExportFormat, totals: ExportTotals): Promise<AsyncIterable<string>> {
  const records = countInto(totals, choice.records);
  if (format === 'jsonl') return renderJsonLines(records, (record) => record);
  if (format === 'hermes') return renderJsonLines(records, toOriginalExport);
  return format === 'markdown' ? renderMarkdown(records) : renderHtml(records, await choice.listContents());
}

async function* countInto(totals: ExportTotals, records: AsyncIterable<SessionExport>): AsyncGenerator<SessionExport> {
  for await (const record of records) {
    totals.sessions += 1;
    totals.messages += record.messages.length;
    yield record;
  }
}

async function choose(store: SessionStore, { session, lineage, source }: ExportOptions): Promise<Choice> {
  if (session === undefined) {
    if (lineage)
      throw new ConfigurationError('--lineage requires --session.', { hint: 'Name the session with --session.' });
    return { records: store.exportAll({ source }), listContents: () => listAll(store, source) };
  }
  const chosen = await requireSession(store, session);
  const { id, source: itsSource } = chosen;
  if (source !== undefined && source !== itsSource) {
    throw new ConfigurationError(`Session ${id} is from ${itsSource}, not from ${source}.`, {
      hint: 'Omit --source or --session.',
    });
  }
  if (!lineage) return { records: one(store, id), listContents: async () => [toEntry(chosen)] };
  const listContents = async () => {
    const others = [await store.getAncestors(id), await store.getDescendants(id)] as const;
    return [...others[0], chosen, ...others[1]].map(toEntry);
  };
  return { records: store.exportAll({ lineageOf: id }), listContents };
}

async function* inFull(store: SessionStore, records: AsyncIterable<SessionExport>): AsyncGenerator<SessionExport> {
  for await (const { session } of records) yield await store.exportSession(session.id);
}

async function* one(store: SessionStore, id: string): AsyncGenerator<SessionExport> {
  yield await store.exportSession(id);
}

/** In the order of the export, oldest first. */
async function listAll(store: SessionStore, source: string | undefined): Promise<ContentsEntry[]> {
  const entries: ContentsEntry[] = [];
  for (;;) {
    const page = await store.listSessions({ source, limit: LIST_STEP, offset: entries.length });
    entries.push(...page.map((summary) => toEntry(summary)));
    if (page.length < LIST_STEP) return entries.reverse();
  }
}

function toEntry(session: SessionRecord): ContentsEntry {
  return { id: session.id, title: titleOf(session), startedAt: session.startedAt };
}

const EXPORT_FORMATS = ['jsonl', 'hermes', 'markdown', 'html', 'trajectory'] as const;
type ExportFormat = (typeof EXPORT_FORMATS)[number];

const BY_ENDING: ReadonlyMap<string, ExportFormat> = new Map([
  ['', 'jsonl'],
  ['.jsonl', 'jsonl'],
  ['.ndjson', 'jsonl'],
  ['.md', 'markdown'],
  ['.markdown', 'markdown'],
  ['.html', 'html'],
  ['.htm', 'html'],
]);

/** The requested format, or the one that the file name implies. Only JSON lines can be imported again. */
function chooseFormat(target: string, wanted?: ExportFormat): ExportFormat {
  const ending = extname(target).toLowerCase();
  const format = wanted ?? BY_ENDING.get(ending);
  if (format !== undefined) return format;
  throw new ConfigurationError(`${target} ends with ${ending}, which is not an export format; nothing was written.`, {
    hint: 'Use .jsonl, .md or .html, or name the format with --format.',
  });
}

async function* renderJsonLines(
  records: AsyncIterable<SessionExport>,
  convert: (record: SessionExport) => object,
): AsyncGenerator<string> {
  for await (const record of records) yield `${toLine(convert(record))}\n`;
}

// Many programs treat U+2028 and U+2029 as line ends, but JSON allows them inside strings.
function toLine(record: object): string {
  return JSON.stringify(record).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}
