import type { SessionRecord, StoredMessage } from '../../../../contracts/index.ts';
import { localTime } from '../../../../util/index.ts';
import { wrapText } from '../../../../util/text-width.ts';
import { printable, type Style } from '../../style.ts';
import { parentLabel } from '../format-message.ts';
import { type Key, scrollStep, type View } from './view.ts';

export type SessionActions = Record<'resume' | 'exportIt' | 'rename' | 'remove' | 'back', () => void>;

/** Displays one session page by page, with its actions. */
export function createSessionView(
  session: SessionRecord,
  messages: readonly StoredMessage[],
  options: SessionActions & { showMessage?: number },
): View {
  let lines: ScreenLine[] = [];
  let [width, top] = [0, 0];
  let wanted = options.showMessage;

  /** Wraps the lines again when the width of the terminal has changed. */
  function layOut(columns: number): void {
    if (columns === width) return;
    const share = lines.length === 0 ? 0 : top / lines.length;
    width = columns;
    lines = [...headLines(session, columns), ...messages.flatMap((stored) => messageLines(stored, columns))];
    top = Math.round(share * lines.length);
    const index = lines.findIndex(({ messageId }) => messageId !== undefined && messageId === wanted);
    if (index >= 0) top = index;
    wanted = undefined;
  }

  const keys: Readonly<Record<string, () => void>> = {
    r: options.resume,
    e: options.exportIt,
    n: options.rename,
    d: options.remove,
    q: options.back,
    g: () => move(-lines.length),
    G: () => move(lines.length),
    ' ': () => move(page),
  };
  let page = 1;
  const move = (by: number) => {
    top = Math.max(0, Math.min(lines.length - page, top + by));
  };

  function press({ name, text }: Key): void {
    const by = scrollStep(name, page, lines.length);
    if (by !== undefined) move(by);
    else if (name === 'escape' || name === 'backspace') options.back();
    else if (name === 'return') options.resume();
    else keys[text]?.();
  }

  return {
    press,
    help: () => 'r resume · e export · n rename · d delete · ↑↓ Space page · Esc back',
    render({ columns, rows, style }) {
      page = Math.max(1, rows);
      layOut(columns);
      move(0);
      return lines.slice(top, top + page).map(({ text, paint }) => (paint === undefined ? text : style[paint](text)));
    },
  };
}

/** One line of a session. Its style (`paint`) is stored separately, so that widths are computed from the text alone. */
type ScreenLine = { text: string; paint?: keyof Style; messageId?: number };

/** The rest of a longer message can be read with `show` or `export`. */
const LINES_PER_MESSAGE = 400;

function headLines(session: SessionRecord, columns: number): ScreenLine[] {
  const { id, title, source, model, messageCount, parentSessionId } = session;
  const parent = parentSessionId === undefined ? '' : `, ${parentLabel(session)} ${parentSessionId}`;
  const facts = `${id}, ${source}${model === undefined ? '' : `, ${model}`}, messages: ${messageCount}${parent}`;
  return [
    ...toLines(title ?? `Session ${id}`, columns, 'bold'),
    ...toLines(`${facts}, started ${localTime(session.startedAt)}`, columns, 'dim'),
  ];
}

function messageLines({ id, message, timestamp, toolStatus }: StoredMessage, columns: number): ScreenLine[] {
  const tool =
    message.role === 'tool' ? ` ${message.toolName}${toolStatus === undefined ? '' : `, ${toolStatus}`}` : '';
  const [head, ...more] = toLines(`── ${localTime(timestamp)}  ${message.role}${tool}`, columns, 'cyan');
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  const body = [
    ...(message.content === '' ? [] : toLines(message.content, columns)),
    ...calls.flatMap((call) => toLines(`● ${call.name} ${call.arguments}`, columns, 'yellow')),
  ];
  const cut = body.slice(0, LINES_PER_MESSAGE);
  const left = body.length - cut.length;
  const rest = left === 0 ? [] : toLines(`… ${left} more lines; use show or export to read them`, columns, 'dim');
  return [{ text: '' }, { ...head, text: head?.text ?? '', messageId: id }, ...more, ...cut, ...rest];
}

function toLines(text: string, columns: number, paint?: keyof Style): ScreenLine[] {
  return wrapText(printable(text), columns).map((line) =>
    paint === undefined ? { text: line } : { text: line, paint },
  );
}
