import { isJsonObject, type Message, parseJson, type ToolCall } from '../../base/index.ts';
import { redactForModel, shorten } from '../../util/index.ts';
import type { NumberedMessage } from '../conversation.ts';
import type { Sections } from './sections.ts';

/**
 * Headings whose lines stay true over time. If a value is replaced, the record should list the old value next to the
 * new one.
 */
const FACT_HEADINGS = ['Constraints', 'Decisions', 'Files', 'Values'] as const;
const SHINGLE = 4;
/** A line counts as still present if this share of its shingles occurs in the new record, in any order. */
const COVERED_SHARE = 0.4;
/** The share of the summary that restored lines may take; the newest lines have priority. */
const MAX_SHARE = 0.25;

/** Restores facts that an update of a record dropped, so that the tenth summary still contains those of the first. */
export function restoreFacts(
  former: Sections,
  newer: Sections,
  limit: number,
  tokensOf: (text: string) => number,
): Sections {
  const text = [...newer.values()].flat().join('\n');
  const covered = coverText(text);
  const kept = new Map([...newer].map(([heading, lines]) => [heading, [...lines]]));
  let room = limit * MAX_SHARE;
  for (const heading of FACT_HEADINGS) {
    for (const line of (former.get(heading) ?? []).toReversed()) {
      const cost = tokensOf(line);
      if (cost > room || isCovered(line, covered)) continue;
      room -= cost;
      kept.set(heading, [line, ...(kept.get(heading) ?? [])]);
    }
  }
  return kept;
}

/** A text in a form in which lines can be looked up. */
export type CoveredText = { parts: ReadonlySet<string>; values: ReadonlySet<string> };

export function coverText(text: string): CoveredText {
  return { parts: shinglesOf(text), values: new Set(valuesOf(text)) };
}

/**
 * Whether the new record still contains a fact. The wording may change, but a missing number or path means that the
 * fact was lost.
 */
export function isCovered(line: string, covered: CoveredText): boolean {
  const parts = [...shinglesOf(line)];
  const found = parts.filter((part) => covered.parts.has(part)).length;
  return found >= parts.length * COVERED_SHARE && valuesOf(line).every((value) => covered.values.has(value));
}

/** The exact values in a text: numbers, versions, paths, URLs. */
function valuesOf(text: string): string[] {
  const words = text.split(/[\s,;()[\]{}"'`=]+/).map((word) => word.replace(/^[.:]+|[.:!?]+$/g, ''));
  return words.filter((word) => word.length > 2 && /\d|[^/]\/[^/]|\w\.\w/.test(word));
}

/** Short runs of letters and digits, so that unspaced scripts can be compared too. */
function shinglesOf(text: string): Set<string> {
  const dense = text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
  const found = new Set<string>();
  for (let start = 0; start + SHINGLE <= dense.length; start += 1) found.add(dense.slice(start, start + SHINGLE));
  return found;
}

const PATH_KEYS = ['path', 'file_path', 'file', 'filename', 'paths', 'workdir'];
const ERROR_LINE = /\b(?:error|failed|failure|exception|fatal|denied|refused|not found|no such|panic|traceback)\b/i;
const MOST = { steps: 24, files: 40, errors: 10, answers: 12 };

/** The deterministic extract: commands that ran, files they touched, errors, and answers. */
export function extractSections(numbered: readonly NumberedMessage[]): Sections {
  const messages = numbered.map(({ message }) => message);
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  const sections = new Map<string, string[]>([
    ['Done', [...newest(stepsOf(calls), MOST.steps), ...newest(answersOf(messages), MOST.answers)]],
    ['Blocked', newest(errorsOf(messages), MOST.errors)],
    ['Files', newest(filesOf(calls), MOST.files)],
  ]);
  return sections;
}

/** Each distinct call once, with its count; the most recent call is last. */
function stepsOf(calls: readonly ToolCall[]): string[] {
  const counts = new Map<string, number>();
  for (const call of calls) {
    const step = `${call.name} ${shorten(redactForModel(call.arguments), 140)}`;
    const count = counts.get(step) ?? 0;
    counts.delete(step);
    counts.set(step, count + 1);
  }
  return [...counts].map(([step, count]) => `- ran ${step}${count > 1 ? ` (${count} times)` : ''}`);
}

/** An assistant message without calls ends a turn and reports its outcome. */
function answersOf(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => {
    const isAnswer = message.role === 'assistant' && !message.toolCalls?.length && message.content.trim() !== '';
    return isAnswer ? [`- answered: ${shorten(redactForModel(message.content), 240)}`] : [];
  });
}

function errorsOf(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => {
    if (message.role !== 'tool') return [];
    const line = message.content.split('\n').find((each) => each.length < 2_000 && ERROR_LINE.test(each));
    return line === undefined ? [] : [`- ${message.toolName}: ${shorten(redactForModel(line), 160)}`];
  });
}

/** Each path in the arguments of the calls once, with the tools that used it. */
function filesOf(calls: readonly ToolCall[]): string[] {
  const tools = new Map<string, Set<string>>();
  for (const call of calls) {
    for (const path of pathsOf(call)) {
      const before = tools.get(path) ?? new Set();
      tools.delete(path);
      tools.set(path, before.add(call.name));
    }
  }
  return [...tools].map(([path, names]) => `- ${path} (${[...names].join(', ')})`);
}

export function pathsOf({ arguments: text }: ToolCall): string[] {
  const parsed = parseJson(text);
  if (!isJsonObject(parsed)) return [];
  return PATH_KEYS.flatMap((key) => parsed[key] ?? [])
    .flatMap((value) => (typeof value === 'string' ? [value] : []))
    .filter((path) => path !== '' && path.length <= 300);
}

function newest(lines: readonly string[], most: number): string[] {
  return [...new Set(lines)].slice(-most);
}
