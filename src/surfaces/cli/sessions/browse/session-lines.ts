import type { SessionRecord, StoredMessage } from '../../../../contracts/index.ts';
import { type Style, showable } from '../../style.ts';
import { wrapText } from '../../../text/text-width.ts';
import { localTime } from '../../../../util/index.ts';
import { parentLabel } from '../parent-label.ts';

/** A line of a session on the screen; `paint` says how it looks, so that widths are those of the text alone. */
export type ScreenLine = { text: string; paint?: keyof Style; messageId?: number };

/** More of one message is for `show` and `export`. */
const LINES_PER_MESSAGE = 400;

export function headLines(session: SessionRecord, columns: number): ScreenLine[] {
  const { id, title, source, model, messageCount, parentSessionId } = session;
  const parent = parentSessionId === undefined ? '' : `, ${parentLabel(session)} ${parentSessionId}`;
  const facts = `${id}, ${source}${model === undefined ? '' : `, ${model}`}, messages: ${messageCount}${parent}`;
  return [
    ...lines(title ?? `Session ${id}`, columns, 'bold'),
    ...lines(`${facts}, started ${localTime(session.startedAt)}`, columns, 'dim'),
  ];
}

export function messageLines({ id, message, timestamp, toolStatus }: StoredMessage, columns: number): ScreenLine[] {
  const tool =
    message.role === 'tool' ? ` ${message.toolName}${toolStatus === undefined ? '' : `, ${toolStatus}`}` : '';
  const [head, ...more] = lines(`── ${localTime(timestamp)}  ${message.role}${tool}`, columns, 'cyan');
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  const body = [
    ...(message.content === '' ? [] : lines(message.content, columns)),
    ...calls.flatMap((call) => lines(`● ${call.name} ${call.arguments}`, columns, 'yellow')),
  ];
  const cut = body.slice(0, LINES_PER_MESSAGE);
  const left = body.length - cut.length;
  const rest = left === 0 ? [] : lines(`… ${left} more lines, which show and export have`, columns, 'dim');
  return [{ text: '' }, { ...head, text: head?.text ?? '', messageId: id }, ...more, ...cut, ...rest];
}

function lines(text: string, columns: number, paint?: keyof Style): ScreenLine[] {
  return wrapText(showable(text), columns).map((line) =>
    paint === undefined ? { text: line } : { text: line, paint },
  );
}
