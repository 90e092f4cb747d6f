import type { Finding, ScanScope } from './finding.ts';
import { findCombination } from './find-combination.ts';
import { findHiddenText, findInvisibleCharacters } from './hidden-text.ts';
import { isMention } from './mention.ts';
import { SENTENCE_RULES } from './rules/index.ts';
import type { Combination, ScanRule } from './scan-rule.ts';
import { createRuleFilter, type RuleFilter } from './rule-filter.ts';
import { decodeRuns } from './text/decode.ts';
import { findSentences, lineOf, splitIntoSegments, type Sentence, type ScanSegment } from './text/segments.ts';

const MAX_TEXT_LENGTH = 4_000_000;
const MAX_FINDINGS = 20;
const EXCERPT_LENGTH = 120;
const MAX_MATCHES_PER_SENTENCE = 8;
const SCOPES: readonly ScanScope[] = ['any', 'context', 'strict'];

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

/** The rules of a scope. Most programs scan in one or two scopes, and an index takes a while to build. */
const FILTERS: Record<ScanScope, () => RuleFilter> = { any: filterFor(0), context: filterFor(1), strict: filterFor(2) };

function filterFor(level: number): () => RuleFilter {
  let built: RuleFilter | undefined;
  return () => {
    built ??= createRuleFilter(SENTENCE_RULES.filter((rule) => SCOPES.indexOf(rule.scope) <= level));
    return built;
  };
}

function findInSentences(text: string, scope: ScanScope): Finding[] {
  const reader = FILTERS[scope]().createReader();
  const findings: Finding[] = [];
  for (const segment of splitIntoSegments(text)) {
    const sentences = findSentences(segment.text);
    reader.read(segment.text, sentences);
    for (const [index, sentence] of sentences.entries()) {
      const { one, two } = reader.rulesFor(index);
      const end = sentences[index + 1]?.end ?? sentence.end;
      for (const rule of one) addFinding(findings, applyRule(rule, segment, sentence));
      for (const rule of two) addFinding(findings, applyRule(rule, segment, { start: sentence.start, end }));
    }
    if (findings.length >= MAX_FINDINGS) break;
  }
  return findings;
}

function addFinding(findings: Finding[], finding: Finding | undefined): void {
  if (finding !== undefined) findings.push(finding);
}

function applyRule(rule: ScanRule, segment: ScanSegment, sentence: Sentence): Finding | undefined {
  const start =
    'all' in rule.pattern ? startOf(rule, rule.pattern, segment, sentence) : applyPattern(rule, segment, sentence);
  if (start === undefined) return undefined;
  const { name, category, reason } = rule;
  const excerpt = segment.text.slice(start, start + EXCERPT_LENGTH).trim();
  return { rule: name, category, reason, line: lineOf(segment, start), excerpt };
}

function startOf(
  rule: ScanRule,
  combination: Combination,
  segment: ScanSegment,
  sentence: Sentence,
): number | undefined {
  const accept = ({ start, end }: Sentence) => !isMention(segment, sentence, { start, end, rule });
  return findCombination(combination, segment, { sentence, accept })?.start;
}

function applyPattern(rule: ScanRule, segment: ScanSegment, sentence: Sentence): number | undefined {
  const said = segment[rule.view].slice(sentence.start, sentence.end).trimEnd();
  const start = findStatement(rule, segment, sentence, said);
  if (start === undefined || rule.unless?.some((pattern) => pattern.test(said))) return undefined;
  return rule.accept?.(said) === false ? undefined : start;
}

/** The first match that satisfies the whole rule and is not only a mention. */
function findStatement(rule: ScanRule, segment: ScanSegment, sentence: Sentence, said: string): number | undefined {
  if ('all' in rule.pattern) return undefined;
  let from = 0;
  for (let tries = 0; tries < MAX_MATCHES_PER_SENTENCE; tries++) {
    const match = rule.pattern.exec(said.slice(from));
    if (match === null) return undefined;
    const range = { start: from + match.index, end: from + match.index + match[0].length };
    const start = sentence.start + range.start;
    const end = sentence.start + range.end;
    const isSaid = () => !isMention(segment, sentence, { start, end, rule });
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
