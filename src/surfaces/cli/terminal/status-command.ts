import { totalTokens } from '../../../base/index.ts';
import { describeChain, type OpenedAgent, type Runtime } from '../../../runtime/index.ts';
import { formatCost } from '../format-cost.ts';
import { formatFigure, formatPairs } from '../insights/table.ts';
import { localTime } from '../../../util/index.ts';
import { VERSION } from '../version.ts';

type StatusQuestion = { runtime: Runtime; opened: OpenedAgent; workingDirectory: string };

/** `/status`: what this chat is, and where. Nobody is asked. */
export async function statusOf({ runtime, opened, workingDirectory }: StatusQuestion): Promise<string> {
  const { agent, models, preferences } = opened;
  const { store, settings, logFile } = runtime;
  const session = await store.getSession(agent.sessionId);
  const spent = session && (await store.sessionSpending(session.id));
  const rows: [string, string | undefined][] = [
    ['version', VERSION],
    ['session', session === undefined ? `${agent.sessionId} (begins with the first message)` : session.id],
    ['title', session?.title],
    ['source', session?.source],
    ['started', session && localTime(session.startedAt)],
    ['messages', session && `${session.messageCount}, tool calls: ${session.toolCallCount}`],
    ['tokens', session && formatFigure(totalTokens(session.usage))],
    ['cost', spent === undefined || spent.usd === 0 ? undefined : formatCost({ usd: spent.usd, unpriced: 0 })],
    ['model', describeChain(models.routes())],
    ['effort', preferences.effort],
    ['speed', preferences.speed],
    ['folder', workingDirectory],
    ['home', settings.home],
    ['log', logFile],
  ];
  return formatPairs(rows.filter((row): row is [string, string] => row[1] !== undefined));
}
