import { join } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import type { FileMatches, FoundLine, Take } from './engine.ts';

/** Reads ripgrep's events line by line; a file is taken when its end has come, for only then it is known to be text. */
export function createEventReader(root: string, take: Take<FileMatches>): Take<string> {
  let lines: FoundLine[] = [];
  return (line) => {
    const event = parse(line);
    const data = isJsonObject(event?.['data']) ? event['data'] : {};
    switch (event?.['type']) {
      case 'begin':
        lines = [];
        return true;
      case 'match':
      case 'context':
        lines.push({ number: Number(data['line_number']), text: lineOf(data), isMatch: event['type'] === 'match' });
        return true;
      case 'end':
        // A NUL byte somewhere: no text.
        if (data['binary_offset'] !== null || !lines.some(({ isMatch }) => isMatch)) return true;
        return take({ path: join(root, textOf(data['path'])), lines });
      default:
        return true;
    }
  };
}

/** Anything else is a complaint on the other stream, which the exit code tells as well. */
function parse(line: string): JsonObject | undefined {
  try {
    const event: unknown = JSON.parse(line);
    return isJsonObject(event) ? event : undefined;
  } catch {
    return undefined;
  }
}

function lineOf(data: JsonObject): string {
  return textOf(data['lines']).replace(/\r?\n$/, '');
}

/** What is not UTF-8 comes as bytes. */
function textOf(value: JsonValue | undefined): string {
  if (!isJsonObject(value)) return '';
  const { text, bytes } = value;
  if (typeof text === 'string') return text;
  return typeof bytes === 'string' ? new TextDecoder().decode(Buffer.from(bytes, 'base64')) : '';
}
