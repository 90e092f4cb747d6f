import { type LineRecord, toJsonLine } from '../../text/json-line.ts';
import type { OutputStream } from '../cli-io.ts';
import type { Report } from '../report-error.ts';

/** DEL, C1 controls, line and paragraph separators, and bidirectional overrides. */
const CONTROLS = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

type Ended = { exitCode: number; [field: string]: unknown };
type Ending = { exitReason: 'failed' | 'interrupted'; exitCode: number; error: Report };

/**
 * JSON lines. The last line is the result record, written by the turn, a failure or a signal, whichever comes first. In a
 * stream of several turns, each has a result record.
 */
export interface JsonLines {
  write(record: object & { type: string }): void;
  /** Writes the result record. Later records are ignored. */
  end(record: Ended): void;
  /** Writes the result record of a turn that others may follow. */
  endTurn(record: Ended): void;
  /** Nothing follows the last result record of a stream. */
  close(exitCode: number): void;
  /** Writes the result record of a turn that has no result. */
  endWithout(ending: Ending): void;
  /** The exit code in the result record; undefined until it is written. */
  exitCode(): number | undefined;
}

export function createJsonLines(stdout: OutputStream): JsonLines {
  let exitCode: number | undefined;
  /** The fields of the `started` record, with the current session id. */
  let started = {};
  /** The last line is the result record of a turn. */
  let isTurnEnded = false;
  const writeLine = (record: LineRecord) => {
    stdout.write(`${jsonText(toJsonLine(record))}\n`);
    isTurnEnded = false;
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
      if (type === 'started') started = { ...fields, mcpServers: undefined };
      if (type === 'compressed' && 'sessionId' in fields) started = { ...started, sessionId: fields.sessionId };
      writeLine(record);
    },
    end,
    endTurn(record) {
      if (exitCode !== undefined) return;
      writeLine({ type: 'result', ...record });
      isTurnEnded = true;
    },
    close: (code) => (exitCode ??= code),
    endWithout(ending) {
      if (isTurnEnded) exitCode ??= ending.exitCode;
      else end({ ...started, finalResponse: '', ...ending });
    },
    exitCode: () => exitCode,
  };
}

/**
 * Like `JSON.stringify`, but also escapes control characters that JSON allows, so that the output is safe for a
 * terminal.
 */
export function jsonText(value: unknown, indent?: number, replace?: (key: string, value: unknown) => unknown): string {
  const text = JSON.stringify(value, replace, indent);
  return text.replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
