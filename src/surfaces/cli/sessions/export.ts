import { open, rename, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigurationError, errorMessage, HermesError } from '../../../base/index.ts';
import type { SessionExport, SessionStore } from '../../../contracts/index.ts';
import type { CliIo, OutputStream } from '../cli-io.ts';
import { counted } from './counted.ts';
import { requireSession, withStore } from './with-store.ts';
import { writeJson } from './write-json.ts';

export type ExportOptions = { session?: string; source?: string; json?: boolean };

type Records = AsyncIterable<SessionExport> | SessionExport[];
type Totals = { sessions: number; messages: number };

/** One session per line. `-` is standard output, which then has nothing else in it. */
export async function exportSessions(target: string, options: ExportOptions, io: CliIo): Promise<number> {
  return withStore(io, async (store) => {
    const records = await chooseRecords(store, options);
    if (target === '-') {
      await writeRecords(records, writeTo(io.stdout));
      return 0;
    }
    const file = resolve(io.workingDirectory, target);
    const totals = await writeFileOf(records, file);
    if (options.json) writeJson(io.stdout, { file, ...totals });
    else io.stdout.write(`Wrote ${counted(totals.sessions, 'session')} to ${file}.\n`);
    return 0;
  });
}

async function chooseRecords(store: SessionStore, { session, source }: ExportOptions): Promise<Records> {
  if (session === undefined) return store.exportAll({ source });
  const { id, source: itsSource } = await requireSession(store, session);
  if (source === undefined || source === itsSource) return [await store.exportSession(id)];
  throw new ConfigurationError(`Session ${id} is from ${itsSource}, not from ${source}.`, {
    hint: 'Leave out --source, or --session.',
  });
}

async function writeFileOf(records: Records, file: string): Promise<Totals> {
  // Half an export looks like a whole one, so it gets its name at the end. A device or a pipe has it already.
  const unfinished = (await isFree(file)) ? `${file}.part` : undefined;
  try {
    const totals = await writeInto(unfinished ?? file, records);
    if (unfinished !== undefined) await rename(unfinished, file);
    return totals;
  } catch (thrown) {
    if (unfinished !== undefined) await rm(unfinished, { force: true });
    throw asUnwritable(thrown, file);
  }
}

async function writeInto(file: string, records: Records): Promise<Totals> {
  // Private like the sessions themselves.
  await using handle = await open(file, 'w', 0o600);
  return await writeRecords(records, (text) => handle.writeFile(text));
}

function asUnwritable(thrown: unknown, file: string): unknown {
  if (thrown instanceof HermesError) return thrown;
  return new HermesError(`${file} cannot be written: ${errorMessage(thrown)}.`, {
    hint: 'Choose a folder that exists and that you may write, with room for the sessions.',
    cause: thrown,
  });
}

/** Nothing is written over: a name that was mistyped may be that of the database. */
async function isFree(file: string): Promise<boolean> {
  const stats = await stat(file).catch(() => undefined);
  if (stats?.isFile() || stats?.isDirectory()) {
    throw new ConfigurationError(`${file} exists already; nothing was written.`, { hint: 'Choose another name.' });
  }
  return stats === undefined;
}

async function writeRecords(records: Records, write: (text: string) => Promise<void>): Promise<Totals> {
  const totals: Totals = { sessions: 0, messages: 0 };
  for await (const record of records) {
    await write(`${toLine(record)}\n`);
    totals.sessions += 1;
    totals.messages += record.messages.length;
  }
  return totals;
}

// Many programs end a line at these two, which JSON allows inside a text.
function toLine(record: SessionExport): string {
  return JSON.stringify(record).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

/** Waits for a slow reader, so that only one session at a time is in memory. */
function writeTo(stream: OutputStream): (text: string) => Promise<void> {
  return (text) => new Promise((done) => stream.write(text, () => done()));
}
