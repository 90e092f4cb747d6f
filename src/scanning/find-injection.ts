import { type CertainFinder, createCertainFinder } from './certain-checks.ts';
import { type Classifier, createClassifier } from './classifier/classifier.ts';
import { createTokenizer, type Token, type Tokenizer } from './classifier/tokens.ts';
import { FAMILY_MEANINGS } from './families.ts';
import type { DoubtfulPassage, Finding, Inspection, ScanScope } from './finding.ts';
import { findHiddenText, findInvisibleCharacters } from './hidden-text.ts';
import { decodeRuns } from './text/decode.ts';
import { findSentences, lineOf, originalOf, type ScanSegment, splitIntoSegments } from './text/segments.ts';

const MAX_TEXT_LENGTH = 4_000_000;
const MAX_FINDINGS = 20;
const EXCERPT_LENGTH = 120;
/** Two sentences with more tokens than this are only scanned one by one. */
export const MAX_PASSAGE_TOKENS = 90;
/** Two sentences are only scored together if one of them scores at least this, because others hardly reach zero. */
const PAIR_SCORE = -0.7;
/** Sentences with a score between this and zero are doubtful: nine in ten attacks score higher, and few other texts. */
const DOUBT_SCORE = -0.85;
/** More doubtful passages than this are not reported; those with the highest scores are kept. */
const MAX_DOUBTFUL = 120;
const DOUBTFUL_LENGTH = 600;

/** All findings in a text, ordered by line. The time is linear in the length of the text. */
export function findInjection(text: string, scope: ScanScope): Finding[] {
  return inspectText(text, scope).findings;
}

/** The findings in a text, and the passages that are nearly findings. */
export function inspectText(text: string, scope: ScanScope): Inspection {
  const part = text.slice(0, MAX_TEXT_LENGTH);
  const { findings: inSegments, doubtful } = inspectSegments(part, scope);
  const findings = [
    ...findInvisibleCharacters(part),
    ...findHiddenText(part),
    ...inSegments,
    ...findDecoded(part, scope),
  ];
  if (text.length > MAX_TEXT_LENGTH) findings.push(TOO_LONG);
  // Overlapping sentences may yield the same finding twice.
  const different = new Map(findings.map((finding) => [`${finding.rule} ${finding.line}`, finding]));
  const ordered = [...different.values()].sort((one, other) => one.line - other.line);
  return { findings: ordered.slice(0, MAX_FINDINGS), doubtful };
}

/** Text that was not scanned counts as a finding. */
const TOO_LONG: Finding = {
  rule: 'too-long',
  category: 'size',
  line: 1,
  excerpt: '',
  reason: 'is too long to scan',
};

type Scanner = { tokenize: Tokenizer; classifier: Classifier; certain: Record<ScanScope, CertainFinder> };

/** Built at the first scan, because it takes a few milliseconds. */
const scanner = once((): Scanner => {
  const certain = {
    any: createCertainFinder('any'),
    context: createCertainFinder('context'),
    strict: createCertainFinder('strict'),
  };
  return { tokenize: createTokenizer(), classifier: createClassifier(), certain };
});

function once<Value>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= create();
    return value;
  };
}

/** A sentence of a text with its tokens. */
export type ScannedSentence = { segment: ScanSegment; start: number; end: number; tokens: Token[] };

/** The sentences of a segment in order. */
export function sentencesIn(segment: ScanSegment, tokenize: Tokenizer): ScannedSentence[] {
  return findSentences(segment.text)
    .map(({ start, end }) => ({ segment, start, end, tokens: tokenize(segment.text.slice(start, end)) }))
    .filter(({ tokens }) => tokens.length > 0);
}

function inspectSegments(text: string, scope: ScanScope): Inspection {
  const { tokenize, classifier, certain } = scanner();
  const findings: Finding[] = [];
  const sentences: ScannedSentence[] = [];
  for (const segment of splitIntoSegments(text)) {
    const found = certain[scope](segment.text);
    if (found !== undefined) {
      const { rule, category, reason } = found.check;
      findings.push({ rule, category, reason, ...positionOf(segment, found.start) });
    }
    sentences.push(...sentencesIn(segment, tokenize));
  }
  const scores = sentences.map(({ tokens }) => classifier.score(tokens, 1));
  return {
    findings: [...findings.slice(0, MAX_FINDINGS), ...classify(sentences, scores, classifier)],
    doubtful: findDoubtful(sentences, scores, classifier),
  };
}

