import type { SessionRecord, StoredMessage } from '../../../contracts/index.ts';
import type { CliIo } from '../cli-io.ts';
import { createStyle, type Style, showable } from '../style.ts';
import { localTime } from './local-time.ts';
import { requireSession, withStore } from './with-store.ts';
import { writeJson } from './write-json.ts';

/** One session: what is known about it, and all its messages. */
export async function showSession(reference: string, { json }: { json?: boolean }, io: CliIo): Promise<number> {
  await withStore(io, async (store) => {
    const session = await requireSession(store, reference);
    const [messages, turns] = await Promise.all([store.getMessages(session.id), store.getTurns(session.id)]);
    if (json) return writeJson(io.stdout, { ...session, messages: messages.map(toRecord), turns });
    const style = createStyle(io.stdout, io.env);
    io.stdout.write(formatHead(session, style));
    for (const message of messages) io.stdout.write(formatMessage(message, style));
  });
  return 0;
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
    ['continues', session.parentSessionId],
    ['messages', `${session.messageCount}, tool calls: ${session.toolCallCount}`],
    ['tokens', `${usage.input} in, ${usage.output} out, ${usage.cacheRead} from cache`],
  ];
  const lines = rows.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(9)}  ${showable(value)}`]));
  return `${style.bold(session.id)}\n${lines.join('\n')}\n`;
}

function formatMessage({ message, timestamp, toolStatus }: StoredMessage, style: Style): string {
  const tool =
    message.role === 'tool' ? ` ${message.toolName}${toolStatus === undefined ? '' : `, ${toolStatus}`}` : '';
  const head = style.cyan(`── ${localTime(timestamp)}  ${message.role}${showable(tool)}`);
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  const lines = calls.map((call) => `● ${showable(call.name)} ${showable(call.arguments)}`);
  const content = message.content === '' ? [] : [showable(message.content)];
  return `\n${[head, ...content, ...lines].join('\n')}\n`;
}

// Named one by one: what providers keep in their own fields is for them and has names of theirs.
function toRecord({ id, timestamp, message, toolStatus, copyOf }: StoredMessage) {
  const { role, content } = message;
  const base = { id, timestamp, role, content, toolStatus, copyOf };
  if (message.role === 'tool') return { ...base, toolCallId: message.toolCallId, toolName: message.toolName };
  if (message.role === 'user') return base;
  const toolCalls = message.toolCalls?.map((call) => ({ id: call.id, name: call.name, arguments: call.arguments }));
  return { ...base, reasoning: message.reasoning, toolCalls, finishReason: message.finishReason };
}
