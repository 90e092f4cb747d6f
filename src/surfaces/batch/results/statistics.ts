import { isJsonObject, type JsonObject } from '../../../base/index.ts';
import type { RunManifest } from '../folder/run-manifest.ts';

type Use = { count: number; success: number; failure: number };

/** What the lines of a run come to, added up line by line. */
export interface LineTally {
  add(line: JsonObject): void;
  totals(): LineTotals;
}

export type LineTotals = {
  kept: number;
  completed: number;
  partial: number;
  apiCalls: number;
  toolsets: Record<string, number>;
  tools: Record<string, Use>;
};

export function createLineTally(tools: readonly string[]): LineTally {
  const totals: LineTotals = {
    ...{ kept: 0, completed: 0, partial: 0, apiCalls: 0, toolsets: {} },
    tools: Object.fromEntries(tools.map((name) => [name, { count: 0, success: 0, failure: 0 }])),
  };
  return {
    add(line) {
      totals.kept += 1;
      if (line['completed'] === true) totals.completed += 1;
      if (line['partial'] === true) totals.partial += 1;
      totals.apiCalls += numberIn(line, 'api_calls');
      const { toolsets_used: used, tool_stats: stats } = line;
      for (const name of Array.isArray(used) ? used.map(String) : []) {
        totals.toolsets[name] = (totals.toolsets[name] ?? 0) + 1;
      }
      for (const [name, use] of Object.entries(isJsonObject(stats) ? stats : {})) {
        if (isJsonObject(use)) addUse((totals.tools[name] ??= { count: 0, success: 0, failure: 0 }), use);
      }
    },
    totals: () => totals,
  };
}

function addUse(sum: Use, use: JsonObject): void {
  sum.count += numberIn(use, 'count');
  sum.success += numberIn(use, 'success');
  sum.failure += numberIn(use, 'failure');
}

function numberIn(object: JsonObject, name: string): number {
  const value = object[name];
  return typeof value === 'number' ? value : 0;
}

/** What is not in the lines. */
export type RunFigures = {
  prompts: number;
  dropped: number;
  failed: number;
  left: number;
  usd: number;
  tokens: number;
  /** Some calls had no price. */
  costKnown: boolean;
  finishedAt: number;
};

/** `statistics.json`: counts first, then what each tool was good for. */
export function describeStatistics(totals: LineTotals, figures: RunFigures, manifest: RunManifest): object {
  const { kept, completed, partial, apiCalls, toolsets, tools } = totals;
  const { prompts, dropped, failed, left, usd, tokens, costKnown, finishedAt } = figures;
  return {
    prompts,
    kept,
    dropped_without_reasoning: dropped,
    failed,
    left,
    completed,
    partial,
    api_calls: apiCalls,
    tokens,
    cost_usd: costKnown || usd > 0 ? usd : null,
    model: manifest.model,
    provider: manifest.provider,
    distribution: manifest.distributionName,
    toolset_probabilities: manifest.distribution,
    toolsets_used: toolsets,
    started_at: new Date(manifest.startedAt).toISOString(),
    finished_at: new Date(finishedAt).toISOString(),
    tool_statistics: Object.fromEntries(Object.entries(tools).map(([name, use]) => [name, withRates(use)])),
  };
}

function withRates({ count, success, failure }: Use): object {
  const rate = (part: number) => (count === 0 ? 0 : Number((part / count).toFixed(4)));
  return { count, success, failure, success_rate: rate(success), failure_rate: rate(failure) };
}
