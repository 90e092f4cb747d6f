import type { Readable } from 'node:stream';
import { HermesError, parseJson } from '../../../base/index.ts';
import type { SessionExport, SessionStore } from '../../../contracts/index.ts';
import { countImport, type ImportTally, newImportTally, parseSessionExport } from '../../../store/index.ts';
import { readLines } from '../../../util/index.ts';

/** So many lines that could not be read are told one by one. */
const MOST_TOLD = 20;

/** Takes in a session per line. A line that is no session is left out and told of, and the others are taken in. */
export async function importLines(store: SessionStore, input: Readable, name: string): Promise<ImportTally> {
  const report = newImportTally();
  let firstRefusal: HermesError | undefined;
  // Only line feeds end a line; other separators may stand inside the texts of messages.
  for await (const { number, bytes } of readLines(input, Infinity)) {
    const line = bytes?.toString('utf8') ?? '';
    if (line.trim() === '') continue;
    const record = readLine(line, `Line ${number} of ${name}`);
    if (!(record instanceof HermesError)) countImport(report, await store.importSession(record));
    else {
      firstRefusal ??= record;
      report.refused += 1;
      if (report.refused <= MOST_TOLD) report.notes.push(record.message);
    }
  }
  // Not a single session: the file is not what it was taken for.
  if (firstRefusal !== undefined && report.imported + report.skipped === 0) throw firstRefusal;
  return report;
}

function readLine(line: string, place: string): SessionExport | HermesError {
  const value = parseJson(line);
  try {
    if (value !== undefined) return parseSessionExport(value);
    return new HermesError(`${place} was left out: it is not JSON.`, { hint: WHAT_TO_GIVE });
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    return new HermesError(`${place} was left out. ${thrown.message}`, { hint: thrown.hint, cause: thrown });
  }
}

const WHAT_TO_GIVE = 'Give a file that `hermes sessions export` has written, or the state.db of another Hermes.';
