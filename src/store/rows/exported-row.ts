import type { Cost } from '../../base/index.ts';
import type { ExportedSession } from '../../contracts/index.ts';
import { rowToSession, type SessionRow } from './session-row.ts';

export type FullRow = SessionRow & {
  user_id: string | null;
  model_config: string | null;
  estimated_cost_usd: number | null;
  cost_status: Cost['status'] | null;
  cost_source: string | null;
  pricing_version: string | null;
};

export function exportRow(row: FullRow): ExportedSession {
  const { messageCount: _, toolCallCount: __, isDelegated: ___, isBranch, ...session } = rowToSession(row);
  const exported: ExportedSession = { ...session };
  if (isBranch) exported.isBranch = true;
  if (row.user_id !== null) exported.userId = row.user_id;
  if (row.model_config !== null) exported.modelConfig = row.model_config;
  if (row.cost_status !== null) exported.cost = costOf(row, row.cost_status);
  // JSON has no undefined: a field that is not there is not there.
  for (const key of Object.keys(exported) as (keyof ExportedSession)[]) {
    if (exported[key] === undefined) delete exported[key];
  }
  return exported;
}

function costOf(row: FullRow, status: Cost['status']): Cost {
  const cost: Cost = { usd: row.estimated_cost_usd ?? 0, status };
  if (row.cost_source !== null) cost.source = row.cost_source;
  if (row.pricing_version !== null) cost.pricingVersion = row.pricing_version;
  return cost;
}