/** Scores each sentence, and then each pair of sentences in which neither is a finding on its own. */
function classify(sentences: readonly ScannedSentence[], scores: readonly number[], classifier: Classifier): Finding[] {
  const findings: Finding[] = [];
  for (let at = 0; at < sentences.length && findings.length < MAX_FINDINGS; at++) {
    const sentence = sentences[at] as ScannedSentence;
    const [score, next] = [scores[at] as number, scores[at + 1] ?? Number.NEGATIVE_INFINITY];
    const isPair = score <= 0 && next <= 0 && Math.max(score, next) > PAIR_SCORE;
    const tokens = isPair ? joinNext(sentences, at) : sentence.tokens;
    if (score <= 0 && !(isPair && classifier.score(tokens, 2) > 0)) continue;
    findings.push(findingAt(sentence, tokens, classifier));
  }
  return findings;
}

/** The doubtful sentences, in their order. */
function findDoubtful(
  sentences: readonly ScannedSentence[],
  scores: readonly number[],
  classifier: Classifier,
): DoubtfulPassage[] {
  return [...scores.keys()]
    .filter((at) => (scores[at] as number) > DOUBT_SCORE && (scores[at] as number) <= 0)
    .sort((one, other) => (scores[other] as number) - (scores[one] as number))
    .slice(0, MAX_DOUBTFUL)
    .sort((one, other) => one - other)
    .map((at) => {
      const sentence = sentences[at] as ScannedSentence;
      return { text: withNeighbours(sentences, at), finding: findingAt(sentence, sentence.tokens, classifier) };
    });
}

/**
 * A sentence together with those before and after it, which may say that it is an example. They are quoted as they were
 * written, because a model reads folded text of other scripts and of commands badly.
 */
function withNeighbours(sentences: readonly ScannedSentence[], at: number): string {
  return sentences
    .slice(Math.max(0, at - 1), at + 2)
    .map(({ segment, start, end }) => originalOf(segment, start) ?? segment.text.slice(start, end))
    .map((sentence) => sentence.trim().slice(0, DOUBTFUL_LENGTH))
    .join(' ');
}

function findingAt({ segment, start }: ScannedSentence, tokens: readonly Token[], classifier: Classifier): Finding {
  const rule = classifier.familyOf(tokens);
  const { category, reason } = FAMILY_MEANINGS[rule] as { category: Finding['category']; reason: string };
  return { rule: rule.replaceAll('_', '-'), category, reason, ...positionOf(segment, start) };
}

/** The tokens of a sentence and the next one; none if that is too long. */
function joinNext(sentences: readonly ScannedSentence[], at: number): Token[] {
  const [one, other] = [sentences[at], sentences[at + 1]];
  if (one === undefined || other === undefined) return [];
  return one.tokens.length + other.tokens.length > MAX_PASSAGE_TOKENS ? [] : [...one.tokens, ...other.tokens];
}

function positionOf(segment: ScanSegment, start: number): { line: number; excerpt: string } {
  const from = start + (segment.text.slice(start).match(/^\s*/)?.[0].length ?? 0);
  return { line: lineOf(segment, from), excerpt: segment.text.slice(from, from + EXCERPT_LENGTH).trim() };
}

/** Scans decoded text like any other text. */
function findDecoded(text: string, scope: ScanScope): Finding[] {
  return decodeRuns(text).flatMap(({ offset, text: decoded }) => {
    const [inside] = inspectSegments(decoded, scope).findings;
    if (inside === undefined) return [];
    const line = text.slice(0, offset).split('\n').length;
    const reason = `contains encoded text that ${inside.reason}`;
    return [{ ...inside, rule: `encoded-${inside.rule}`, category: 'encoded', reason, line }];
  });
}
