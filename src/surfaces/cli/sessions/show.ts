import {
  lineageUpTo,
  uniqueMessages,
  usagePerTurn,
  type SessionRecord,
  type SessionStore,
} from '../../../contracts/index.ts';
import type { CliIo } from '../cli-io.ts';
import { hitRate } from '../../text/table.ts';
import { createStyle, type Style, printable } from '../style.ts';
import { formatMessage, parentLabel, toRecord } from './format-message.ts';
import { localTime } from '../../../util/index.ts';
import { requireSession, withStore } from './with-store.ts';
import { writeJson } from './write-json.ts';

export type ShowOptions = { json?: boolean; lineage?: boolean };

/** Shows a session with its metadata and all its messages. */
export async function showSession(reference: string, { json, lineage }: ShowOptions, io: CliIo): Promise<number> {
  await withStore(io, async (store) => {
    const session = await requireSession(store, reference);
    const ids = lineage ? await lineageUpTo(store, session.id) : [session.id];
    const [messages, turns, calls] = await Promise.all([
      lineage ? uniqueMessages(store, ids) : store.getMessages(session.id),
      store.getTurns(session.id),
      json ? Promise.all(ids.map((id) => store.getCalls(id))) : [],
    ]);
    if (json)
      return writeJson(io.stdout, {
        ...session,
        messages: messages.map(toRecord),
        turns,
        turnUsage: usagePerTurn(calls.flat()),
      });
    const style = createStyle(io.stdout, io.env);
    io.stdout.write(formatHead(session, await subagentsOf(store, session.id), style));
    for (const message of messages) io.stdout.write(formatMessage(message, style));
  });
  return 0;
}

async function subagentsOf(store: SessionStore, id: string): Promise<string | undefined> {
  const own = (await store.getDescendants(id)).filter((each) => each.isDelegated && each.parentSessionId === id);
  return own.length === 0 ? undefined : own.map((each) => each.id).join(', ');
}

function formatHead(session: SessionRecord, subagents: string | undefined, style: Style): string {
  const { usage } = session;
  const ended = session.endedAt === undefined ? undefined : localTime(session.endedAt);
  const rows: [string, string | undefined][] = [
    ['title', session.title],
    ['source', session.source],
    ['model', session.model],
    ['started', localTime(session.startedAt)],
    ['ended', ended === undefined ? undefined : `${ended} (${session.endReason ?? 'no reason given'})`],
    [parentLabel(session), session.parentSessionId],
    ['subagents', subagents],
    ['messages', `${session.messageCount}, tool calls: ${session.toolCallCount}`],
    ['tokens', tokensText(usage)],
  ];
  const lines = rows.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name.padEnd(11)}  ${printable(value)}`],
  );
  return `${style.bold(printable(session.id))}\n${lines.join('\n')}\n`;
}

function tokensText(usage: SessionRecord['usage']): string {
  const { input, output, cacheRead, cacheWrite } = usage;
  if (cacheRead + cacheWrite === 0) return `${input} in, ${output} out`;
  return `${input} in, ${output} out, ${cacheRead} cache read, ${cacheWrite} cache write (hit rate ${hitRate(usage)})`;
}
