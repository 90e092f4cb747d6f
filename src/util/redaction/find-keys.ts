import { createOnce } from '../create-once.ts';
import { KEY_FORMATS, type KeyFormat } from './key-formats.ts';

/** A key in a text. */
type FoundKey = { from: number; to: number; format: KeyFormat };

/** A start of keys with the formats that have it, longest first. */
type Start = { text: string; format: KeyFormat };

const PAIRS = 1 << 14;

type Tables = {
  starts: ReadonlyMap<number, readonly Start[]>;
  /** Which pairs of characters begin a key; a small array that stays in the processor's cache. */
  begins: Readonly<Uint8Array>;
  /** Which ASCII characters are part of a word. */
  word: Readonly<Uint8Array>;
};

/** Created by the first text, because nothing is redacted before the first request. */
const tables = createOnce((): Tables => {
  const starts = indexStarts();
  const word = Uint8Array.from({ length: 128 }, (_, code) => (/[\w-]/.test(String.fromCharCode(code)) ? 1 : 0));
  return { starts, begins: markPairs(starts.keys()), word };
});

/** Visits only the pairs that occur. */
function indexStarts(): Map<number, Start[]> {
  const starts = KEY_FORMATS.flatMap((format) => format.starts.map((text): Start => ({ text, format })));
  return Map.groupBy(
    starts.sort((a, b) => b.text.length - a.text.length),
    ({ text }) => pairAt(text, 0),
  );
}

function markPairs(pairs: Iterable<number>): Uint8Array {
  const marks = new Uint8Array(PAIRS);
  for (const pair of pairs) marks[pair] = 1;
  return marks;
}

function pairAt(text: string, at: number): number {
  return ((text.charCodeAt(at) & 127) << 7) | (text.charCodeAt(at + 1) & 127);
}

/** Replaces the keys of all formats. The replacement returns undefined for what it leaves alone. */
export function replaceKeys(text: string, replace: (key: string, format: KeyFormat) => string | undefined): string {
  let result = '';
  let done = 0;
  for (const { from, to, format } of findKeys(text)) {
    const replacement = replace(text.slice(from, to), format);
    if (replacement === undefined) continue;
    result += text.slice(done, from) + replacement;
    done = to;
  }
  return done === 0 ? text : result + text.slice(done);
}

/** Whether a value starts like a key of a vendor, whatever its name. */
export function looksLikeKey(value: string): boolean {
  return keyAt(value, 0) !== undefined || /^\d{8,10}:AA[\w-]{33}/.test(value);
}

function findKeys(text: string): FoundKey[] {
  const found: FoundKey[] = [];
  const { begins, word } = tables();
  let code = text.charCodeAt(0);
  for (let at = 0, last = text.length - 1; at < last; at += 1) {
    const next = text.charCodeAt(at + 1);
    const isCandidate = begins[((code & 127) << 7) | (next & 127)] === 1 && isBoundary(text, at, word);
    code = next;
    if (!isCandidate) continue;
    const key = keyAt(text, at);
    if (key === undefined) continue;
    found.push(key);
    at = key.to - 1;
    code = text.charCodeAt(key.to);
  }
  return found;
}

function keyAt(text: string, at: number): FoundKey | undefined {
  for (const { text: start, format } of tables().starts.get(pairAt(text, at)) ?? []) {
    if (!text.startsWith(start, at)) continue;
    format.rest.lastIndex = at + start.length;
    const rest = format.rest.exec(text);
    if (rest !== null) return { from: at, to: rest.index + rest[0].length, format };
  }
  return undefined;
}

/** A key does not begin within a word, except after an escape such as `\n` or `%3D`. */
function isBoundary(text: string, at: number, word: Tables['word']): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  if (before > 127 || word[before] === 0) return true;
  if (text[at - 2] === '\\') return 'nrt'.includes(text[at - 1] ?? ' ');
  return text[at - 3] === '%' && /^[0-9A-Fa-f]{2}$/.test(text.slice(at - 2, at));
}
