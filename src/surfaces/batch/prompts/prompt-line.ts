import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/index.ts';
import { isExactNumber, parseExactly } from './exact-json.ts';

/** What one line of the input asks for. */
export type PromptLine = {
  text: string;
  /** A container of this image is made for the prompt alone. */
  image?: string;
  /** Where it works, instead of an empty folder of its own. */
  directory?: string;
  /** Files that go with the prompt, as they were written. */
  attachments: readonly string[];
  /** Everything else the line says. */
  metadata: JsonObject;
};

export type ParsedLine = { prompt: PromptLine } | { fault: string };

/** Longer lines are refused: the file is hardly one with a prompt per line. */
export const LONGEST_LINE_BYTES = 32 * 1024 * 1024;

/** Undefined for a line with nothing on it. */
export function parsePromptLine(text: string | undefined): ParsedLine | undefined {
  if (text === undefined) return { fault: `The line is longer than ${LONGEST_LINE_BYTES / 1024 / 1024} MB.` };
  // A mark at the beginning of the file that some editors put there.
  const json = text.replace(/^\uFEFF/, '').trim();
  if (json === '') return undefined;
  const value = parseExactly(json);
  if (value === undefined) return { fault: 'The line is not JSON.' };
  if (!isJsonObject(value) || isExactNumber(value))
    return { fault: 'The line is JSON, but no object such as {"prompt": "…"}.' };
  return readFields(value);
}

function readFields(line: JsonObject): ParsedLine {
  const { prompt, metadata, ...others } = line;
  if (prompt === undefined) return { fault: `The line has no "prompt"; it has ${namesOf(line)}.` };
  if (typeof prompt !== 'string') return { fault: 'The "prompt" of the line is not a text.' };
  if (prompt.trim() === '') return { fault: 'The "prompt" of the line is empty.' };
  const image = others['image'] ?? others['docker_image'] ?? undefined;
  const directory = others['cwd'] ?? undefined;
  const attachments = others['images'] ?? [];
  if (image !== undefined && !isName(image)) return { fault: 'The "image" of the line is not the name of an image.' };
  if (directory !== undefined && !isName(directory)) return { fault: 'The "cwd" of the line is not a path.' };
  if (!isNames(attachments)) return { fault: 'The "images" of the line are not a list of paths.' };
  const told =
    isJsonObject(metadata) && !isExactNumber(metadata)
      ? { ...others, ...metadata }
      : { ...others, ...(metadata !== undefined && { metadata }) };
  return {
    prompt: { text: prompt, ...(image && { image }), ...(directory && { directory }), attachments, metadata: told },
  };
}

function isName(value: JsonValue): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isNames(value: JsonValue): value is string[] {
  return Array.isArray(value) && value.every(isName);
}

function namesOf(line: JsonObject): string {
  const names = Object.keys(line).slice(0, 5);
  return names.length === 0 ? 'nothing' : names.map((name) => `"${name.slice(0, 40)}"`).join(', ');
}
