import { describeCacheMissReason, totalTokens, type Usage } from '../../base/index.ts';
import type { SessionStatistics, Spending } from '../../contracts/index.ts';
import { describeSessionCount } from './counted.ts';
import { describeCost, formatCost } from './format-cost.ts';
import { type Style, printable } from './style.ts';
import { formatBars, formatFigure, formatPairs, formatShare, formatTable, hitRate } from './table.ts';

const MAX_TOOLS = 15;
const MAX_DAYS = 14;

/** Formats statistics as tables; empty sections are omitted. */
export function formatInsights(
  statistics: SessionStatistics,
  { days, source }: { days: number; source?: string },
  style: Style,
): string {
  const origin = source === undefined ? '' : `, from ${printable(source)}`;
  const head = `${style.bold(`The last ${days} days${origin}`)}\n`;
  const { user, assistant, tool } = statistics.messages;
  if (statistics.calls + user + assistant + tool + statistics.sessions === 0) return `${head}  No activity.\n`;
  const parts: [string, string][] = [
    ['Tokens', tokenTable(statistics.usage)],
    ['Cache misses', missTable(statistics)],
    ['Models', modelTable(statistics)],
    ['Sources', sourceTable(statistics)],
    ['Purposes', purposeTable(statistics)],
    ['Days', dayTable(statistics)],
    ['Tools', toolTable(statistics)],
    ['Exit reasons', formatTable(statistics.exitReasons.map(({ reason, turns }) => [reason, String(turns)]))],
    ['Active hours', hourPlot(statistics.activeHours)],
  ];
  const sections = parts.filter(([, table]) => table !== '').map(([name, table]) => `\n${style.bold(name)}\n${table}`);
  return `${head}${overview(statistics)}${sections.join('')}`;
}

function overview(statistics: SessionStatistics): string {
  const { messages, calls, compressions } = statistics;
  const { user, assistant, tool } = messages;
  return formatPairs([
    ['sessions', describeSessionCount(statistics)],
    ['messages', `${user + assistant + tool} (user ${user}, assistant ${assistant}, tool ${tool})`],
    ['model calls', String(calls)],
    ['compressions', String(compressions)],
    ['cost', describeCost(statistics)],
  ]);
}

function tokenTable(usage: Usage): string {
  const { input, output, cacheRead, cacheWrite, reasoning } = usage;
  if (totalTokens(usage) === 0) return '';
  return formatTable([
    ['input', formatFigure(input)],
    ['output', formatFigure(output)],
    ['reasoning (part of output)', formatFigure(reasoning)],
    ['cache read', formatFigure(cacheRead)],
    ['cache write', formatFigure(cacheWrite)],
    ['cache hit rate', hitRate(usage)],
  ]);
}

function missTable({ cacheMisses }: SessionStatistics): string {
  if (cacheMisses.length === 0) return '';
  const rows = cacheMisses.map(({ reason, calls, tokens }) => [
    printable(describeCacheMissReason(reason)),
    String(calls),
    formatFigure(tokens),
  ]);
  return formatTable([['reason', 'calls', 'tokens'], ...rows]);
}

type Row = { name: string; spending: Spending & { sessions: number } };

function spendingTable(first: string, rows: readonly Row[]): string {
  if (rows.length === 0) return '';
  const body = rows.map(({ name, spending }) => {
    const { sessions, calls, usage } = spending;
    const tokens = formatFigure(totalTokens(usage));
    return [name, String(sessions), String(calls), tokens, hitRate(usage), formatCost(spending)];
  });
  return formatTable([[first, 'sessions', 'calls', 'tokens', 'cache hits', 'cost'], ...body]);
}

function modelTable({ byModel }: SessionStatistics): string {
  const name = ({ model, provider }: { model: string; provider: string }) =>
    provider === '' ? model : `${model} (${provider})`;
  return spendingTable(
    'model',
    byModel.map((row) => ({ name: name(row), spending: row })),
  );
}

function sourceTable({ bySource }: SessionStatistics): string {
  return spendingTable(
    'source',
    bySource.map((row) => ({ name: row.source, spending: row })),
  );
}

/** Shown only if money was spent on something other than the chat. */
function purposeTable({ byPurpose }: SessionStatistics): string {
  if (byPurpose.every(({ purpose }) => purpose === 'chat')) return '';
  return spendingTable(
    'purpose',
    byPurpose.map((row) => ({ name: row.purpose, spending: row })),
  );
}

function dayTable({ byDay }: SessionStatistics): string {
  const newest = byDay.slice(-MAX_DAYS);
  if (newest.length === 0) return '';
  const bars = formatBars(newest.map(({ messages }) => messages));
  const rows = newest.map((entry, index) => {
    const { day, messages, usage } = entry;
    return [`${day} ${bars[index]}`, String(messages), formatFigure(totalTokens(usage)), formatCost(entry)];
  });
  return formatTable([['day', 'messages', 'tokens', 'cost'], ...rows]);
}

function toolTable({ tools }: SessionStatistics): string {
  if (tools.length === 0) return '';
  const rows = tools
    .slice(0, MAX_TOOLS)
    .map(({ name, calls, failures }) => [name, String(calls), String(failures), formatShare(failures, calls)]);
  return formatTable([['tool', 'calls', 'failed', 'rate'], ...rows]);
}

function hourPlot(activeHours: readonly number[]): string {
  if (activeHours.every((messages) => messages === 0)) return '';
  return `  ${formatBars(activeHours)}\n  0     6     12    18\n`;
}
