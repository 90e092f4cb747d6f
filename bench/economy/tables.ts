import { type Bill, billFor, withPauses } from './bill.ts';
import { forAnHour, lastThreeEntries, markedResults, systemOnly } from './placements.ts';
import { PAUSE_EVERY, PAUSE_MS, type Plan, type RecordedCall } from './record.ts';

/** A session, its cost, and its minimum cost. */
export type Line = { label: string; plan: Plan; calls: RecordedCall[]; bill: Bill; least: Bill };

/** Calls per message: ten with tools, and the answer. */
const CALLS_PER_MESSAGE = 11;

const dollars = ({ usd }: Bill) => `$${usd.toFixed(2)}`;
const times = (bill: Bill, { least }: Line) => `${(bill.usd / least.usd).toFixed(2)}×`;
const both = (bill: Bill | undefined, line: Line) => (bill ? `${dollars(bill)} (${times(bill, line)})` : '–');

/** Tokens in thousands, dollars, and the ratio to the minimum cost. */
export function billTable(lines: readonly Line[]): string {
  const head = ['session', 'calls', 'input', 'cache read', 'cache write', 'output', 'cost', 'least', 'ratio'];
  const rows = lines
    .filter(({ plan }) => !plan.pauses)
    .map((line) => {
      const { input, cacheRead, cacheWrite, output } = line.bill.usage;
      const tokens = [input, cacheRead, cacheWrite, output].map(thousands);
      const calls = `${line.calls.length}${compressions(line)}`;
      return [line.label, calls, ...tokens, dollars(line.bill), dollars(line.least), `**${times(line.bill, line)}**`];
    });
  return table(head, rows);
}

/** Compares the cost of the same requests without cache markers and with markers in other places. */
export function comparisonTable(lines: readonly Line[]): string {
  const head = ['session', 'current', 'no cache', 'system prompt only', 'last three messages', 'results marked too'];
  const rows = lines.filter(isPlain).map((line) => {
    const { calls, plan } = line;
    const placed = plan.api.apiMode === 'codex_responses' ? [] : [systemOnly, lastThreeEntries, markedResults];
    const others = placed.map((placement) => billFor(calls, { placement }));
    const bills = [line.bill, billFor(calls, { kind: 'none' }), others[0], others[1], others[2]];
    return [line.label, ...bills.map((bill) => both(bill, line))];
  });
  return table(head, rows);
}

/** The same requests with pauses after which short-lived entries have expired. */
export function pauseTable(lines: readonly Line[]): string {
  const marked = lines.filter((line) => isPlain(line) && line.plan.api.apiMode !== 'codex_responses');
  const rows = marked.map((line) => {
    const paused = withPauses(line.calls, PAUSE_EVERY * CALLS_PER_MESSAGE, PAUSE_MS);
    const long = { placement: forAnHour };
    const bills = [line.bill, billFor(line.calls, long), billFor(paused), billFor(paused, long)];
    const auto = lines.find(({ plan }) => plan.pauses && isSameSession(plan, line.plan));
    return [line.label, ...bills.map((bill) => both(bill, line)), auto ? both(auto.bill, auto) : '–'];
  });
  return table(['session', 'no pauses, 5m', 'no pauses, 1h', 'pauses, 5m', 'pauses, 1h', 'pauses, auto'], rows);
}

function isSameSession(one: Plan, other: Plan): boolean {
  return one.api === other.api && one.toolTurns === other.toolTurns;
}

function isPlain({ plan }: Line): boolean {
  return !plan.switches && !plan.pauses && !plan.api.isVariant && plan.window === undefined;
}

/** Counts the requests that are shorter than the previous one, as after a compression. */
function compressions({ calls }: Line): string {
  const chat = calls.filter(({ auxiliary }) => !auxiliary).map(({ prompt }) => tokensOf(prompt.parts));
  const count = chat.filter((tokens, index) => tokens < (chat[index - 1] ?? 0)).length;
  return count === 0 ? '' : `, shortened ${count}×`;
}

function tokensOf(parts: RecordedCall['prompt']['parts']): number {
  return parts.reduce((sum, { block }) => sum + block.tokens, 0);
}

function thousands(tokens: number): string {
  return `${Math.round(tokens / 1000).toLocaleString('en')}k`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|---|${'---:|'.repeat(head.length - 1)}`, ...rows.map(line)].join('\n');
}
