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

async function record(plan: Plan): Promise<RecordedCall[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-economy-'));
  try {
    return await recordSession(plan, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(plan: Plan): Promise<Line> {
  const { api, toolTurns, switches, window } = plan;
  const calls = await record(plan);
  const extra = `${switches ? ', 4 model switches' : ''}${window ? `, in a window of ${window / 1000}k` : ''}`;
  const label = `${api.name}, ${toolTurns} tool turns${extra}`;
  process.stderr.write(`${label}: done\n`);
  return { label, plan, calls, bill: billFor(calls), least: leastFor(calls) };
}

function plansFor(api: Api, toolTurns: number, window: number): Plan[] {
  const plain = { api, toolTurns };
  return [plain, { ...plain, switches: true }, { ...plain, window }];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      sizes: { type: 'string', default: SIZES },
      apis: { type: 'string', default: Object.keys(APIS).join() },
      window: { type: 'string', default: WINDOW },
    },
  });
  const apis = values.apis.split(',').map((name) => {
    const api = APIS[name];
    if (api === undefined) throw new Error(`--apis must be a list of ${Object.keys(APIS).join()}`);
    return api;
  });
  const sizes = values.sizes.split(',').map(Number);
  const plans = apis.flatMap((api) => sizes.flatMap((size) => plansFor(api, size, Number(values.window))));
  const lines: Line[] = [];
  for (const plan of plans) lines.push(await measure(plan));
  console.log([billTable(lines), comparisonTable(lines), pauseTable(lines)].join('\n\n'));
}

await main();
