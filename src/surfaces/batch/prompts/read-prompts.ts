import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { ConfigurationError } from '../../../base/index.ts';
import { fileErrorReason, readLines } from '../../../util/index.ts';
import { contentOf, createPromptKeys } from './prompt-key.ts';
import { LONGEST_LINE_BYTES, type ParsedLine, parsePromptLine } from './prompt-line.ts';

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
