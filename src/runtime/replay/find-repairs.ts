import type { Message } from '../../base/index.ts';
import { redactSecrets, shorten } from '../../util/index.ts';

const SHOWN = 60;

/**
 * What had to be mended of a history before it could be sent: messages that were left out, and such as nobody wrote.
 * Blanks at the ends of texts are always taken off, and are not worth a word.
 */
export function findRepairs(history: readonly Message[], sent: readonly Message[]): string[] {
  const [there, wanted] = [new Set(sent.map(contentOf)), new Set(history.map(contentOf))];
  const left = history.flatMap((message, index) =>
    there.has(contentOf(message)) ? [] : [`message ${index + 1} (${describe(message)}) is left out or changed`],
  );
  const added = sent.flatMap((message, index) =>
    wanted.has(contentOf(message)) ? [] : [`message ${index + 1} of the request (${describe(message)}) is put in`],
  );
  return [...left, ...added];
}

/** What counts of a message; files are in other forms when they are sent. */
function contentOf(message: Message): string {
  if (message.role === 'user' && message.attachments?.length) return 'user with files';
  const text = message.role === 'user' ? (message.sentContent ?? message.content) : message.content;
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [];
  const link = message.role === 'tool' ? message.toolCallId : '';
  return JSON.stringify([message.role, text.trim(), calls, link]);
}

function describe(message: Message): string {
  const name = message.role === 'tool' ? `result of ${message.toolName ?? 'a tool'}` : message.role;
  return `${name}: ${shorten(redactSecrets(message.content).replaceAll(/\s+/g, ' ').trim(), SHOWN)}`;
}
