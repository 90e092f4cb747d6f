import { isJsonObject, type JsonObject } from '../../base/index.ts';
import type { RawLine } from '../../util/index.ts';
import { readGptTurn } from '../check/check-conversations.ts';
import { readLine } from '../check/check-lines.ts';
import { toJsonLine } from '../spaced-json.ts';
import { TAG_BEGIN, TRAJECTORY_ROLES, type TrajectoryTurn } from '../trajectory.ts';
import type { Tokenizer } from './tokenizer.ts';

/** The result for one line. */
export type CompressedLine =
  | { status: 'kept' | 'summarised' | 'extracted'; text: string; before: number; after: number; failure?: unknown }
  | { status: 'unreadable'; reason: string };

export type LineCompression = {
  goal: CompressionGoal;
  tokenizer: Tokenizer;
  /** Asks for a summary; undefined if there is no model. */
  summarise: ((question: SummaryQuestion) => Promise<string>) | undefined;
};

/** A line that fits is kept byte for byte; otherwise a summary replaces turns in its middle. */
export async function compressLine(
  raw: RawLine,
  { goal, tokenizer, summarise }: LineCompression,
): Promise<CompressedLine> {
  const reading = readLine(raw);
  if ('fault' in reading || raw.bytes === undefined) {
    return { status: 'unreadable', reason: 'fault' in reading ? reading.fault : 'the line is too long' };
  }
  const turns = turnsOf(reading.entry);
  if (turns === undefined) return { status: 'unreadable', reason: 'conversations is not a list of turns' };
  const tokens = turns.map(({ value }) => tokenizer.count(value));
  const before = sum(tokens);
  const range = planCompression(turns, tokens, goal);
  const text = raw.bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trim();
  if (range === undefined) return { status: 'kept', text, before, after: before };
  const removed = turns.slice(range.from, range.to);
  const { turn, failure } = await writeSummary(removed, { goal, tokenizer, summarise });
  const conversations = [...turns.slice(0, range.from), turn, ...turns.slice(range.to)];
  const after = before - sum(tokens.slice(range.from, range.to)) + tokenizer.count(turn.value);
  const status = summarise === undefined || failure !== undefined ? 'extracted' : 'summarised';
  return { status, text: toJsonLine({ ...parsePreservingNumbers(text), conversations }), before, after, failure };
}

async function writeSummary(removed: readonly TrajectoryTurn[], { goal, tokenizer, summarise }: LineCompression) {
  const cut = (turn: TrajectoryTurn) => ({ ...turn, value: tokenizer.cut(turn.value, goal.summaryTokens) });
  if (summarise === undefined) return { turn: cut(extractTurn(removed)), failure: undefined };
  try {
    const summary = await summarise(askForSummary(removed, goal.summaryTokens));
    return { turn: cut(summaryTurn(removed.length, summary)), failure: undefined };
  } catch (failure) {
    return { turn: cut(extractTurn(removed)), failure };
  }
}

export function turnsOf({ conversations }: JsonObject): TrajectoryTurn[] | undefined {
  if (!Array.isArray(conversations)) return undefined;
  const isTurn = (turn: unknown) =>
    isJsonObject(turn) && typeof turn['from'] === 'string' && typeof turn['value'] === 'string';
  return conversations.every(isTurn) ? (conversations as unknown as TrajectoryTurn[]) : undefined;
}

type SourceReviver = (key: string, value: unknown, context: { source?: string }) => unknown;

/**
 * Preserves the source of numbers that JavaScript would write differently: other programs do not read `1.0` as an
 * integer.
 */
