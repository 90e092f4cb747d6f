import { TRAJECTORY_ROLES, type TrajectoryTurn } from '../trajectory.ts';

export type CompressionGoal = {
  /** The most tokens of a conversation. */
  targetTokens: number;
  /** The most tokens of what stands for removed turns. */
  summaryTokens: number;
  /** The newest turns, which stay. */
  keepLast: number;
};

export const DEFAULT_GOAL: CompressionGoal = Object.freeze({
  targetTokens: 15_250,
  summaryTokens: 750,
  keepLast: 4,
});

/** The turns from one place up to another, which make way for a summary. */
export type RemovedRange = { from: number; to: number };

/** What is put around a summary. */
const FRAME_TOKENS = 30;

/**
 * Which turns go: as few as it takes, from behind the head on. The first turn of each role stays, and so do the newest
 * ones; an answer and the results of its calls go or stay together. Undefined where nothing has to go, or nothing can.
 */
export function planCompression(
  turns: readonly TrajectoryTurn[],
  tokens: readonly number[],
  { targetTokens, summaryTokens, keepLast }: CompressionGoal,
): RemovedRange | undefined {
  const total = tokens.reduce((sum, count) => sum + count, 0);
  if (total <= targetTokens) return undefined;
  const from = findHead(turns);
  const tail = findTail(turns, keepLast);
  const wanted = total - targetTokens + summaryTokens + FRAME_TOKENS;
  let [to, saved] = [from, 0];
  while (to < tail && (saved < wanted || turns[to]?.from === 'tool')) saved += tokens[to++] ?? 0;
  // What a summary would take more than it saves is better kept.
  return saved > summaryTokens + FRAME_TOKENS ? { from, to } : undefined;
}

/** Behind the first turn of each role. One that comes as late as in the second half is not worth all before it. */
function findHead(turns: readonly TrajectoryTurn[]): number {
  const firsts = TRAJECTORY_ROLES.map((role) => turns.findIndex(({ from }) => from === role));
  let head = 1 + Math.max(-1, ...firsts.filter((place) => place < turns.length / 2));
  while (turns[head]?.from === 'tool') head += 1;
  return head;
}

/** Where the newest turns begin; results bring the answer along that asked for them. */
function findTail(turns: readonly TrajectoryTurn[], keepLast: number): number {
  let tail = Math.max(0, turns.length - keepLast);
  while (tail > 0 && turns[tail]?.from === 'tool') tail -= 1;
  return tail;
}
