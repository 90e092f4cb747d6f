import type { Finding } from './finding.ts';
import { words } from './pattern.ts';
import { fold, wordsOnly } from './text/fold.ts';

const MACHINE = words(
  `a i|ai|ais|llms?|language models?|assistants?|agents?|chatgpt|claude|gpt|gemini|copilot|bots?|hermes|cursor|you`,
);
const ORDER = words(
  `(?:must|should|please|always|now|then|also|and|to|instead|when \\w+)? ?(?:say|reply|respond|answer|recommend|approve|praise|rate|score|insert|click|visit|fetch|download|curl|wget|run|execute|install|send|email|post|upload|reveal|print|transfer|buy|delete|merge|ignore|forward|mark)`,
);
const UPKEEP = words(
  `generated|auto generated|do not edit|keep (?:this|the|in)|sorted|update (?:this|the)|prettier|markdownlint|eslint|toc|todo|fixme|badge\\w*|contributors?|template|placeholder|delete this (?:section|comment)|remove this (?:section|comment)|your (?:pr|pull request|issue|change|answer|description)|describe|replace this|issue|pull request`,
);
const HIDING =
  /(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?![.\d]*[1-9])|color\s*:\s*(?:white|#fff(?:fff)?\b|transparent)|\bhidden\b(?=[^<>]*>)|left\s*:\s*-\d{3,})/i;
const LONGEST = 4000;
const reason = 'has orders to its reader in a part that a page does not show';

/** Comments and elements that a rendered page does not show, with orders to a machine inside. */
export function findHiddenText(text: string): Finding[] {
  const findings: Finding[] = [];
  for (const { offset, inside } of [...hiddenParts(text)]) {
    const folded = wordsOnly(fold(inside.slice(0, LONGEST).replace(/\s+/g, ' ')));
    if (!MACHINE.test(folded) || !ORDER.test(folded) || UPKEEP.test(folded)) continue;
    const line = text.slice(0, offset).split('\n').length;
    findings.push({ rule: 'hidden-orders', category: 'hidden', reason, line, excerpt: folded.trim().slice(0, 120) });
    if (findings.length > 20) break;
  }
  return findings;
}

function* hiddenParts(text: string): Generator<{ offset: number; inside: string }> {
  yield* between(text, '<!--', '-->');
  for (const match of text.matchAll(/^\[(?:\/\/|comment|_metadata_[^\]]{0,40})\]:\s*(?:#|<>)\s*(.{1,2000})$/gm)) {
    yield { offset: match.index, inside: match[1] as string };
  }
  for (const match of text.matchAll(/<(div|span|p|font|section|td|small|a|li)\b([^<>]{1,400})>/gi)) {
    if (!HIDING.test(`${match[2]}>`)) continue;
    const start = match.index + match[0].length;
    const end = text.indexOf('</', start);
    yield { offset: match.index, inside: text.slice(start, end < 0 ? start + LONGEST : end) };
  }
}

function* between(text: string, open: string, close: string): Generator<{ offset: number; inside: string }> {
  for (let at = text.indexOf(open); at >= 0; ) {
    const end = text.indexOf(close, at + open.length);
    yield { offset: at, inside: text.slice(at + open.length, end < 0 ? at + LONGEST : end) };
    at = end < 0 ? -1 : text.indexOf(open, end);
  }
}
