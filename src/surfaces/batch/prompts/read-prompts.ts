import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { ConfigurationError, isJsonObject, type JsonObject, type JsonValue } from '../../../base/index.ts';
import { fileErrorReason, readLines } from '../../../util/index.ts';

/** A line that is not empty, with its key; one that cannot be used has a fault. */
export type KeyedLine = ParsedLine & { lineNumber: number; key: string };

const FAULTS_SHOWN = 5;

/** What a look through the whole input found. */
export type InputReport = {
  /** Of all lines, in order. */
  keys: string[];
  usable: number;
  repeated: number;
  unusable: number;
  /** The first of them, for the person. */
  faults: { lineNumber: number; fault: string }[];
  /** All names that lines give metadata under, in the order in which they come first. */
  metadataKeys: string[];
};

/** The lines of the input one by one; nothing of the file is kept. */
export async function* readPrompts(file: string): AsyncGenerator<KeyedLine> {
  const keys = createPromptKeys();
  for await (const { number, bytes } of readLines(createReadStream(file), LONGEST_LINE_BYTES)) {
    const text = bytes?.toString('utf8');
    const parsed = parsePromptLine(text);
    if (parsed === undefined) continue;
    const content = 'prompt' in parsed ? contentOf(parsed.prompt) : `line ${text ?? number}`;
    yield { ...parsed, lineNumber: number, key: keys.next(content) };
  }
}

/** Before anything is spent: what there is to do, and what is wrong with it. */
export async function inspectInput(file: string): Promise<InputReport> {
  await requireRereadable(file);
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
  if (report.usable === 0) throw nothingUsable(file, report);
  return report;
}

async function requireRereadable(file: string): Promise<void> {
  try {
    if ((await stat(file)).isFile()) return;
  } catch (thrown) {
    throw new ConfigurationError(`${file} cannot be read: ${fileErrorReason(thrown)}.`, { cause: thrown });
  }
  // It is read twice: once to see what there is, and once to do it.
  throw new ConfigurationError(`${file} is not a file.`, { hint: 'Save the prompts in one, a JSON object per line.' });
}

function nothingUsable(file: string, { faults: [first] }: InputReport): ConfigurationError {
  const found = first === undefined ? 'It is empty.' : `Line ${first.lineNumber}: ${first.fault}`;
  return new ConfigurationError(`There is no prompt in ${file}. ${found}`, {
    hint: 'It needs one JSON object per line, such as {"prompt": "…"}.',
  });
}

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

type ParsedLine = { prompt: PromptLine } | { fault: string };

/** Longer lines are refused: the file is hardly one with a prompt per line. */
const LONGEST_LINE_BYTES = 32 * 1024 * 1024;

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

/** Knows prompts by what they are: the same one has the same key, wherever it stands in the file. */
interface PromptKeys {
  /** The second line with the same content has a key of its own: it is asked for twice, and done twice. */
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

/** What makes a difference to the agent. Metadata is only passed on. */
function contentOf({ text, image, directory, attachments }: PromptLine): string {
  return JSON.stringify([text, image ?? null, directory ?? null, attachments]);
}

/** Text that `JSON.stringify` puts in as it is. The library of types does not know these yet; every Node we run on has them. */
type RawJson = { readonly rawJSON: string };
type ExactJson = {
  parse(text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
};
const { parse, rawJSON, isRawJSON } = JSON as unknown as ExactJson;

/**
 * JSON whose numbers are written again as they were: 12345678901234567890 and 1.0 stay what they are, where reading them
 * as numbers would make 12345678901234567000 and 1 of them. Undefined where the text is no JSON.
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

/** A number that is kept as text: it looks like an object and is none. */
function isExactNumber(value: unknown): boolean {
  return isRawJSON(value);
}
