import { attachmentsOf } from '../../../base/index.ts';
import type { StoredMessage } from '../../../contracts/index.ts';
import { localTime } from '../../../util/index.ts';
import { printable, type Style } from '../style.ts';
import { formatBytes } from './format-bytes.ts';

/** Formats a message for the terminal. */
export function formatMessage({ message, timestamp, toolStatus, isReplacement }: StoredMessage, style: Style): string {
  const tool =
    message.role === 'tool' ? ` ${message.toolName}${toolStatus === undefined ? '' : `, ${toolStatus}`}` : '';
  // A replacement for earlier messages has a role only because the provider requires one.
  const role = isReplacement ? 'replaces earlier messages' : message.role;
  const head = style.cyan(`── ${localTime(timestamp)}  ${role}${printable(tool)}`);
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  const lines = calls.map((call) => `● ${printable(call.name)} ${printable(call.arguments)}`);
  const content = message.content === '' ? [] : [printable(message.content)];
  const files = attachmentsOf(message).map(
    ({ name, mediaType, size }) => `▣ ${printable(name)} (${printable(mediaType)}, ${formatBytes(size)})`,
  );
  return `\n${[head, ...content, ...files, ...lines].join('\n')}\n`;
}

/** The JSON output of a message. */
// Fields are listed explicitly, to leave out the native fields of providers.
export function toRecord({ id, timestamp, message, toolStatus, copyOf, isReplacement }: StoredMessage) {
  const { role, content } = message;
  const base = { id, timestamp, role, content, toolStatus, copyOf, isReplacement };
  if (message.role === 'tool') {
    const { toolCallId, toolName, attachments } = message;
    return { ...base, toolCallId, toolName, attachments };
  }
  if (message.role === 'user') return { ...base, attachments: message.attachments };
  const toolCalls = message.toolCalls?.map((call) => ({ id: call.id, name: call.name, arguments: call.arguments }));
  return { ...base, reasoning: message.reasoning, toolCalls, finishReason: message.finishReason };
}

/** The relation of a session to its parent, to be followed by the parent's id. */
export function parentLabel({ isBranch, isDelegated }: { isBranch?: boolean; isDelegated?: boolean }): string {
  if (isBranch) return 'branch of';
  return isDelegated ? 'subagent of' : 'continues';
}