function parsePreservingNumbers(text: string): object {
  const { rawJSON } = JSON as unknown as { rawJSON(source: string): unknown };
  const keep: SourceReviver = (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value;
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown) as object;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

export type CompressionGoal = {
  /** Maximum tokens of a conversation. */
  targetTokens: number;
  /** Maximum tokens of the summary turn. */
  summaryTokens: number;
  /** Number of newest turns to keep. */
  keepLast: number;
};

export const DEFAULT_GOAL: CompressionGoal = Object.freeze({
  targetTokens: 15_250,
  summaryTokens: 750,
  keepLast: 4,
});

/** The range of turns that the summary replaces. */
type RemovedRange = { from: number; to: number };

/** Tokens of the text around a summary. */
const FRAME_TOKENS = 30;

/**
 * Selects the turns to remove: as few as necessary, starting after the head. The first turn of each role and the
 * newest turns stay; an answer and its tool results are removed or kept together. Undefined if nothing has to be or
 * can be removed.
 */
export function planCompression(
  turns: readonly TrajectoryTurn[],
  tokens: readonly number[],
  { targetTokens, summaryTokens, keepLast }: CompressionGoal,
): RemovedRange | undefined {
  const total = sum(tokens);
  if (total <= targetTokens) return undefined;
  const from = findHead(turns);
  const tail = findTail(turns, keepLast);
  const wanted = total - targetTokens + summaryTokens + FRAME_TOKENS;
  let [to, saved] = [from, 0];
  while (to < tail && (saved < wanted || turns[to]?.from === 'tool')) saved += tokens[to++] ?? 0;
  // Do not remove turns if the summary would be larger.
  return saved > summaryTokens + FRAME_TOKENS ? { from, to } : undefined;
}

/**
 * The end of the head, which contains the first turn of each role. A first turn in the second half is ignored,
 * because everything before it would have to be kept.
 */
function findHead(turns: readonly TrajectoryTurn[]): number {
  const firsts = TRAJECTORY_ROLES.map((role) => turns.findIndex(({ from }) => from === role));
  let head = 1 + Math.max(-1, ...firsts.filter((index) => index < turns.length / 2));
  while (turns[head]?.from === 'tool') head += 1;
  return head;
}

/** Where the newest turns start, moved back so that tool results stay with their answer. */
function findTail(turns: readonly TrajectoryTurn[], keepLast: number): number {
  let tail = Math.max(0, turns.length - keepLast);
  while (tail > 0 && turns[tail]?.from === 'tool') tail -= 1;
  return tail;
}

/** The request for a summary. */
export type SummaryQuestion = { system: string; text: string };

/** Maximum characters of a turn (start and end), and of all turns together. */
const [HEAD_CHARACTERS, TAIL_CHARACTERS, ALL_CHARACTERS] = [3_000, 1_000, 240_000];
const SHOWN_CALLS = 40;

const SYSTEM = `You shorten a recorded conversation between a user and an assistant that uses tools. You are given turns from its middle, which will be removed. Write the text that replaces them, so that the rest can be understood without them:
- what the user asked for or changed
- what the assistant did, in order, with the exact names of files, commands and values
- the outcome: results, numbers, error messages that matter
- what was decided, and what was still open at the end
Write plain sentences in the language of the conversation. Do not invent anything and do not give advice. Do not use headings or tags.`;

function askForSummary(turns: readonly TrajectoryTurn[], summaryTokens: number): SummaryQuestion {
  const words = Math.floor(summaryTokens * 0.7);
  const shown = turns.map(({ from, value }, index) => `[${index + 1}, ${from}]\n${shorten(value)}`).join('\n\n');
  const text = `${shortenTo(shown, ALL_CHARACTERS)}\n\nWrite a summary of at most ${words} words.`;
  return { system: SYSTEM, text };
}

/** The turn that replaces removed ones. */
function summaryTurn(removed: number, summary: string): TrajectoryTurn {
  return { from: 'human', value: `[Summary of ${removed} turns that were removed here]\n${plain(summary)}` };
}

/** The turn extract, made without a model: what the user said and which tools were called. */
function extractTurn(turns: readonly TrajectoryTurn[]): TrajectoryTurn {
  const said = turns.flatMap(({ from, value }) => (from === 'human' ? [`The user said: ${firstLine(value)}`] : []));
  const calls = turns.flatMap(({ from, value }) => (from === 'gpt' ? readGptTurn(value).calls : []));
  const lines = calls.slice(0, SHOWN_CALLS).map(({ name, arguments: given }) => {
    return `Called ${name} with ${firstLine(JSON.stringify(given))}`;
  });
  if (calls.length > SHOWN_CALLS) lines.push(`… and ${calls.length - SHOWN_CALLS} more calls`);
  const text = [...said, ...lines].join('\n');
  return {
    from: 'human',
    value: `[${turns.length} turns were removed here; no model summarised them]\n${plain(text)}`,
  };
}

function plain(text: string): string {
  return text.replace(TAG_BEGIN, '&lt;').trim().toWellFormed();
}

function shorten(value: string): string {
  if (value.length <= HEAD_CHARACTERS + TAIL_CHARACTERS) return value;
  return `${value.slice(0, HEAD_CHARACTERS)}\n[…]\n${value.slice(-TAIL_CHARACTERS)}`.toWellFormed();
}

/** Shortens the middle, because the start shows the topic and the end the outcome. */
function shortenTo(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most / 2)}\n\n[… turns in between are not shown …]\n\n${text.slice(-most / 2)}`.toWellFormed();
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 160 ? `${line.slice(0, 160).toWellFormed()} …` : line;
}
