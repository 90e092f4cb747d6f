import type { JsonValue } from '../../../base/index.ts';
import type { OutputStream } from '../cli-io.ts';
import { jsonText, toSnakeCase } from '../output/json-lines.ts';

/** The answer of a command as one JSON value; a field without a value is left out. */
export function writeJson(stdout: OutputStream, value: object): void {
  stdout.write(`${jsonText(toSnakeCase(value as JsonValue), 2)}\n`);
}
