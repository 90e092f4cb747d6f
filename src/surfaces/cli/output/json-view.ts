import { exitFacts, type JsonValue, type RunResult } from '../../../base/index.ts';
import type { OutputStream } from '../cli-io.ts';
import type { Report } from '../report-error.ts';
import type { EventView } from './event-view.ts';

/** The version of the lines; it changes when a field is removed or means something else. */
export const JSON_LINES_VERSION = 1;

/** One JSON object per event and line; the last line is always of the type `result`. */
export function createJsonView(stdout: OutputStream): EventView {
  return {
    show(event) {
      if (event.type !== 'finished') writeLine(stdout, event);
    },
    finish: (result) => writeLine(stdout, resultRecord(result)),
  };
}

/** The last line of a call that never came to a turn. */
export function writeJsonFailure(stdout: OutputStream, report: Report, exitCode: number): void {
  writeLine(stdout, { type: 'result', exitReason: 'failed', exitCode, finalResponse: '', error: report });
}

function resultRecord(result: RunResult): object {
  // The messages are in the store, and repeated here they would double the output of every turn.
  const { messages: _, ...rest } = result;
  return { type: 'result', ...rest, exitCode: exitFacts(result.exitReason).exitCode };
}

function writeLine(stdout: OutputStream, record: object): void {
  const fields = toSnakeCase(record as JsonValue);
  stdout.write(`${JSON.stringify({ v: JSON_LINES_VERSION, ...(fields as object) })}\n`);
}

/** Outside the program all names are written like those of the configuration: `session_id`. */
export function toSnakeCase(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(toSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [
    key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    toSnakeCase(inner),
  ]);
  return Object.fromEntries(entries) as JsonValue;
}
