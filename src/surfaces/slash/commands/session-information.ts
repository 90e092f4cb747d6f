import { addUsage, type Cost, systemClock, totalTokens, type Usage } from '../../../base/index.ts';
import type { CompressionThreshold, SessionRecord, SessionStore } from '../../../contracts/index.ts';
import { type ContextPart, type ContextReport, describeChain } from '../../../runtime/index.ts';
import { localTime } from '../../../util/index.ts';
import { formatCost } from '../../text/format-cost.ts';
import { formatInsights } from '../../text/format-insights.ts';
import { formatFigure, formatPairs, formatShare, formatTable, hitRate } from '../../text/table.ts';
import type { LastCall, SlashContext } from '../slash-context.ts';
import { describeSandbox } from './sandbox.ts';

/** `/status`: shows session, model and paths. Makes no requests. */
export async function statusCommand(context: SlashContext): Promise<void> {
  const { runtime, workingDirectory } = context;
  const { agent, models, preferences, choices, environment } = context.session.opened();
  const { store, logFile } = runtime;
  const { settings } = runtime.blueprint;
  const session = await store.getSession(agent.sessionId);
  const spent = session && (await store.sessionSpending(session.id));
  const used = session && (await sessionUsage(store, session));
  const rows: [string, string | undefined][] = [
    ['version', context.version],
    ['session', session === undefined ? `${agent.sessionId} (starts with the first message)` : session.id],
    ['title', session?.title],
    ['source', session?.source],
    ['started', session && localTime(session.startedAt)],
    ['messages', session && `${session.messageCount}, tool calls: ${session.toolCallCount}`],
    [
      'tokens',
      used && [formatFigure(totalTokens(used.usage)), withSubagents(used.subagents)].filter(Boolean).join(', '),
    ],
    ['cost', spent === undefined || spent.usd === 0 ? undefined : formatCost(spent)],
    ['model', describeChain(models.routes())],
    ['effort', preferences.effort],
    ['speed', preferences.speed],
    ['personality', choices.personality],
    ['yolo', choices.yolo ? 'on: dangerous commands run without approval' : undefined],
    ['commands', describeSandbox(environment)],
    ['tools', describeSwitches(choices.toolsets)],
    ['folder', workingDirectory],
    ['home', settings.home],
    ['log', logFile],
  ];
  context.print(formatPairs(rows.filter((row): row is [string, string] => row[1] !== undefined)));
}

function describeSwitches({ on, off }: { on: readonly string[]; off: readonly string[] }): string | undefined {
  const switched = [...on.map((name) => `${name} on`), ...off.map((name) => `${name} off`)];
  return switched.length === 0 ? undefined : `${switched.join(', ')}, in this session`;
}

/** `/usage`: shows tokens, cache hits and cost of the session and its last call. */
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
  /** Context window of the current model. */
  contextLength: number | undefined;
};

async function usageOf({ store, sessionId, lastCall, contextLength }: UsageQuestion): Promise<string> {
  const session = await store.getSession(sessionId);
  const counted = session && (await sessionUsage(store, session));
  if (counted === undefined || totalTokens(counted.usage) === 0)
    return 'There were no model calls in this session yet.\n';
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
    ['reasoning (part of output)', (column) => formatFigure(column.usage.reasoning)],
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

const BAR = 40;

/** `/context`: shows what fills the context window. */
export async function contextCommand({ session, turns, print }: SlashContext): Promise<void> {
  print(formatContext(await session.opened().reportContext(), turns.lastCall()));
}

/** The parts are estimates; the provider's last count is shown below. */
function formatContext({ parts, tokens, window, compression }: ContextReport, lastCall: LastCall | undefined): string {
  const whole = window ?? tokens;
  const row =
    (indent: string) =>
    ({ name, tokens: some }: ContextPart) => [`${indent}${name}`, formatFigure(some), formatShare(some, whole)];
  const rows = parts.flatMap((part) => [row('')(part), ...(part.parts ?? []).map(row('  '))]);
  const free = window === undefined ? [] : [row('')({ name: 'free', tokens: Math.max(0, window - tokens) })];
  const counted =
    lastCall === undefined
      ? ''
      : `  reported by the provider for the last call: ${formatFigure(lastCall.contextTokens)}\n`;
  const table = formatTable([...rows, ...free]);
  return `${headOf(tokens, window)}${table}${compressionLine(compression, window)}${counted}`;
}

const THRESHOLD_RULES: Readonly<Record<CompressionThreshold['rule'], string>> = {
  configured: 'set by compression.threshold',
  window: 'the default for a window of this size',
  reserve: 'the rest is reserved for output and tool results',
  max_tokens: 'the limit of compression.max_tokens',
};

function compressionLine(compression: ContextReport['compression'], window = 0): string {
  if (compression === undefined) return '';
  if (compression === 'off') return '  automatic compression is off (compression.enabled)\n';
  const { tokens, rule } = compression;
  const share = formatShare(tokens, window);
  return `  compression starts at ${formatFigure(tokens)} tokens, ${share} of the window: ${THRESHOLD_RULES[rule]}\n`;
}

function headOf(tokens: number, window: number | undefined): string {
  if (window === undefined)
    return `About ${formatFigure(tokens)} tokens. The context window of this model is unknown.\n`;
  const filled = Math.min(BAR, Math.round((tokens / window) * BAR));
  const bar = '█'.repeat(filled) + '░'.repeat(BAR - filled);
  const share = formatShare(tokens, window);
  return `About ${formatFigure(tokens)} of ${formatFigure(window)} tokens, ${share}\n  ${bar}\n`;
}

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

/** `/insights` and `/insights DAYS`: shows activity and cost of all sessions. */
export async function insightsCommand({ runtime, style, print }: SlashContext, argument: string): Promise<void> {
  const days = argument === '' ? DEFAULT_DAYS : Number(argument);
  if (!Number.isSafeInteger(days) || days < 1) return print('Usage: /insights [DAYS], for example /insights 7.\n');
  const statistics = await runtime.store.statistics({ since: systemClock.now() - days * DAY_MS });
  print(formatInsights(statistics, { days }, style));
}

type Lineage = Pick<SessionStore, 'getAncestors' | 'getDescendants'>;

/** Usage of a session, including the sessions before compression and its subagents. */
export async function sessionUsage(
  store: Lineage,
  session: SessionRecord,
): Promise<{ usage: Usage; subagents: number }> {
  const ancestors = session.parentSessionId === undefined ? [] : await store.getAncestors(session.id);
  const lineage = [...ancestors, session];
  // To the user, a compressed session is still the same one; a branch is not.
  const root =
    lineage[
      Math.max(
        0,
        lineage.findLastIndex(({ isBranch }) => isBranch),
      )
    ] ?? session;
  const counted = new Map([[root.id, root]]);
  for (const each of await store.getDescendants(root.id))
    if (!each.isBranch && counted.has(each.parentSessionId ?? '')) counted.set(each.id, each);
  const all = [...counted.values()];
  return {
    usage: all.map(({ usage }) => usage).reduce(addUsage),
    subagents: all.filter(({ isDelegated }) => isDelegated).length,
  };
}

/** Notes that figures include subagents. */
export function withSubagents(count: number): string {
  return count === 0 ? '' : `including ${count} ${count === 1 ? 'subagent' : 'subagents'}`;
}
