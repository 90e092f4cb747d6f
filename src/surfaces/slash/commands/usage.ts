import { type CacheMiss, type Cost, describeCacheMiss, totalTokens, type Usage } from '../../../base/index.ts';
import {
  type SessionStore,
  sessionUsage,
  type TurnUsage,
  turnUsageOf,
  type UnusedMarkers,
} from '../../../contracts/index.ts';
import { formatCost } from '../../text/format-cost.ts';
import { formatFigure, formatShare, formatTable, hitRate } from '../../text/table.ts';
import type { LastCall, SlashContext } from '../slash-context.ts';

/** `/usage`: shows tokens, cost and cache misses of the session, its last turns and its last call. */
export async function usageCommand({ runtime, session, turns, print }: SlashContext): Promise<void> {
  const lastCall = turns.lastCall();
  const route = lastCall && (await session.opened().models.openPrimary());
  const { store } = runtime;
  print(await usageOf({ store, sessionId: session.id(), lastCall, contextLength: route?.contextLength }));
  const unused = session.opened().agent.unusedMarkers();
  if (unused !== undefined) print(formatUnusedMarkers(unused));
}

function formatUnusedMarkers({ provider, model, tokens }: UnusedMarkers): string {
  const found = `${provider} reported no cached tokens for ${model}, although a prompt of ${formatFigure(tokens)} tokens had cache markers`;
  return `  prompt caching: ${found}. \`providers.${provider}.prompt_caching.mode: off\` stops sending them.\n`;
}

type UsageStore = Pick<SessionStore, 'getSession' | 'getAncestors' | 'getDescendants' | 'sessionSpending' | 'getCalls'>;

type UsageQuestion = {
  store: UsageStore;
  sessionId: string;
  lastCall: LastCall | undefined;
  /** Context window of the current model. */
  contextLength: number | undefined;
};

export async function usageOf({ store, sessionId, lastCall, contextLength }: UsageQuestion): Promise<string> {
  const session = await store.getSession(sessionId);
  const counted = session && (await sessionUsage(store, session));
  if (counted === undefined || totalTokens(counted.usage) === 0)
    return 'There were no model calls in this session yet.\n';
  const perTurn = await turnUsageOf(store, counted.sessions);
  const { usd, unpriced } = await store.sessionSpending(sessionId);
  const { usage, subagents } = counted;
  const columns: Column[] = [{ name: 'session', usage, cost: usd === 0 ? 'unknown' : formatCost({ usd, unpriced }) }];
  const lastTurn = perTurn.at(-1);
  if (lastTurn) columns.push({ name: 'last turn', usage: lastTurn.usage, cost: costText(lastTurn.cost) });
  if (lastCall) columns.push({ name: 'last call', usage: lastCall.usage, cost: costText(lastCall.cost) });
  return [
    formatColumns(columns),
    subagents === 0 ? '' : `  session: ${withSubagents(subagents)}\n`,
    lastCall ? contextLine(lastCall.contextTokens, contextLength) : '',
    formatTurns(perTurn),
  ].join('');
}

type Column = { name: string; usage: Usage; cost: string };

function formatColumns(columns: readonly Column[]): string {
  const rows: (readonly [string, (column: Column) => string])[] = [
    ['', ({ name }) => name],
    ['input', (column) => formatFigure(column.usage.input)],
    ['cache write', (column) => formatFigure(column.usage.cacheWrite)],
    ['cache read', (column) => formatFigure(column.usage.cacheRead)],
    ['cache hit rate', (column) => hitRate(column.usage)],
    ['output', (column) => formatFigure(column.usage.output)],
    ['reasoning (part of output)', (column) => formatFigure(column.usage.reasoning)],
    ['cost', ({ cost }) => cost],
  ];
  return formatTable(rows.map(([name, cell]) => [name, ...columns.map(cell)]));
}

const TURNS_SHOWN = 5;
const HEADINGS = ['turn', 'calls', 'auxiliary', 'input', 'cached', 'written', 'output', 'cost'];

/** The last turns as rows, each with the reasons of its cache misses. */
function formatTurns(turns: readonly TurnUsage[]): string {
  const shown = turns.slice(-TURNS_SHOWN);
  const first = turns.length - shown.length + 1;
  const rows = shown.map(({ calls, auxiliaryCalls, usage, cost }, index) => [
    String(first + index),
    String(calls),
    String(auxiliaryCalls),
    ...[usage.input, usage.cacheRead, usage.cacheWrite, usage.output].map(formatFigure),
    costText(cost),
  ]);
  const lines = formatTable([HEADINGS, ...rows]).split('\n');
  const reasons = ['cache misses', ...shown.map(({ cacheMisses }) => describeMisses(cacheMisses))];
  return `\n${reasons.map((reason, index) => `${lines[index]}  ${reason}`.trimEnd()).join('\n')}\n`;
}

/** Equal reasons are counted, and their tokens added up. */
function describeMisses(misses: readonly CacheMiss[]): string {
  const groups = Map.groupBy(misses, describeCacheMiss);
  const parts = [...groups].map(([reason, own]) => {
    const tokens = own.reduce((sum, miss) => sum + miss.tokens, 0);
    return `${own.length > 1 ? `${own.length}× ` : ''}${reason} (${formatFigure(tokens)})`;
  });
  return parts.join('; ');
}

function costText({ usd, status }: Cost): string {
  return status === 'unknown' ? 'unknown' : formatCost({ usd, unpriced: 0 });
}

function contextLine(tokens: number, contextLength: number | undefined): string {
  if (contextLength === undefined) return `  context: ${formatFigure(tokens)} tokens\n`;
  const share = formatShare(tokens, contextLength);
  return `  context: ${formatFigure(tokens)} of ${formatFigure(contextLength)} tokens, ${share}\n`;
}

/** Notes that figures include subagents. */
export function withSubagents(count: number): string {
  return count === 0 ? '' : `including ${count} ${count === 1 ? 'subagent' : 'subagents'}`;
}
