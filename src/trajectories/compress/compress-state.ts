import { ConfigurationError, isJsonObject, parseJson } from '../../base/index.ts';
import { readFile } from 'node:fs/promises';
import { writeFileAtomic } from '../../util/index.ts';
import type { CompressionGoal } from './plan.ts';

export type CompressionTotals = {
  /** Lines of the input. */
  read: number;
  kept: number;
  summarised: number;
  /** Shortened without a model. */
  extracted: number;
  unreadable: number;
  /** Longer than the target all the same. */
  stillOver: number;
  tokensBefore: number;
  tokensAfter: number;
  /** Of the output. */
  bytes: number;
};

/** How far a run is, for the one that goes on after it. */
export type CompressionState = { goal: CompressionGoal; inputHash: string; totals: CompressionTotals };

const FORMAT = 'hermes-trajectories-compress 1';

export function newTotals(): CompressionTotals {
  const counts = { kept: 0, summarised: 0, extracted: 0, unreadable: 0, stillOver: 0 };
  return { read: 0, ...counts, tokensBefore: 0, tokensAfter: 0, bytes: 0 };
}

export function stateFileOf(output: string): string {
  return `${output}.state`;
}

export async function writeState(output: string, state: CompressionState): Promise<void> {
  await writeFileAtomic(stateFileOf(output), JSON.stringify({ format: FORMAT, ...state }));
}

/** What an earlier run left; undefined where there was none. */
export async function readState(output: string, goal: CompressionGoal): Promise<CompressionState | undefined> {
  const file = stateFileOf(output);
  const content = await readFile(file, 'utf8').catch(() => undefined);
  if (content === undefined) return undefined;
  const state = parseJson(content);
  if (!isJsonObject(state) || state['format'] !== FORMAT) {
    throw new ConfigurationError(`${file} is not what a run leaves behind.`, { hint: 'Choose another output.' });
  }
  const found = state as unknown as CompressionState;
  if (JSON.stringify(found.goal) === JSON.stringify(goal)) return found;
  const { targetTokens, summaryTokens, keepLast } = found.goal;
  throw new ConfigurationError(`${output} was begun with other settings.`, {
    hint: `Go on with --target ${targetTokens} --summary ${summaryTokens} --keep-last ${keepLast}, or choose another output.`,
  });
}
