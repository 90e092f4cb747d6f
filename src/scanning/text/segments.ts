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
  /** The same text as it was written; a decoded line is as it was decoded. */
  original: string;
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
type FoldedLine = { text: string; original: string; number: number };

function addLine(collector: SegmentCollector, deobfuscate: Deobfuscator, { raw, number, inCode }: RawLine): void {
  const { line, readings } = deobfuscate(fold(raw));
  const original = raw.replace(LEADER, '').trim();
  for (const text of readings) collector.alone({ text, original: text, number });
  const text = line.replace(LEADER, '').trim();
  if (text === '') return collector.blank();
  if (!inCode && HEADING.test(raw)) return collector.heading({ text, original, number });
  const isRow = /^\s*\|/.test(raw);
  collector.add({ text, original, number }, ITEM.test(raw) || isRow || (inCode && !isProse(text)));
}

const isProse = (line: string): boolean => !/[{}()[\]=<>;$\\|]/.test(line);

type SegmentCollector = ReturnType<typeof createSegmentCollector>;

function createSegmentCollector() {
  const segments: ScanSegment[] = [];
  let open: ScanSegment | undefined;
  let short = emptySegment();

  function end() {
    if (open !== undefined) segments.push(open);
    open = undefined;
  }
  function alone(line: FoldedLine) {
    segments.push(append(emptySegment(), line));
  }
  /** Collects very short lines, because a sentence may be written one word per line. */
  function gather(line: FoldedLine) {
    const { text } = line;
    if (text.length <= 24 && text.split(' ').length <= 2 && short.text.length < MAX_SEGMENT_LENGTH) {
      append(short, line);
      return;
    }
    flushShort();
  }
  function flushShort() {
    if (short.lines.length > 2) segments.push(short);
    short = emptySegment();
  }
  return {
    segments,
    alone,
    blank: end,
    end() {
      end();
      flushShort();
    },
    heading(line: FoldedLine) {
      end();
      gather(line);
      alone(line);
    },
    add(line: FoldedLine, begins: boolean) {
      gather(line);
      if (begins || (open !== undefined && open.text.length + line.text.length > MAX_SEGMENT_LENGTH)) end();
      open ??= emptySegment();
      append(open, line);
    },
  };
}

const emptySegment = (): ScanSegment => ({ text: '', original: '', lines: [] });

function append(segment: ScanSegment, { text, original, number }: FoldedLine): ScanSegment {
  const isFirst = segment.lines.length === 0;
  segment.text += isFirst ? '' : ' ';
  segment.original += isFirst ? '' : ' ';
  segment.lines.push({ offset: segment.text.length, line: number });
  segment.text += text;
  segment.original += original;
  return segment;
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

/** A sentence of a segment as it was written; undefined if the segment was obfuscated and has no such sentence. */
export function originalOf(segment: ScanSegment, start: number): string | undefined {
  const sentences = findSentences(segment.text);
  const originals = findSentences(segment.original);
  const original = originals[sentences.findIndex((sentence) => sentence.start === start)];
  if (original === undefined || originals.length !== sentences.length) return undefined;
  return segment.original.slice(original.start, original.end);
}

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
