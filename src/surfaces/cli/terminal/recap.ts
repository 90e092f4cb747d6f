import type { Message } from '../../../base/index.ts';
import type { SessionRecord, TurnRecord } from '../../../contracts/index.ts';
import { shorten } from '../../../util/index.ts';
import { type Style, showable } from '../style.ts';

const LONGEST = 300;

/** What a person needs to know to go on: the last exchange, and what was left unfinished. */
export function formatRecap(
  session: SessionRecord,
  messages: readonly Message[],
  lastTurn: TurnRecord | undefined,
  style: Style,
): string {
  const name = showable(session.title === undefined ? session.id : `${session.title} (${session.id})`);
  const lines = [`Going on with ${name}, ${messages.length} messages.`];
  const asked = messages.findLastIndex((message) => message.role === 'user');
  const question = messages[asked];
  if (question !== undefined) lines.push(`${style.cyan('❯')} ${brief(question.content || filesOf(question))}`);
  const after = messages.slice(asked + 1);
  const answer = after.findLast((message) => message.role === 'assistant' && message.content !== '');
  if (answer !== undefined) lines.push(brief(answer.content));
  const left = messages.length === 0 ? undefined : unfinished(after, lastTurn);
  if (left !== undefined) lines.push(style.yellow(`! ${left}`));
  return `${lines.join('\n')}\n`;
}

/** For a message that is nothing but its attachments. */
function filesOf(message: Message): string {
  const attachments = message.role === 'user' ? (message.attachments ?? []) : [];
  return attachments.map(({ name }) => `[${name}]`).join(' ');
}

function brief(text: string): string {
  return shorten(showable(text), LONGEST);
}

function unfinished(after: readonly Message[], lastTurn: TurnRecord | undefined): string | undefined {
  const results = new Set(after.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])));
  const calls = after.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  const open = calls.filter((call) => !results.has(call.id)).map((call) => showable(call.name));
  if (open.length > 0) return `The program ended while these calls ran: ${open.join(', ')}. They are not repeated.`;
  const newest = after.at(-1);
  const answered = newest?.role === 'assistant' && (newest.toolCalls ?? []).length === 0;
  if (!answered) return `The last turn did not end with an answer${because(lastTurn)}. Say "go on" to continue.`;
  return lastTurn === undefined || lastTurn.exitReason === 'completed'
    ? undefined
    : `The last turn ended${because(lastTurn)}.`;
}

function because(turn: TurnRecord | undefined): string {
  return turn === undefined || turn.exitReason === 'completed' ? '' : ` (${showable(turn.exitReason)})`;
}
