import { readGptTurn } from './check/check-conversations.ts';
import { readLine, splitLines } from './check/check-lines.ts';
import { turnsOf } from './compress/compress-line.ts';
import type { Tokenizer } from './compress/tokenizer.ts';
import { TRAJECTORY_ROLES, type TrajectoryTurn } from './trajectory.ts';

export type TrajectoryStatistics = {
  lines: number;
  /** Unreadable lines; they are not included in the other counts. */
  unreadable: number;
  completed: number;
  turns: Record<(typeof TRAJECTORY_ROLES)[number], number>;
  /** Answers with reasoning. */
  thoughtful: number;
  /** Calls by tool name. */
  calls: Map<string, number>;
  /** Number of lines by model; in batch lines the model is part of the metadata. */
  models: Map<string, number>;
  /** Tokens of each line, for median and maximum; empty if no tokenizer was given. */
  tokens: number[];
};

export function newStatistics(): TrajectoryStatistics {
  return {
    lines: 0,
    unreadable: 0,
    completed: 0,
    turns: { system: 0, human: 0, gpt: 0, tool: 0 },
    thoughtful: 0,
    calls: new Map(),
    models: new Map(),
    tokens: [],
  };
}

/** Adds the lines of a file to the statistics. */
export async function measureLines(
  chunks: AsyncIterable<Uint8Array>,
  statistics: TrajectoryStatistics,
  tokenizer: Tokenizer | undefined,
): Promise<void> {
  for await (const raw of splitLines(chunks)) {
    statistics.lines += 1;
    const reading = readLine(raw);
    const turns = 'entry' in reading ? turnsOf(reading.entry) : undefined;
    if ('fault' in reading || turns === undefined) {
      statistics.unreadable += 1;
      continue;
    }
    const { completed, model, metadata } = reading.entry as Record<string, unknown>;
    if (completed === true) statistics.completed += 1;
    const named = model ?? (metadata as { model?: unknown } | undefined)?.model;
    if (typeof named === 'string') add(statistics.models, named);
    for (const turn of turns) addTurn(statistics, turn);
    if (tokenizer !== undefined) {
      statistics.tokens.push(turns.reduce((sum, { value }) => sum + tokenizer.count(value), 0));
    }
  }
}

function addTurn(statistics: TrajectoryStatistics, { from, value }: TrajectoryTurn): void {
  if (TRAJECTORY_ROLES.includes(from)) statistics.turns[from] += 1;
  if (from !== 'gpt') return;
  const { thinking, calls } = readGptTurn(value);
  if (thinking.trim() !== '') statistics.thoughtful += 1;
  for (const { name } of calls) add(statistics.calls, name);
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
