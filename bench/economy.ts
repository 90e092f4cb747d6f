import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { billFor, leastFor } from './economy/bill.ts';
import { APIS, type Api } from './economy/apis.ts';
import { type Plan, type RecordedCall, recordSession } from './economy/record.ts';
import { billTable, comparisonTable, type Line, pauseTable } from './economy/tables.ts';

const SIZES = '50,200,1000';
/** A window so small that the longer sessions do not fit. */
const WINDOW = '128000';
/** A window that a session of this length would not fill, but where every call would be expensive. */
const LARGE_WINDOW = 1_000_000;
const LONG_SESSION = 1_000;
/** How sessions were compressed before the size of the window decided: at half of every window. */
const OLD_POLICY = { name: 'compressed at half of it', settings: { threshold: 0.5, clearAt: 1 } };

async function record(plan: Plan): Promise<RecordedCall[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-economy-'));
  try {
    return await recordSession(plan, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function labelOf({ api, toolTurns, switches, window, compression, pauses }: Plan): string {
  const extra = `${switches ? ', 4 model switches' : ''}${window ? `, in a window of ${window / 1000}k` : ''}${compression ? `, ${compression.name}` : ''}${pauses ? ', pauses' : ''}`;
  return `${api.name}, ${toolTurns} tool turns${extra}`;
}

async function measure(plan: Plan): Promise<Line> {
  const label = labelOf(plan);
  const calls = await record(plan);
  process.stderr.write(`${label}: done\n`);
  return { label, plan, calls, bill: billFor(calls), least: leastFor(calls) };
}

function plansFor(api: Api, toolTurns: number, window: number): Plan[] {
  const plain = { api, toolTurns };
  if (api.isVariant) return [plain];
  const pauses: Plan[] = api.apiMode === 'codex_responses' ? [] : [{ ...plain, pauses: true, cacheTtl: 'auto' }];
  const plans = [plain, { ...plain, switches: true }, { ...plain, window }, ...pauses];
  return [...plans, ...largeWindowPlans(api, toolTurns)];
}

/** The same session under the current and the old policy, for one API: the others behave alike. */
function largeWindowPlans(api: Api, toolTurns: number): Plan[] {
  if (api !== APIS['anthropic'] || toolTurns !== LONG_SESSION) return [];
  const plan = { api, toolTurns, window: LARGE_WINDOW };
  return [plan, { ...plan, compression: OLD_POLICY }];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      sizes: { type: 'string', default: SIZES },
      apis: { type: 'string', default: Object.keys(APIS).join() },
      window: { type: 'string', default: WINDOW },
      // A regular expression: only the rows whose label matches are measured.
      rows: { type: 'string', default: '' },
    },
  });
  const apis = values.apis.split(',').map((name) => {
    const api = APIS[name];
    if (api === undefined) throw new Error(`--apis must be a list of ${Object.keys(APIS).join()}`);
    return api;
  });
  const sizes = values.sizes.split(',').map(Number);
  const plans = apis.flatMap((api) => sizes.flatMap((size) => plansFor(api, size, Number(values.window))));
  const chosen = plans.filter((plan) => new RegExp(values.rows).test(labelOf(plan)));
  const lines: Line[] = [];
  for (const plan of chosen) lines.push(await measure(plan));
  console.log([billTable(lines), comparisonTable(lines), pauseTable(lines)].join('\n\n'));
}

await main();
