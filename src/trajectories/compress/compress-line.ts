import { isJsonObject, type JsonObject } from '../../base/index.ts';
import type { RawLine } from '../../util/index.ts';
import { readLine } from '../check/read-line.ts';
import { toJsonLine } from '../spaced-json.ts';
import type { TrajectoryTurn } from '../trajectory.ts';
import { type CompressionGoal, planCompression } from './plan.ts';
import { askForSummary, extractTurn, type SummaryQuestion, summaryTurn } from './summary.ts';
import type { Tokenizer } from './tokenizer.ts';

/** What became of a line. */
export type CompressedLine =
  | { status: 'kept' | 'summarised' | 'extracted'; text: string; before: number; after: number; failure?: unknown }
  | { status: 'unreadable'; reason: string };

export type LineCompression = {
  goal: CompressionGoal;
  tokenizer: Tokenizer;
  /** The summary; undefined where there is no model to ask. */
  summarise: ((question: SummaryQuestion) => Promise<string>) | undefined;
};

/** A line that fits is kept to the byte; one that does not gets a summary in the place of turns of its middle. */
export async function compressLine(
  raw: RawLine,
  { goal, tokenizer, summarise }: LineCompression,
): Promise<CompressedLine> {
  const reading = readLine(raw);
  if ('fault' in reading || raw.bytes === undefined) {
    return { status: 'unreadable', reason: 'fault' in reading ? reading.fault : 'the line is too long' };
  }
  const turns = turnsOf(reading.entry);
  if (turns === undefined) return { status: 'unreadable', reason: 'conversations is no list of turns' };
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
  return { status, text: toJsonLine({ ...parseExactly(text), conversations }), before, after, failure };
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

/** Numbers that JavaScript would write otherwise are kept as they are written: `1.0` is no whole number to others. */
function parseExactly(text: string): object {
  const { rawJSON } = JSON as unknown as { rawJSON(source: string): unknown };
  const keep: SourceReviver = (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value;
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown) as object;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
