import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { ConfigurationError, isJsonObject, type JsonObject, type JsonValue } from '../../../base/index.ts';
import { fileErrorReason, readLines } from '../../../util/index.ts';

/** A non-empty line with its key; an invalid one has a fault. */
export type KeyedLine = ParsedLine & { lineNumber: number; key: string };

const FAULTS_SHOWN = 5;

/** Summary of the whole input. */
export type InputReport = {
  /** Keys of all lines, in order. */
  keys: string[];
  usable: number;
  repeated: number;
  unusable: number;
  /** The first faults, to be shown to the user. */
  faults: { lineNumber: number; fault: string }[];
  /** All metadata keys, in order of first appearance. */
  metadataKeys: string[];
};

/** Streams the lines of the input. */
export async function* readPrompts(file: string): AsyncGenerator<KeyedLine> {
  const keys = createPromptKeys();
  for await (const { number, bytes } of readLines(createReadStream(file), MAX_LINE_BYTES)) {
    const text = bytes?.toString('utf8');
    const parsed = parsePromptLine(text);
    if (parsed === undefined) continue;
    const content = 'prompt' in parsed ? contentOf(parsed.prompt) : `line ${text ?? number}`;
    yield { ...parsed, lineNumber: number, key: keys.next(content) };
  }
}

/** Validates the whole input before any money is spent. */
export async function inspectInput(file: string): Promise<InputReport> {
  await assertRegularFile(file);
  const report: InputReport = { keys: [], usable: 0, repeated: 0, unusable: 0, faults: [], metadataKeys: [] };
  const names = new Set<string>();
  for await (const line of readPrompts(file)) {
    report.keys.push(line.key);
    if ('fault' in line) {
      report.unusable += 1;
      if (report.faults.length < FAULTS_SHOWN) report.faults.push({ lineNumber: line.lineNumber, fault: line.fault });
      continue;
    }
    report.usable += 1;
    if (line.key.includes('.')) report.repeated += 1;
    for (const name of Object.keys(line.prompt.metadata)) names.add(name);
  }
  report.metadataKeys = [...names];
  if (report.usable === 0) throw noPromptsError(file, report);
  return report;
}

/** Throws if the input is missing or not a regular file. */
export async function assertRegularFile(file: string): Promise<void> {
  try {
    if ((await stat(file)).isFile()) return;
  } catch (thrown) {
    throw new ConfigurationError(`Cannot read ${file}: ${fileErrorReason(thrown)}.`, {
      hint: 'Pass an existing file with one JSON object per line, such as {"prompt": "…"}.',
      cause: thrown,
    });
  }
  // The input is read twice, so it must be a regular file.
  throw new ConfigurationError(`${file} is not a regular file.`, {
    hint: 'Save the prompts to a file with one JSON object per line.',
  });
}

function noPromptsError(file: string, { faults: [first] }: InputReport): ConfigurationError {
  const found = first === undefined ? 'The file is empty.' : `Line ${first.lineNumber}: ${first.fault}`;
  return new ConfigurationError(`${file} contains no valid prompt. ${found}`, {
    hint: 'Write one JSON object per line, such as {"prompt": "…"}.',
  });
}

/** A batch prompt. */
export type PromptLine = {
  text: string;
  /** Container image for this prompt only. */
  image?: string;
  /** Working directory, instead of an empty folder. */
  directory?: string;
  /** Paths of attachments, as written. */
  attachments: readonly string[];
  /** All other fields of the line. */
  metadata: JsonObject;
};

type ParsedLine = { prompt: PromptLine } | { fault: string };

/** Longer lines are rejected, because a file with such lines is unlikely to have one prompt per line. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

/** Undefined for an empty line. */
export function parsePromptLine(text: string | undefined): ParsedLine | undefined {
  if (text === undefined) return { fault: `The line is longer than ${MAX_LINE_BYTES / 1024 / 1024} MB.` };
  // Strips the byte order mark.
  const json = text.replace(/^\uFEFF/, '').trim();
  if (json === '') return undefined;
  const value = parseExactly(json);
  if (value === undefined) return { fault: 'The line is not valid JSON.' };
  if (!isJsonObject(value) || isExactNumber(value))
    return { fault: 'The line is not a JSON object such as {"prompt": "…"}.' };
  return readFields(value);
}

function readFields(line: JsonObject): ParsedLine {
  const { prompt, metadata, ...others } = line;
  if (prompt === undefined) return { fault: `The field "prompt" is missing; the line has ${namesOf(line)}.` };
  if (typeof prompt !== 'string') return { fault: 'The field "prompt" is not a string.' };
  if (prompt.trim() === '') return { fault: 'The field "prompt" is empty.' };
  const image = others['image'] ?? others['docker_image'] ?? undefined;
  const directory = others['cwd'] ?? undefined;
  const attachments = others['images'] ?? [];
  if (image !== undefined && !isName(image)) return { fault: 'The field "image" is not an image name.' };
  if (directory !== undefined && !isName(directory)) return { fault: 'The field "cwd" is not a path.' };
  if (!isNames(attachments)) return { fault: 'The field "images" is not a list of paths.' };
  const allMetadata =
    isJsonObject(metadata) && !isExactNumber(metadata)
      ? { ...others, ...metadata }
      : { ...others, ...(metadata !== undefined && { metadata }) };
  return {
    prompt: {
      text: prompt,
      ...(image && { image }),
      ...(directory && { directory }),
      attachments,
      metadata: allMetadata,
    },
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

/** Derives keys from the content, so that a prompt has the same key anywhere in the file. */
interface PromptKeys {
  /** A repeated line gets its own key, because it is run again. */
  next(content: string): string;
}

export function createPromptKeys(): PromptKeys {
  const seen = new Map<string, number>();
  return {
    next(content) {
      const hash = createHash('sha256').update(content).digest('base64url').slice(0, 22);
      const count = (seen.get(hash) ?? 0) + 1;
      seen.set(hash, count);
      return count === 1 ? hash : `${hash}.${count}`;
    },
  };
}

/** The fields that affect the agent. Metadata is only passed through. */
function contentOf({ text, image, directory, attachments }: PromptLine): string {
  return JSON.stringify([text, image ?? null, directory ?? null, attachments]);
}

/**
 * Text that `JSON.stringify` inserts unchanged. TypeScript has no types for these functions yet; every supported Node
 * version has them.
 */
type RawJson = { readonly rawJSON: string };
type ExactJson = {
  parse(text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
};
const { parse, rawJSON, isRawJSON } = JSON as unknown as ExactJson;

/**
 * Parses JSON so that numbers keep their source text: 12345678901234567890 and 1.0 do not become 12345678901234567000
 * and 1. Undefined if the text is not JSON.
 */
export function parseExactly(text: string): JsonValue | undefined {
  try {
    return parse(text, (_key, value, { source }) =>
      typeof value === 'number' && source !== undefined && source !== String(value) ? rawJSON(source) : value,
    ) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Whether a number is kept as its source text. */
function isExactNumber(value: unknown): boolean {
  return isRawJSON(value);
}
