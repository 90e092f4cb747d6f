import type { JsonValue } from '../../../base/index.ts';
import type { OutputStream } from '../cli-io.ts';
import { toSnakeCase } from '../../text/json-line.ts';
import { jsonText } from '../output/json-lines.ts';

/** Writes the result of a command as JSON in snake case; undefined fields are omitted. */
export function writeJson(stdout: OutputStream, value: object): void {
  stdout.write(`${jsonText(toSnakeCase(value as JsonValue), 2)}\n`);
}
