import { showable, type Style } from '../../style.ts';
import { fitWidth, textWidth, wrapText } from '../../../text/text-width.ts';
import type { Key } from './keys.ts';

/** The last lines: which keys there are, what was done, or a question that takes all keys until it is answered. */
export interface Footer {
  isAsking(): boolean;
  press(key: Key): Promise<void> | void;
  /** Shown until the next key. */
  say(text: string): void;
  quiet(): void;
  /** A line to edit; Enter takes it, Esc does not. */
  ask(label: string, text: string, accept: (text: string) => Promise<void> | void): void;
  /** Only `y` does it. */
  confirm(question: string, accept: () => Promise<void> | void): void;
  render(help: string, columns: number, style: Style): string[];
}

type Question = { label: string; text?: string; accept(text: string): Promise<void> | void };

export function createFooter(): Footer {
  let note = '';
  let question: Question | undefined;

  function press({ name, text }: Key): Promise<void> | void {
    const open = question;
    if (open === undefined) return undefined;
    if (open.text === undefined || name === 'escape') question = undefined;
    if (open.text === undefined) {
      if (text.toLowerCase() === 'y') return open.accept('');
      note = 'Nothing was done.';
      return undefined;
    }
    if (name === 'return') {
      question = undefined;
      return open.accept(open.text);
    }
    if (name === 'backspace') open.text = [...open.text].slice(0, -1).join('');
    if (name === 'clear') open.text = '';
    if (name === 'text') open.text += text;
    return undefined;
  }

  return {
    isAsking: () => question !== undefined,
    press,
    say(text) {
      note = text;
    },
    quiet() {
      note = '';
    },
    ask(label, text, accept) {
      question = { label, text, accept };
    },
    confirm(label, accept) {
      question = { label, accept };
    },
    render(help, columns, style) {
      if (question !== undefined) return [style.yellow(questionLine(question, columns))];
      if (note !== '') return wrapText(showable(note), columns).map(style.yellow);
      return wrapText(help, columns).map(style.dim);
    },
  };
}

/** The end of what is typed is always seen. */
function questionLine({ label, text }: Question, columns: number): string {
  if (text === undefined) return `${fitWidth(showable(label), columns - 6)} [y/N]`;
  const name = `${fitWidth(showable(label), Math.floor(columns / 2))}: `;
  let shown = showable(text);
  while (textWidth(name) + textWidth(shown) + 1 > columns) shown = [...shown].slice(1).join('');
  return `${name}${shown}▏`;
}
