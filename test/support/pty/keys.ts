/** The bytes that a terminal sends for a key, without any protocol that a program has to enable. */
const KEYS = {
  enter: '\r',
  esc: '\u001b',
  tab: '\t',
  'shift-tab': '\u001b[Z',
  backspace: '\u007f',
  delete: '\u001b[3~',
  up: '\u001b[A',
  down: '\u001b[B',
  right: '\u001b[C',
  left: '\u001b[D',
  home: '\u001b[H',
  end: '\u001b[F',
  'page-up': '\u001b[5~',
  'page-down': '\u001b[6~',
  'shift-enter': '\u001b[13;2u',
  'alt-enter': '\u001b\r',
  'alt-up': '\u001b[1;3A',
} as const;

export type Key = keyof typeof KEYS | `ctrl-${string}` | `alt-${string}`;

export function keyBytes(key: Key): string {
  const known = (KEYS as Record<string, string>)[key];
  if (known !== undefined) return known;
  const [, modifier, letter] = /^(ctrl|alt)-([a-z])$/.exec(key) ?? [];
  if (letter === undefined) throw new Error(`Unknown key "${key}".`);
  return modifier === 'alt' ? `\u001b${letter}` : String.fromCharCode(letter.charCodeAt(0) & 0x1f);
}

/** A paste in bracketed paste mode. */
export function pasteBytes(text: string): string {
  return `\u001b[200~${text.replaceAll('\n', '\r')}\u001b[201~`;
}
