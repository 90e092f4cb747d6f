import type { Finding, ScanScope } from './finding.ts';
import { findHiddenText } from './hidden-text.ts';
import { isMention } from './mention.ts';
import { SENTENCE_RULES } from './rules/index.ts';
import type { ScanRule } from './scan-rule.ts';
import { decodeRuns } from './text/decode.ts';
import { findPassages, lineOf, type Passage } from './text/passages.ts';
import { findSentences, type Sentence } from './text/sentences.ts';
import { findUnseen } from './unseen.ts';

const LONGEST_TEXT = 4_000_000;
const MOST_FINDINGS = 20;
const EXCERPT = 120;
const SCOPES: readonly ScanScope[] = ['any', 'context', 'strict'];

/** All findings in a text, in the order of their lines; the time it takes grows with the length and not faster. */
export function findInjection(text: string, scope: ScanScope): Finding[] {
  const part = text.slice(0, LONGEST_TEXT);
  const findings = [
    ...findUnseen(part),
    ...findHiddenText(part),
    ...findInSentences(part, scope),
    ...findDecoded(part, scope),
  ];
  if (text.length > LONGEST_TEXT) findings.push(TOO_LONG);
  return findings.sort((one, other) => one.line - other.line).slice(0, MOST_FINDINGS);
}

/** What was not looked at is not let through. */
const TOO_LONG: Finding = {
  ...{ rule: 'too-long', category: 'size', line: 1, excerpt: '' },
  reason: 'is too long to be checked',
};

function findInSentences(text: string, scope: ScanScope): Finding[] {
  const passages = findPassages(text);
  const rules = rulesFor(passages, scope);
  const findings: Finding[] = [];
  for (const passage of passages) {
    const sentences = rules.length === 0 ? [] : findSentences(passage.text);
    sentences.forEach((sentence, index) => {
      const next = sentences[index + 1];
      for (const rule of rules) {
        const reach = rule.sentences === 2 && next ? { start: sentence.start, end: next.end } : sentence;
        const finding = applyRule(rule, passage, reach);
        if (finding) findings.push(finding);
      }
    });
    if (findings.length >= MOST_FINDINGS) break;
  }
  return findings;
}

/** Most rules need a word that most texts do not have; leaving them out makes up for their number. */
function rulesFor(passages: readonly Passage[], scope: ScanScope): ScanRule[] {
  const whole = passages.map(({ text }) => text).join('\n');
  return SENTENCE_RULES.filter(
    (rule) =>
      SCOPES.indexOf(rule.scope) <= SCOPES.indexOf(scope) && rule.needs.split(' ').some((part) => whole.includes(part)),
  );
}

function applyRule(rule: ScanRule, passage: Passage, sentence: Sentence): Finding | undefined {
  const said = passage[rule.view].slice(sentence.start, sentence.end).trimEnd();
  const match = rule.pattern.exec(said);
  if (match === null) return undefined;
  if (rule.also?.some((pattern) => !pattern.test(said)) || rule.unless?.some((pattern) => pattern.test(said)))
    return undefined;
  const start = sentence.start + match.index;
  if (!rule.evenMentioned && isMention(passage, sentence, start, start + match[0].length)) return undefined;
  const { name, category, reason } = rule;
  const excerpt = passage.text.slice(start, start + EXCERPT).trim();
  return { rule: name, category, reason, line: lineOf(passage, start), excerpt };
}

/** Encoded text is read like any other; it is a finding where what it says would be one. */
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
        reason: `has encoded text that ${inside.reason}`,
        line,
      },
    ];
  });
}
