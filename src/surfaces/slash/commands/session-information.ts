import { systemClock, totalTokens } from '../../../base/index.ts';
import { type CompressionThreshold, sessionUsage } from '../../../contracts/index.ts';
import { type ContextPart, type ContextReport, describeChain } from '../../../runtime/index.ts';
import { localTime } from '../../../util/index.ts';
import { formatCost } from '../../text/format-cost.ts';
import { formatInsights } from '../../text/format-insights.ts';
import { formatFigure, formatPairs, formatShare, formatTable } from '../../text/table.ts';
import type { LastCall, SlashContext } from '../slash-context.ts';
import { describeSandbox } from './sandbox.ts';
import { withSubagents } from './usage.ts';

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
