import { lineUpTo, type SessionRecord, type SessionStore, type StoredMessage } from '../../../contracts/index.ts';
import type { CliIo } from '../cli-io.ts';
import { hitRate } from '../insights/table.ts';
import { createStyle, type Style, showable } from '../style.ts';
import { formatMessage, toRecord } from './format-message.ts';
import { localTime } from '../../../util/index.ts';
import { requireSession, withStore } from './with-store.ts';
import { writeJson } from './write-json.ts';

export type ShowOptions = { json?: boolean; lineage?: boolean };

/** One session: what is known about it, and all its messages. */
export async function showSession(reference: string, { json, lineage }: ShowOptions, io: CliIo): Promise<number> {
  await withStore(io, async (store) => {
    const session = await requireSession(store, reference);
    const [messages, turns] = await Promise.all([
      lineage ? readLineage(store, session.id) : store.getMessages(session.id),
      store.getTurns(session.id),
    ]);
    if (json) return writeJson(io.stdout, { ...session, messages: messages.map(toRecord), turns });
    const style = createStyle(io.stdout, io.env);
    io.stdout.write(formatHead(session, style));
    for (const message of messages) io.stdout.write(formatMessage(message, style));
  });
  return 0;
}

/** All that was said up to now, where it was said first. */
async function readLineage(store: SessionStore, id: string): Promise<StoredMessage[]> {
  const messages: StoredMessage[] = [];
  const shown = new Set<number>();
  for (const sessionId of await lineUpTo(store, id)) {
    for (const stored of await store.getMessages(sessionId)) {
      // A copy whose original is gone stands for itself.
      if (stored.copyOf !== undefined && shown.has(stored.copyOf)) continue;
      shown.add(stored.copyOf ?? stored.id);
      messages.push(stored);
    }
  }
  return messages;
}

function formatHead(session: SessionRecord, style: Style): string {
  const { usage } = session;
  const ended = session.endedAt === undefined ? undefined : localTime(session.endedAt);
  const rows: [string, string | undefined][] = [
    ['title', session.title],
    ['source', session.source],
    ['model', session.model],
    ['started', localTime(session.startedAt)],
    ['ended', ended === undefined ? undefined : `${ended} (${session.endReason ?? 'no reason given'})`],
    [session.isBranch ? 'branch of' : 'continues', session.parentSessionId],
    ['messages', `${session.messageCount}, tool calls: ${session.toolCallCount}`],
    ['tokens', tokensText(usage)],
  ];
  const lines = rows.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(9)}  ${showable(value)}`]));
  return `${style.bold(showable(session.id))}\n${lines.join('\n')}\n`;
}

function tokensText(usage: SessionRecord['usage']): string {
  const { input, output, cacheRead, cacheWrite } = usage;
  if (cacheRead + cacheWrite === 0) return `${input} in, ${output} out`;
  return `${input} in, ${output} out, ${cacheRead} from cache, ${cacheWrite} into it (hit rate ${hitRate(usage)})`;
}
