import { emitKeypressEvents, type Interface } from 'node:readline';
import type { ReadStream } from 'node:tty';
import { fitWidth, textWidth, wrapText } from '../../../../util/text-width.ts';
import type { CliIo } from '../../cli-io.ts';
import { printable, type Style } from '../../style.ts';

export type Size = { columns: number; rows: number; style: Style };

/** The content above the footer, and its key bindings. */
export interface View {
  render(size: Size): string[];
  /** The key bindings, shown in the footer. */
  help(): string;
  press(key: Key, rows: number): Promise<void> | void;
}

type KeyName =
  | 'up'
  | 'down'
  | 'pageup'
  | 'pagedown'
  | 'home'
  | 'end'
  | 'return'
  | 'escape'
  | 'backspace'
  | 'clear'
  | 'interrupt'
  | 'text';

/** A key press; `text` is the character it types. */
export type Key = { name: KeyName; text: string };

/** How many rows a key moves the selection, given the page size; undefined for other keys. */
export function scrollStep(name: KeyName, page: number, total: number): number | undefined {
  const steps: Partial<Record<KeyName, number>> = {
    up: -1,
    down: 1,
    pageup: -page,
    pagedown: page,
    home: -total,
    end: total,
  };
  return steps[name];
}

const NAMED: ReadonlySet<string> = new Set(['up', 'down', 'pageup', 'pagedown', 'home', 'end', 'escape', 'backspace']);

/** How long an escape character may stand alone before it counts as the Esc key. */
const ESCAPE_MS = 60;

/** Calls `onKey` for each key press until the returned function is called. */
export function listenForKeys(io: CliIo, onKey: (key: Key) => void): () => void {
  const stdin = io.stdin as ReadStream;
  const listener = (text: string | undefined, pressed: { name?: string; ctrl?: boolean; meta?: boolean }) => {
    const key = readKey(text ?? '', pressed);
    if (key !== undefined) onKey(key);
  };
  emitKeypressEvents(stdin, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
  stdin.setRawMode(true);
  stdin.on('keypress', listener);
  stdin.resume();
  return () => {
    stdin.off('keypress', listener);
    stdin.setRawMode(false);
    stdin.pause();
  };
}

function readKey(text: string, pressed: { name?: string; ctrl?: boolean; meta?: boolean }): Key | undefined {
  const { name = '', ctrl = false, meta = false } = pressed;
  if (ctrl) return readControl(name);
  if (name === 'return' || name === 'enter') return { name: 'return', text: '' };
  if (NAMED.has(name)) return { name: name as KeyName, text: '' };
  // oxlint-disable-next-line no-control-regex
  if (meta || text === '' || /[\u0000-\u001f\u007f]/.test(text)) return undefined;
  return { name: 'text', text };
}

function readControl(name: string): Key | undefined {
  if (name === 'c' || name === 'd') return { name: 'interrupt', text: '' };
  if (name === 'u') return { name: 'clear', text: '' };
  if (name === 'p') return { name: 'up', text: '' };
  return name === 'n' ? { name: 'down', text: '' } : undefined;
}

/** The last lines of the screen: key bindings, a message, or a question that receives all keys until it is answered. */
export interface Footer {
  isAsking(): boolean;
  press(key: Key): Promise<void> | void;
  /** Shows a message until the next key press. */
  say(text: string): void;
  quiet(): void;
  /** Asks for a line of text; Enter accepts it, Esc cancels. */
  ask(label: string, text: string, accept: (text: string) => Promise<void> | void): void;
  /** Asks a yes/no question; any key but `y` means no. */
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
      note = 'Cancelled.';
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
      if (note !== '') return wrapText(printable(note), columns).map(style.yellow);
      return wrapText(help, columns).map(style.dim);
    },
  };
}

/** Long input is cut at the start, so that its end stays visible. */
function questionLine({ label, text }: Question, columns: number): string {
  if (text === undefined) return `${fitWidth(printable(label), columns - 6)} [y/N]`;
  const name = `${fitWidth(printable(label), Math.floor(columns / 2))}: `;
  let shown = printable(text);
  while (textWidth(name) + textWidth(shown) + 1 > columns) shown = [...shown].slice(1).join('');
  return `${name}${shown}▏`;
}
