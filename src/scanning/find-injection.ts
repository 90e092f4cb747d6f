import type { Finding, ScanScope } from './finding.ts';
import { findHiddenText, findInvisibleCharacters } from './hidden-text.ts';
import { isMention } from './mention.ts';
import { SENTENCE_RULES } from './rules/index.ts';
import type { ScanRule } from './scan-rule.ts';
import { decodeRuns } from './text/decode.ts';
import { findSentences, splitIntoSegments, lineOf, type Sentence, type ScanSegment } from './text/segments.ts';

const MAX_TEXT_LENGTH = 4_000_000;
const MAX_FINDINGS = 20;
const EXCERPT_LENGTH = 120;
const MAX_MATCHES_PER_SENTENCE = 8;
const SCOPES: readonly ScanScope[] = ['any', 'context', 'strict'];
/** A hash of two adjacent characters with 16,384 values; some pairs collide. */
const PAIRS = 1 << 14;

/** All findings in a text, ordered by line. The time is linear in the length of the text. */
export function findInjection(text: string, scope: ScanScope): Finding[] {
  const part = text.slice(0, MAX_TEXT_LENGTH);
  const findings = [
    ...findInvisibleCharacters(part),
    ...findHiddenText(part),
    ...findInSentences(part, scope),
    ...findDecoded(part, scope),
  ];
  if (text.length > MAX_TEXT_LENGTH) findings.push(TOO_LONG);
  // Overlapping sentences may yield the same finding twice.
  const different = new Map(findings.map((finding) => [`${finding.rule} ${finding.line}`, finding]));
  return [...different.values()].sort((one, other) => one.line - other.line).slice(0, MAX_FINDINGS);
}

/** Text that was not scanned counts as a finding. */
const TOO_LONG: Finding = {
  rule: 'too-long',
  category: 'size',
  line: 1,
  excerpt: '',
  reason: 'is too long to scan',
};

type PreparedRule = ScanRule & { groups: string[][] };

function findInSentences(text: string, scope: ScanScope): Finding[] {
  const segments = splitIntoSegments(text);
  const known = new Map<ScanSegment, Sentence[]>();
  const findings: Finding[] = [];
  for (const rule of rulesFor(segments, scope)) {
    const tried = segments.filter((segment) => hasRequiredParts(rule, segment.text));
    if (!mayMatch(rule, tried)) continue;
    for (const segment of tried) {
      const sentences = known.get(segment) ?? findSentences(segment.text);
      known.set(segment, sentences);
      findings.push(...applyToSegment(rule, segment, sentences));
    }
    if (findings.length >= MAX_FINDINGS) break;
  }
  return findings;
}

/**
 * Tests all segments in one call, because V8 compiles a regular expression to machine code only when it is used
 * again, and the compilation is the expensive part.
 */
function mayMatch(rule: ScanRule, segments: readonly ScanSegment[]): boolean {
  if (segments.length === 0 || rule.anchored === true) return segments.length > 0;
  return rule.pattern.test(segments.map((segment) => segment[rule.view]).join(' \n '));
}

function applyToSegment(rule: ScanRule, segment: ScanSegment, sentences: readonly Sentence[]): Finding[] {
  return sentences.flatMap((sentence, index) => {
    const next = rule.sentences === 2 ? sentences[index + 1] : undefined;
    return applyRule(rule, segment, next ? { start: sentence.start, end: next.end } : sentence) ?? [];
  });
}

/** Selects the rules whose required words occur in the text. Most rules need a word that most texts do not contain. */
function rulesFor(segments: readonly ScanSegment[], scope: ScanScope): PreparedRule[] {
  const partsIn = createSubstringFinder(segments.map(({ text }) => text).join('\n'));
  return SENTENCE_RULES.filter((rule) => SCOPES.indexOf(rule.scope) <= SCOPES.indexOf(scope))
    .map((rule) => ({ ...rule, groups: rule.requiredParts.split(' & ').map(partsIn) }))
    .filter(({ groups }) => groups.every((group) => group.length > 0));
}

function hasRequiredParts({ groups }: PreparedRule, text: string): boolean {
  return groups.every((group) => group.some((part) => text.includes(part)));
}

function applyRule(rule: ScanRule, segment: ScanSegment, sentence: Sentence): Finding | undefined {
  const said = segment[rule.view].slice(sentence.start, sentence.end).trimEnd();
  const start = findStatement(rule, segment, sentence, said);
  if (start === undefined || rule.unless?.some((pattern) => pattern.test(said))) return undefined;
  const { name, category, reason } = rule;
  const excerpt = segment.text.slice(start, start + EXCERPT_LENGTH).trim();
  return { rule: name, category, reason, line: lineOf(segment, start), excerpt };
}

/** The first match that satisfies the whole rule and is not only a mention. */
function findStatement(rule: ScanRule, segment: ScanSegment, sentence: Sentence, said: string): number | undefined {
  let from = 0;
  for (let tries = 0; tries < MAX_MATCHES_PER_SENTENCE; tries++) {
    const match = rule.pattern.exec(said.slice(from));
    if (match === null) return undefined;
    const range = { start: from + match.index, end: from + match.index + match[0].length };
    const start = sentence.start + range.start;
    const end = sentence.start + range.end;
    const isSaid = () => !isMention(segment, sentence, { start, end, category: rule.category });
    if (hasRequiredContext(rule, said, range) && isSaid()) return start;
    from = range.end;
  }
  return undefined;
}

function hasRequiredContext({ requires, requiresWithin }: ScanRule, said: string, { start, end }: Sentence): boolean {
  const around = requiresWithin
    ? said.slice(Math.max(0, start - requiresWithin.before), end + requiresWithin.after)
    : said;
  return !requires?.some((pattern) => !pattern.test(around));
}

/** Scans decoded text like any other text. */
function findDecoded(text: string, scope: ScanScope): Finding[] {
  return decodeRuns(text).flatMap(({ offset, text: decoded }) => {
    const [inside] = findInSentences(decoded, scope);
    if (inside === undefined) return [];
    const line = text.slice(0, offset).split('\n').length;
    return [
      {
        ...inside,
        rule: `encoded-${inside.rule}`,
        category: 'encoded',
        reason: `contains encoded text that ${inside.reason}`,
        line,
      },
    ];
  });
}

const pairAt = (text: string, at: number) => ((text.charCodeAt(at) & 127) << 7) | (text.charCodeAt(at + 1) & 127);

/**
 * Finds which of thousands of search terms a text contains. One pass over the text records its character pairs, so
 * terms with another pair need not be searched.
 */
export function createSubstringFinder(text: string): (parts: string) => string[] {
  const pairs = new Uint8Array(PAIRS);
  for (let at = 0; at + 1 < text.length; at += 1) pairs[pairAt(text, at)] = 1;
  const isThere = (part: string) => {
    for (let at = 0; at + 1 < part.length; at += 1) if (pairs[pairAt(part, at)] === 0) return false;
    return text.includes(part);
  };
  // Related rules share search terms.
  const known = new Map<string, string[]>();
  return (parts) => {
    const found = known.get(parts) ?? parts.split(' ').filter(isThere);
    known.set(parts, found);
    return found;
  };
}
