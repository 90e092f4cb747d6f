import { type Cost, totalTokens } from '../../../base/index.ts';
import type { SessionStore } from '../../../contracts/index.ts';
import { formatCost } from '../../text/format-cost.ts';
import { formatFigure, formatShare, formatTable, hitRate } from '../../text/table.ts';
import { sessionUsage, withSubagents } from '../session-usage.ts';
import type { LastCall, SlashContext } from '../slash-context.ts';

/** `/usage`: what this session and its last call read, wrote, found in the cache and cost. */
export async function usageCommand({ runtime, session, turns, print }: SlashContext): Promise<void> {
  const lastCall = turns.lastCall();
  const route = lastCall && (await session.opened().models.openPrimary());
  const { store } = runtime;
  print(await usageOf({ store, sessionId: session.id(), lastCall, contextLength: route?.contextLength }));
}

type UsageQuestion = {
  store: Pick<SessionStore, 'getSession' | 'getAncestors' | 'getDescendants' | 'sessionSpending'>;
  sessionId: string;
  lastCall: LastCall | undefined;
  /** Of the model that answers. */
  contextLength: number | undefined;
};

async function usageOf({ store, sessionId, lastCall, contextLength }: UsageQuestion): Promise<string> {
  const session = await store.getSession(sessionId);
  const counted = session && (await sessionUsage(store, session));
  if (counted === undefined || totalTokens(counted.usage) === 0) return 'Nothing was asked in this session yet.\n';
  const { usd, unpriced } = await store.sessionSpending(sessionId);
  const { usage, subagents } = counted;
  const columns = [{ name: 'session', usage, cost: usd === 0 ? 'unknown' : formatCost({ usd, unpriced }) }];
  if (lastCall) columns.push({ name: 'last call', usage: lastCall.usage, cost: costText(lastCall.cost) });
  const rows: (readonly [string, (column: (typeof columns)[number]) => string])[] = [
    ['', ({ name }) => name],
    ['input', (column) => formatFigure(column.usage.input)],
    ['cache write', (column) => formatFigure(column.usage.cacheWrite)],
    ['cache read', (column) => formatFigure(column.usage.cacheRead)],
    ['cache hit rate', (column) => hitRate(column.usage)],
    ['output', (column) => formatFigure(column.usage.output)],
    ['of it reasoning', (column) => formatFigure(column.usage.reasoning)],
    ['cost', ({ cost }) => cost],
  ];
  const table = formatTable(rows.map(([name, cell]) => [name, ...columns.map(cell)]));
  const said = subagents === 0 ? '' : `  session: ${withSubagents(subagents)}\n`;
  return `${table}${said}${lastCall ? contextLine(lastCall.contextTokens, contextLength) : ''}`;
}

function costText({ usd, status }: Cost): string {
  return status === 'unknown' ? 'unknown' : formatCost({ usd, unpriced: 0 });
}

function contextLine(tokens: number, contextLength: number | undefined): string {
  if (contextLength === undefined) return `  context: ${formatFigure(tokens)} tokens\n`;
  const share = formatShare(tokens, contextLength);
  return `  context: ${formatFigure(tokens)} of ${formatFigure(contextLength)} tokens, ${share}\n`;
}
