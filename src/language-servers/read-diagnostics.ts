import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import { takeStart } from '../util/index.ts';

/** A problem in a file, as the model reads it. Lines and columns start at 1. */
export type Diagnostic = {
  line: number;
  column: number;
  severity: 'error' | 'warning';
  /** One line. */
  message: string;
  code: string | undefined;
};

const MAX_READ = 2000;
const MAX_MESSAGE_LENGTH = 400;
const MAX_CODE_LENGTH = 60;

/** Reads the errors and warnings from a list of a server, which may contain anything. Hints are ignored. */
export function readDiagnostics(list: JsonValue | undefined): readonly Diagnostic[] {
  if (!Array.isArray(list)) return [];
  return list.slice(0, MAX_READ).flatMap((entry) => (isJsonObject(entry) ? readDiagnostic(entry) : []));
}

function readDiagnostic({ range, severity = 1, message, code }: JsonObject): Diagnostic[] {
  if (typeof message !== 'string' || (severity !== 1 && severity !== 2)) return [];
  const start = isJsonObject(range) && isJsonObject(range['start']) ? range['start'] : {};
  const words = oneLine(message, MAX_MESSAGE_LENGTH);
  return [
    {
      line: numberOf(start['line']) + 1,
      column: numberOf(start['character']) + 1,
      severity: severity === 1 ? 'error' : 'warning',
      message: words === '' ? '(no message)' : words,
      code: typeof code === 'string' || typeof code === 'number' ? oneLine(String(code), MAX_CODE_LENGTH) : undefined,
    },
  ];
}

function numberOf(value: JsonValue | undefined): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

/** The text quotes the project, so it must not be able to look like anything else than this line. */
function oneLine(text: string, limit: number): string {
  const flat = takeStart(text, 4 * limit)
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
  return flat.length > limit ? `${takeStart(flat, limit - 1)}…` : flat;
}
