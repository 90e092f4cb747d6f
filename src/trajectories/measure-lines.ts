import type { SessionRecord, SessionStore, StoredMessage } from '../contracts/index.ts';
import { readGptTurn } from './check/check-conversations.ts';
import { readLine, splitLines } from './check/check-lines.ts';
import { turnsOf } from './compress/compress-line.ts';
import type { Tokenizer } from './compress/tokenizer.ts';
import { TRAJECTORY_ROLES, type TrajectoryTurn } from './trajectory.ts';

export type TrajectoryStatistics = {
  lines: number;
  /** Lines that cannot be read; nothing of them is counted below. */
  unreadable: number;
  completed: number;
  turns: Record<(typeof TRAJECTORY_ROLES)[number], number>;
  /** Answers in which something was thought. */
  thoughtful: number;
  /** Calls by the name of their tool. */
  calls: Map<string, number>;
  /** Lines by model; those of a batch have it in their metadata. */
  models: Map<string, number>;
  /** Of each line, for those who want to know the middle and the longest; empty where nothing was counted. */
  tokens: number[];
};

export function newStatistics(): TrajectoryStatistics {
  return {
    ...{ lines: 0, unreadable: 0, completed: 0, turns: { system: 0, human: 0, gpt: 0, tool: 0 }, thoughtful: 0 },
    ...{ calls: new Map(), models: new Map(), tokens: [] },
  };
}

/** Adds what is in a file, one line after another. */
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

type Sessions = Pick<SessionStore, 'getAncestors' | 'getMessages' | 'getSession'>;

/**
 * All that was said in a session and in those it goes on from, each message once and as it was said: no summary, no
 * shortened copy. Of the session that a branch came from, only what was said before.
 */
export async function readOriginals(sessions: Sessions, sessionId: string): Promise<StoredMessage[]> {
  const line: Pick<SessionRecord, 'id' | 'isBranch'>[] = await sessions.getAncestors(sessionId);
  // Most go on from none, and then it says nothing whether they are a branch.
  const own = line.length === 0 ? { id: sessionId, isBranch: false } : await sessions.getSession(sessionId);
  if (own !== undefined) line.push(own);
  const parts: StoredMessage[][] = [];
  for (const { id, isBranch } of line) {
    const messages = await sessions.getMessages(id);
    const parent = parts.at(-1);
    if (isBranch && parent !== undefined) parts[parts.length - 1] = saidBefore(parent, messages);
    parts.push(messages);
  }
  const seen = new Set<number>();
  return parts.flat().filter((stored) => {
    const original = originalOf(stored);
    if (seen.has(original)) return false;
    seen.add(original);
    // A branch has copies of these too, which look like messages: they are known by their original.
    return !stored.isReplacement;
  });
}

/** A branch begins with copies of all that there was. */
function saidBefore(parent: readonly StoredMessage[], branch: readonly StoredMessage[]): StoredMessage[] {
  const copied = new Set(branch.map(originalOf));
  return parent.filter((stored) => copied.has(originalOf(stored)));
}

function originalOf({ id, copyOf }: StoredMessage): number {
  return copyOf ?? id;
}
