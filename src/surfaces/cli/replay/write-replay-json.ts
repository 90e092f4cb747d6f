import type { JsonValue } from '../../../base/index.ts';
import type { Replay } from '../../../runtime/replay/index.ts';
import type { OutputStream } from '../cli-io.ts';
import { toSnakeCase } from '../../text/json-line.ts';
import { jsonText } from '../output/json-lines.ts';

/**
 * Writes a replay as one JSON object, step by step: a long session has tens of thousands of steps. Returns the number
 * of differences.
 */
export async function writeReplayJson({ steps, requests: _, ...head }: Replay, stdout: OutputStream): Promise<number> {
  // Without its closing bracket, because more fields follow.
  stdout.write(`${textOf(head).slice(0, -'\n}'.length)},\n  "steps": [`);
  let found = head.differences.length;
  let count = 0;
  for await (const step of steps) {
    found += step.differences.length;
    count += 1;
    stdout.write(`${count === 1 ? '' : ','}\n${indent(textOf(step), '    ')}`);
  }
  stdout.write(`${count === 0 ? '' : '\n  '}],\n  "same": ${found === 0}\n}\n`);
  return found;
}

function textOf(value: object): string {
  return jsonText(toSnakeCase(value as JsonValue), 2);
}

function indent(text: string, by: string): string {
  return text.replaceAll(/^/gm, by);
}
