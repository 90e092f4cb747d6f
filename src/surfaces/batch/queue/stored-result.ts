import { NO_COST, type RunResult, totalTokens } from '../../../base/index.ts';
import { toJsonLine } from '../../../trajectories/index.ts';
import type { PromptResult } from '../results/result-line.ts';
import { isJsonObject, parseJson } from '../../../base/index.ts';
import type { StoredResult } from './queued-runs.ts';

/** A result as the database keeps it, with what its turn cost. */
export function toStoredResult(result: PromptResult, turn?: RunResult): StoredResult {
  const { usd, status } = turn?.cost ?? NO_COST;
  return {
    index: result.index,
    kind: result.kind,
    line: result.kind === 'kept' ? result.line : toJsonLine(result.record),
    usd,
    tokens: turn === undefined ? 0 : totalTokens(turn.usage),
    costKnown: status !== 'unknown' || hasNoAnswer(turn),
  };
}

/** Then nothing was paid. */
function hasNoAnswer(turn: RunResult | undefined): boolean {
  return turn === undefined || (turn.apiCalls === 0 && turn.auxiliary === undefined);
}

export function fromStoredResult({ index, kind, line }: StoredResult): PromptResult {
  if (kind === 'kept') return { kind, index, line };
  const record = parseJson(line);
  return { kind, index, record: isJsonObject(record) ? record : { prompt_index: index } };
}
