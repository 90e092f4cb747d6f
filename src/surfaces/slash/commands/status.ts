import { totalTokens } from '../../../base/index.ts';
import { describeChain } from '../../../runtime/index.ts';
import { formatCost } from '../../text/format-cost.ts';
import { formatFigure, formatPairs } from '../../text/table.ts';
import { localTime } from '../../../util/index.ts';
import { sessionUsage, withSubagents } from '../session-usage.ts';
import type { SlashContext } from '../slash-context.ts';

/** `/status`: what this chat is, and where. Nobody is asked. */
export async function statusCommand(context: SlashContext): Promise<void> {
  const { runtime, workingDirectory } = context;
  const { agent, models, preferences, choices } = context.session.opened();
  const { store, logFile } = runtime;
  const { settings } = runtime.blueprint;
  const session = await store.getSession(agent.sessionId);
  const spent = session && (await store.sessionSpending(session.id));
  const used = session && (await sessionUsage(store, session));
  const rows: [string, string | undefined][] = [
    ['version', context.version],
    ['session', session === undefined ? `${agent.sessionId} (begins with the first message)` : session.id],
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
    ['yolo', choices.yolo ? 'on: nothing asks before it is done' : undefined],
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
