import { emitKeypressEvents, type Interface } from 'node:readline';
import type { ReadStream } from 'node:tty';
import type { CliIo } from '../../cli-io.ts';

export type KeyName =
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

/** A press of a key; `text` is what it would type. */
export type Key = { name: KeyName; text: string };

const NAMED: ReadonlySet<string> = new Set(['up', 'down', 'pageup', 'pagedown', 'home', 'end', 'escape', 'backspace']);

/** How long the beginning of an escape sequence may stand alone before it counts as the key of that name. */
const ESCAPE_MS = 60;

/** Hands over the keys one by one, until the returned function is called. */
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
