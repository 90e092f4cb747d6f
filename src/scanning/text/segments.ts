import { fold } from './fold.ts';
import { createDeobfuscator, type Deobfuscator } from './vocabulary.ts';

const MAX_SENTENCE_LENGTH = 600;
const OVERLAP = 200;
const END = /[.!?;:]+["'”»)\]*]*(?=\s|$)|[。！？；]/g;
const FEW_WORDS = 16;

/** A scan segment: a part of a text that is scanned as a unit, such as a paragraph or a list item. */
export type ScanSegment = {
  /** Folded text on one line, with obfuscation removed. */
  text: string;
  /** The offset at which each line begins. */
  lines: { offset: number; line: number }[];
};

const MAX_SEGMENT_LENGTH = 4000;
const FENCE = /^\s*(?:`{3,}|~{3,})/;
const HEADING = /^\s{0,3}#{1,6}\s/;
const ITEM = /^\s*(?:[-+*•]|\d{1,3}[.)])\s/;
const LEADER = /^\s*(?:(?:[>#*+•;]+|\/\/+|--+|-(?=\s)|\d{1,3}[.)](?=\s)|<!--|\/\*+)\s*)+/;

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
  const isRow = /^\s*\|/.test(raw);
  collector.add(bare, number, ITEM.test(raw) || isRow || (inCode && !isProse(bare)));
}

const isProse = (line: string): boolean => !/[{}()[\]=<>;$\\|]/.test(line);

type SegmentCollector = ReturnType<typeof createSegmentCollector>;

function createSegmentCollector() {
  const segments: ScanSegment[] = [];
  let open: ScanSegment | undefined;
  let short: ScanSegment = { text: '', lines: [] };

  function end() {
    if (open !== undefined) segments.push(open);
    open = undefined;
  }
  function alone(text: string, line: number) {
    segments.push({ text, lines: [{ offset: 0, line }] });
  }
  /** Collects very short lines, because a sentence may be written one word per line. */
  function gather(text: string, line: number) {
    if (text.length <= 24 && text.split(' ').length <= 2 && short.text.length < MAX_SEGMENT_LENGTH) {
      short.lines.push({ offset: short.text.length, line });
      short.text += `${text} `;
      return;
    }
    flushShort();
  }
  function flushShort() {
    if (short.lines.length > 2) segments.push(short);
    short = { text: '', lines: [] };
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
      alone(text, line);
    },
    add(text: string, line: number, begins: boolean) {
      gather(text, line);
      if (begins || (open !== undefined && open.text.length + text.length > MAX_SEGMENT_LENGTH)) end();
      open ??= { text: '', lines: [] };
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
