import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { ConfigurationError, HermesError, parseJson } from '../../../base/index.ts';
import type { SessionExport, SessionStore } from '../../../contracts/index.ts';
import {
  countImport,
  type ImportTally,
  isOriginalExport,
  newImportTally,
  parseSessionExport,
  readOriginalExport,
} from '../../../store/index.ts';
import { importFromOriginal, isDatabaseFile } from '../../../store/sqlite/index.ts';
import { fileErrorReason, readLines } from '../../../util/index.ts';
import type { CommandCall } from '../commands/command-row.ts';
import { formatImport, withImportProgress } from '../original/report-import.ts';
import { withStore } from './with-store.ts';
import { writeJson } from './write-json.ts';

/**
 * Imports sessions from an export or from the database of the original Hermes. Existing sessions are not changed. The
 * exit code is 1 if something could not be read, because the user may delete the file afterwards.
 */
export async function importSessions(
  source: string,
  { json }: { json?: boolean },
  { io, signal }: Pick<CommandCall, 'io' | 'signal'>,
): Promise<number> {
  const read = await chooseReader(source, { io, signal, isProgressWanted: !json });
  const report = await withStore(io, read);
  if (json) writeJson(io.stdout, report);
  else io.stdout.write(formatImport(report));
  return report.refused === 0 ? 0 : 1;
}

type Reader = (store: SessionStore) => Promise<ImportTally>;

type ReaderOptions = Pick<CommandCall, 'io' | 'signal'> & { isProgressWanted: boolean };

async function chooseReader(source: string, { io, signal, isProgressWanted }: ReaderOptions): Promise<Reader> {
  if (source === '-') return (store) => importLines(store, io.stdin, 'standard input');
  const file = resolve(io.workingDirectory, source);
  const stats = await stat(file).catch((thrown: unknown) => {
    throw unreadable(file, fileErrorReason(thrown));
  });
  if (stats.isDirectory()) throw unreadable(file, 'it is a directory');
  // An empty file is an empty export, but SQLite would also open it as an empty database.
  const isDatabase = stats.isFile() && stats.size > 0 && (await isDatabaseFile(file));
  if (isDatabase)
    return (store) =>
      withImportProgress(io, (onProgress) => importFromOriginal(store, file, { signal, onProgress }), {
        isWanted: isProgressWanted,
      });
  return (store) => importLines(store, createReadStream(file), file);
}

function unreadable(file: string, reason: string): ConfigurationError {
  return new ConfigurationError(`Cannot read ${file}: ${reason}.`, {
    hint: 'Pass a file written by `hermes sessions export`, or the state.db of another Hermes.',
  });
}

/** The maximum number of invalid lines that are reported one by one. */
const MAX_REPORTED = 20;

/** Imports one session per line. Invalid lines are skipped and reported. */
async function importLines(store: SessionStore, input: Readable, name: string): Promise<ImportTally> {
  const report = newImportTally();
  let firstRefusal: HermesError | undefined;
  // Only line feeds end a line; other line separators may occur inside messages.
  for await (const { number, bytes } of readLines(input, Infinity)) {
    const line = bytes?.toString('utf8') ?? '';
    if (line.trim() === '') continue;
    const record = readLine(line, `line ${number} of ${name}`);
    if (!(record instanceof HermesError)) {
      const { before, session } = record;
      if (before !== undefined) report.messages += (await store.importSession(before)).messages;
      countImport(report, await store.importSession(session));
    } else {
      firstRefusal ??= record;
      report.refused += 1;
      if (report.refused <= MAX_REPORTED) report.notes.push(record.message);
    }
  }
  // Without a single valid session, the file is not an export.
  if (firstRefusal !== undefined && report.imported + report.skipped === 0) throw firstRefusal;
  return report;
}

/** `before` is what the original had compacted in place. */
type ReadSessions = { before?: SessionExport | undefined; session: SessionExport };

function readLine(line: string, location: string): ReadSessions | HermesError {
  const value = parseJson(line);
  try {
    if (isOriginalExport(value)) return readOriginalExport(value);
    if (value !== undefined) return { session: parseSessionExport(value) };
    return new HermesError(`Skipped ${location}: it is not JSON.`, { hint: EXPECTED_FILE });
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    return new HermesError(`Skipped ${location}: ${lowerFirst(thrown.message)}`, { hint: thrown.hint, cause: thrown });
  }
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

const EXPECTED_FILE = 'Pass a file written by `hermes sessions export`, or the state.db of another Hermes.';
