import { addUsage, type Cost, totalTokens, type Usage } from '../../../base/index.ts';
import type { SessionRecord, SessionStore } from '../../../contracts/index.ts';
import { formatCost } from '../../text/format-cost.ts';
import { formatFigure, formatShare, formatTable, hitRate } from '../../text/table.ts';
import type { LastCall, SlashContext } from '../slash-context.ts';

/** `/usage`: what this session and its last call read, wrote, found in the cache and cost. */
export async function usageCommand({ runtime, session, turns, print }: SlashContext): Promise<void> {
  const lastCall = turns.lastCall();
  const route = lastCall && (await session.opened().models.openPrimary());
  const { store } = runtime;
  print(await usageOf({ store, sessionId: session.id(), lastCall, contextLength: route?.contextLength }));
}

type UsageQuestion = {
  store: Pick<SessionStore, 'getSession' | 'getAncestors' | 'sessionSpending'>;
  sessionId: string;
  lastCall: LastCall | undefined;
  /** Of the model that answers. */
  contextLength: number | undefined;
};

async function usageOf({ store, sessionId, lastCall, contextLength }: UsageQuestion): Promise<string> {
  const session = await store.getSession(sessionId);
  const usage = session && (await usageWithBefore(store, session));
  if (usage === undefined || totalTokens(usage) === 0) return 'Nothing was asked in this session yet.\n';
  const { usd } = await store.sessionSpending(sessionId);
  const columns = [{ name: 'session', usage, cost: usd === 0 ? 'unknown' : formatCost({ usd, unpriced: 0 }) }];
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
  return lastCall ? `${table}${contextLine(lastCall.contextTokens, contextLength)}` : table;
}

/** Compression goes on in another session, which is the same one to a person; a branch is not. */
async function usageWithBefore(store: UsageQuestion['store'], session: SessionRecord): Promise<Usage> {
  const ancestors = session.parentSessionId === undefined ? [] : await store.getAncestors(session.id);
  const lineage = [...ancestors, session];
  const own = lineage.slice(
    Math.max(
      0,
      lineage.findLastIndex(({ isBranch }) => isBranch),
    ),
  );
  return own.map(({ usage }) => usage).reduce(addUsage);
}

function costText({ usd, status }: Cost): string {
  return status === 'unknown' ? 'unknown' : formatCost({ usd, unpriced: 0 });
}

function contextLine(tokens: number, contextLength: number | undefined): string {
  if (contextLength === undefined) return `  context: ${formatFigure(tokens)} tokens\n`;
  const share = formatShare(tokens, contextLength);
  return `  context: ${formatFigure(tokens)} of ${formatFigure(contextLength)} tokens, ${share}\n`;
}
