import type { SessionRecord, StoredMessage } from '../../../../contracts/index.ts';
import type { Key } from './keys.ts';
import { headLines, messageLines, type ScreenLine } from './session-lines.ts';
import type { View } from './view.ts';

export type SessionActions = Record<'resume' | 'exportIt' | 'rename' | 'remove' | 'back', () => void>;

/** One session to read, page by page, and what can be done with it. */
export function createSessionView(
  session: SessionRecord,
  messages: readonly StoredMessage[],
  options: SessionActions & { showMessage?: number },
): View {
  let lines: ScreenLine[] = [];
  let [width, top] = [0, 0];
  let wanted = options.showMessage;

  /** Broken into lines anew where the terminal has become wider or narrower. */
  function layOut(columns: number): void {
    if (columns === width) return;
    const share = lines.length === 0 ? 0 : top / lines.length;
    width = columns;
    lines = [...headLines(session, columns), ...messages.flatMap((stored) => messageLines(stored, columns))];
    top = Math.round(share * lines.length);
    const place = lines.findIndex(({ messageId }) => messageId !== undefined && messageId === wanted);
    if (place >= 0) top = place;
    wanted = undefined;
  }

  const keys: Readonly<Record<string, () => void>> = {
    ...{ r: options.resume, e: options.exportIt, n: options.rename, d: options.remove, q: options.back },
    g: () => move(-lines.length),
    G: () => move(lines.length),
    ' ': () => move(page),
  };
  let page = 1;
  const move = (by: number) => {
    top = Math.max(0, Math.min(lines.length - page, top + by));
  };

  function press({ name, text }: Key): void {
    const moves: Partial<Record<Key['name'], number>> = {
      ...{ up: -1, down: 1, pageup: -page, pagedown: page, home: -lines.length, end: lines.length },
    };
    const by = moves[name];
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
