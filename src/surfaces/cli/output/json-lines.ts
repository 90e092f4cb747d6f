import type { JsonValue } from '../../../base/index.ts';
import type { OutputStream } from '../cli-io.ts';
import type { Report } from '../report-error.ts';

/** The version of the lines; it changes when a field is removed or means something else. */
const JSON_LINES_VERSION = 1;

/** DEL, the eight-bit controls, line and paragraph separators, and what turns the direction of text. */
const CONTROLS = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

type Ended = { exitCode: number; [field: string]: unknown };
type Ending = { exitReason: 'failed' | 'interrupted'; exitCode: number; error: Report };

/** JSON lines with one last line, whoever comes to write it first: the turn, a failure, or a signal. */
export interface JsonLines {
  write(record: object & { type: string }): void;
  /** The result record. What comes after it is left out. */
  end(record: Ended): void;
  /** The result record of a turn that came to no result of its own. */
  endWithout(ending: Ending): void;
  /** What the result record says; undefined as long as there is none. */
  exitCode(): number | undefined;
}

export function createJsonLines(stdout: OutputStream): JsonLines {
  let exitCode: number | undefined;
  /** Which session it was about, as far as that is known. */
  let started = {};
  const writeLine = (record: object) => {
    const fields = toSnakeCase(record as JsonValue);
    stdout.write(`${jsonText({ v: JSON_LINES_VERSION, ...(fields as object) })}\n`);
  };
  const end: JsonLines['end'] = (record) => {
    if (exitCode !== undefined) return;
    exitCode = record.exitCode;
    writeLine({ type: 'result', ...record });
  };
  return {
    write(record) {
      if (exitCode !== undefined) return;
      const { type, ...fields } = record;
      if (type === 'started') started = fields;
      if (type === 'compressed' && 'sessionId' in fields) started = { ...started, sessionId: fields.sessionId };
      writeLine(record);
    },
    end,
    endWithout: (ending) => end({ ...started, finalResponse: '', ...ending }),
    exitCode: () => exitCode,
  };
}

/** JSON that may go to a terminal: the controls that JSON itself leaves as they are, are escaped too. */
export function jsonText(value: unknown, indent?: number, replace?: (key: string, value: unknown) => unknown): string {
  const text = JSON.stringify(value, replace, indent);
  return text.replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
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
