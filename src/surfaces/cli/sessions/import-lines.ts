import type { Readable } from 'node:stream';
import { errorMessage, HermesError } from '../../../base/index.ts';
import type { SessionStore } from '../../../contracts/index.ts';
import { countImport, type ImportTally, newImportTally, parseSessionExport } from '../../../store/index.ts';

/** Takes in a session per line. A line that cannot be taken in ends it; what came before it stays. */
export async function importLines(store: SessionStore, input: Readable, name: string): Promise<ImportTally> {
  const report = newImportTally();
  let number = 0;
  for await (const line of linesOf(input)) {
    number += 1;
    if (line.trim() === '') continue;
    const outcome = await importLine(store, line).catch((thrown: unknown) => {
      throw failedAt(`line ${number} of ${name}`, report, thrown);
    });
    countImport(report, outcome);
  }
  return report;
}

async function importLine(store: SessionStore, line: string) {
  return store.importSession(parseSessionExport(parseJson(line)));
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (thrown) {
    throw new HermesError('This is not JSON.', {
      hint: 'Give a file that `hermes sessions export` has written, or the state.db of another Hermes.',
      cause: thrown,
    });
  }
}

function failedAt(place: string, { imported, skipped }: ImportTally, cause: unknown): unknown {
  if (!(cause instanceof HermesError)) return cause;
  const before =
    imported + skipped === 0 ? '' : ` The sessions of the lines before it (${imported + skipped}) are here.`;
  return new HermesError(`The import stopped at ${place}: ${errorMessage(cause)}${before}`, {
    hint: cause.hint,
    cause,
  });
}

/** Only line feeds end a line; other separators may stand inside the texts of messages. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  input.setEncoding('utf8');
  let pieces: string[] = [];
  for await (const chunk of input as AsyncIterable<string>) {
    const parts = chunk.split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) {
      yield [...pieces, part].join('');
      pieces = [];
    }
    pieces.push(last);
  }
  if (pieces.length > 0) yield pieces.join('');
}
