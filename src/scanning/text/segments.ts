import { fold, wordsOnly } from './fold.ts';
import { createDeobfuscator, type Deobfuscator } from './vocabulary.ts';

const MAX_SENTENCE_LENGTH = 600;
const OVERLAP = 200;
const END = /[.!?;:]+["'”»)\]*]*(?=\s|$)|[。！？；]/g;
const FEW_WORDS = 16;

/** A scan segment: a part of a text that is scanned as a unit, such as a paragraph or a list item. */
export type ScanSegment = {
  /** Folded text on one line, with obfuscation removed. */
  text: string;
  /** The same text with words only; offsets are identical. */
  words: string;
  /** Like `words`, with one word for each address and none for variables, so that only their presence counts. */
  prose: string;
  /** The words of `prose`, and where each begins. */
  proseWords: { words: readonly string[]; offsets: readonly number[] };
  /** The offset at which each line begins. */
  lines: { offset: number; line: number }[];
  /** Whether the segment is in a code block, quote or table, where text is usually an example. */
  example: boolean;
  code: boolean;
  /** The last heading, and the text immediately before the segment. */
  heading: string;
  before: string;
};

const MAX_SEGMENT_LENGTH = 4000;
const BEFORE = 240;
const FENCE = /^\s*(?:`{3,}|~{3,})/;
const HEADING = /^\s{0,3}#{1,6}\s/;
const ITEM = /^\s*(?:[-+*•]|\d{1,3}[.)])\s/;
const QUOTE = /^\s*>/;
const LEADER = /^\s*(?:(?:[>#*+•;]+|\/\/+|--+|-(?=\s)|\d{1,3}[.)](?=\s)|<!--|\/\*+)\s*)+/;

type SegmentContext = { example: boolean; code: boolean };

/** Splits a text into segments in one pass; each line is folded once. */
export function splitIntoSegments(text: string): ScanSegment[] {
  const collector = createSegmentCollector();
  const deobfuscate = createDeobfuscator();
  let inCode = false;
  let number = 0;
  for (const raw of text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)) {
    number++;
    if (FENCE.test(raw)) {
      collector.end();
      inCode = !inCode;
      continue;
    }
    addLine(collector, deobfuscate, { raw, number, inCode });
  }
  collector.end();
  return collector.segments;
}

type RawLine = { raw: string; number: number; inCode: boolean };

function addLine(collector: SegmentCollector, deobfuscate: Deobfuscator, { raw, number, inCode }: RawLine): void {
  const { line, readings } = deobfuscate(fold(raw));
  for (const reading of readings) collector.alone(reading, number);
  const bare = line.replace(LEADER, '').trim();
  if (bare === '') return collector.blank();
  if (!inCode && HEADING.test(raw)) return collector.heading(bare, number);
  const code = inCode || /^(?: {4}|\t)/.test(raw);
  const row = /^\s*\|/.test(raw);
  const example = code || row || QUOTE.test(raw);
  const begins = ITEM.test(raw) || row || (inCode && !isProse(bare));
  collector.add(bare, number, { example, code: inCode }, begins);
}

const isProse = (line: string): boolean => !/[{}()[\]=<>;$\\|]/.test(line);

/** Most segments are never looked at by a rule, so their words are extracted when they are needed. */
function createSegment(given: Omit<ScanSegment, 'words' | 'prose' | 'proseWords'>): ScanSegment {
  let words: string | undefined;
  let prose: string | undefined;
  let proseWords: ScanSegment['proseWords'] | undefined;
  return {
    text: given.text,
    get words() {
      words ??= wordsOnly(given.text);
      return words;
    },
    get prose() {
      prose ??= wordsOnly(withoutAddresses(given.text));
      return prose;
    },
    get proseWords() {
      proseWords ??= splitWords(this.prose);
      return proseWords;
    },
    lines: given.lines,
    example: given.example,
    code: given.code,
    heading: given.heading,
    before: given.before,
  };
}

function splitWords(text: string): ScanSegment['proseWords'] {
  const [words, offsets]: [string[], number[]] = [[], []];
  for (let at = 0; at < text.length; ) {
    if (text[at] === ' ') {
      at++;
      continue;
    }
    const next = text.indexOf(' ', at);
    const end = next < 0 ? text.length : next;
    words.push(text.slice(at, end));
    offsets.push(at);
    at = end;
  }
  return { words, offsets };
}

const ADDRESSES =
  /\b(https?|wss?|ftp|sftp|mqtt|tcp)(:\/\/[^\s"'`<>)\]]+)|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+|(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])|\$\{?[a-z_][a-z0-9_]*\}?|(?<![\w@/.-])(?:[a-z0-9-]+\.)+(?:com|net|org|io|dev|app|xyz|ru|cn|site|top|info|biz|cc|tk|tld|example|invalid|onion|cloud|online|live)(?![\w.-])(?:\/[^\s"'`<>)\]]*)?/g;

/** Replaces the words of addresses, which may be any, with one that says what kind it is; the length stays the same. */
function withoutAddresses(text: string): string {
  return text.replace(ADDRESSES, (found, scheme: string | undefined, rest: string | undefined) => {
    if (scheme !== undefined) return scheme + ' '.repeat(rest?.length ?? 0);
    return kindOfAddress(found).padEnd(found.length);
  });
}

function kindOfAddress(found: string): string {
  if (found.startsWith('$')) return '';
  if (/^[\d.]+$/.test(found)) return 'ipaddr';
  return found.includes('@') ? 'atmail' : 'atsite'.slice(0, found.length);
}

type SegmentCollector = ReturnType<typeof createSegmentCollector>;

function createSegmentCollector() {
  const segments: ScanSegment[] = [];
  let open: { text: string; lines: ScanSegment['lines']; place: SegmentContext } | undefined;
  let short: { text: string; lines: ScanSegment['lines']; count: number } = { text: '', lines: [], count: 0 };
  let heading = '';
  let before = '';

  function push(text: string, lines: ScanSegment['lines'], location: SegmentContext) {
    segments.push(createSegment({ text, lines, example: location.example, code: location.code, heading, before }));
  }
  function end() {
    if (open === undefined) return;
    push(open.text, open.lines, open.place);
    before = `${before} ${open.text}`.slice(-BEFORE);
    open = undefined;
  }
  function alone(text: string, line: number, location: SegmentContext = { example: false, code: false }) {
    push(text, [{ offset: 0, line }], location);
  }
  /** Collects very short lines, because a sentence may be written one word per line. */
  function gather(text: string, line: number) {
    if (text.length <= 24 && text.split(' ').length <= 2 && short.text.length < MAX_SEGMENT_LENGTH) {
      short.lines.push({ offset: short.text.length, line });
      short.text += `${text} `;
      short.count++;
      return;
    }
    flushShort();
  }
  function flushShort() {
    if (short.count > 2) push(short.text, short.lines, { example: false, code: false });
    short = { text: '', lines: [], count: 0 };
  }
  return {
    segments,
    alone,
    blank: end,
    end() {
      end();
      flushShort();
    },
    heading(text: string, line: number) {
      end();
      gather(text, line);
      heading = text;
      before = '';
      alone(text, line);
    },
    add(text: string, line: number, place: SegmentContext, begins: boolean) {
      gather(text, line);
      if (begins || open?.place.example !== place.example || open.text.length + text.length > MAX_SEGMENT_LENGTH) end();
      open ??= { text: '', lines: [], place };
      if (open.text !== '') open.text += ' ';
      open.lines.push({ offset: open.text.length, line });
      open.text += text;
    },
  };
}

export function lineOf({ lines }: Pick<ScanSegment, 'lines'>, offset: number): number {
  let line = lines[0]?.line ?? 1;
  for (const entry of lines) {
    if (entry.offset > offset) break;
    line = entry.line;
  }
  return line;
}

export type Sentence = { start: number; end: number };

/** The sentences of a segment. Very short ones are joined with the next: `Ignore. All. Previous. …` */
export function findSentences(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  let start = 0;
  let last = 0;
  for (const match of text.matchAll(END)) {
    const end = match.index + match[0].length;
    const length = end - last;
    last = end;
    // Text after a colon belongs to the sentence.
    if (match[0].startsWith(':') || (length < FEW_WORDS && end - start < OVERLAP)) continue;
    pushBounded(sentences, start, end);
    start = end;
  }
  if (start < text.length) pushBounded(sentences, start, text.length);
  return sentences;
}

/** Text without a full stop is split into overlapping windows. */
function pushBounded(sentences: Sentence[], start: number, end: number): void {
  for (let from = start; from < end; from += MAX_SENTENCE_LENGTH - OVERLAP) {
    sentences.push({ start: from, end: Math.min(end, from + MAX_SENTENCE_LENGTH) });
    if (from + MAX_SENTENCE_LENGTH >= end) return;
  }
}
