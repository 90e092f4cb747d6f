import type { Finding } from './finding.ts';
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
const MAX_HIDDEN_LENGTH = 4000;
const HIDDEN_REASON = 'contains instructions to the model in a part that a page does not display';

/** A comment that begins with the name of its reader, and continues with an order. */
const ADDRESSED = words(
  `^(?:note (?:to|for) )?(?:the |all |any |dear |hey |hi )?(?:a i|ai|llm|language model|assistant|agent|chatgpt|claude|gpt|gemini|copilot|bot|hermes|cursor|codex|model)(?: (?:agent|assistant|model))?s? (?:(?:please|you must|you should|must|should|always|now|do not|never|also) ){0,3}(?:modify|change|update|add|remove|use|write|create|set|include|open|call|load|read|disable|enable|grant|make|approve|skip|give|treat|act|pretend|begin|start|end|output|tell|mention|hide|ignore|bypass|summari[sz]e|translate|before|when|if|the user has)`,
);

/** A comment that calls its reader by name, as at the beginning of a letter. */
const CALLED =
  /^\s*(?:(?:hey|hi|hello|dear|attention|note (?:to|for)|message (?:to|for))\s+)?(?:the |all |any )?(?:a\.?i\.?|llms?|language models?|assistants?|agents?|chatgpt|claude|gpt|gemini|copilot|bots?|hermes|codex|models?)(?: (?:agents?|assistants?|models?))?\s*[:,!—-]\s+\w+ \w+ \w+/;

/** Matches whole words of text without punctuation. */
function words(source: string): RegExp {
  return new RegExp(
    `(?<![^ ])(?:${source.replace(/ (\??)/g, (_, optional: string) => (optional === '' ? ' +' : ' *'))})(?![^ ])`,
  );
}

function isOrder(folded: string): boolean {
  return MACHINE.test(folded) && ORDER.test(folded);
}

/** Finds comments and invisible elements that contain instructions to a model. */
export function findHiddenText(text: string): Finding[] {
  const findings: Finding[] = [];
  for (const { offset, inside } of [...hiddenParts(text)]) {
    const folded = wordsOnly(fold(inside.slice(0, MAX_HIDDEN_LENGTH).replace(/\s+/g, ' ')));
    if (UPKEEP.test(folded) || !(isOrder(folded) || ADDRESSED.test(folded.trimStart()) || CALLED.test(fold(inside))))
      continue;
    const line = text.slice(0, offset).split('\n').length;
    findings.push({
      rule: 'hidden-orders',
      category: 'hidden',
      reason: HIDDEN_REASON,
      line,
      excerpt: folded.trim().slice(0, 120),
    });
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
    yield { offset: match.index, inside: text.slice(start, end < 0 ? start + MAX_HIDDEN_LENGTH : end) };
  }
}

function* between(text: string, open: string, close: string): Generator<{ offset: number; inside: string }> {
  for (let at = text.indexOf(open); at >= 0; ) {
    const end = text.indexOf(close, at + open.length);
    yield { offset: at, inside: text.slice(at + open.length, end < 0 ? at + MAX_HIDDEN_LENGTH : end) };
    at = end < 0 ? -1 : text.indexOf(open, end);
  }
}

const INVISIBLE =
  /[\u034f\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\p{Variation_Selector}\ufeff\uffa0\u{e0000}-\u{e0fff}]/u;
// Subdivision flags are a black flag followed by tag characters.
const SUBDIVISION_FLAG = /\u{1f3f4}[\u{e0020}-\u{e007e}]{1,8}\u{e007f}/gu;
const TAGS = /[\u{e0000}-\u{e007f}]/u;
const FORCED_DIRECTION = /[\u202d\u202e]/;
const RIGHT_TO_LEFT = /[\u202b\u2067]/;
const RIGHT_TO_LEFT_LETTER = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const SELECTOR_RUN = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{3}/u;
const INVISIBLE_RUN = /[\u034f\u115f\u1160\u180e\u200b-\u200f\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0]{3}/;
// Joiners belong to the spelling of Arabic, Indic and Southeast Asian scripts and to emoji, but not between these
// letters.
const INSIDE_WORD =
  /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}][\u180e\u200b-\u200f\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0]+[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u;
const CHECKS: readonly Check[] = [
  {
    rule: 'tag-characters',
    reason: 'contains text in invisible characters',
    found: (line) => TAGS.test(line.replace(SUBDIVISION_FLAG, '')),
  },
  {
    rule: 'hidden-bytes',
    reason: 'contains text in invisible characters',
    found: (line) => SELECTOR_RUN.test(line) || INVISIBLE_RUN.test(line),
  },
  {
    rule: 'forced-direction',
    reason: 'overrides the text direction, so that it is displayed differently from its content',
    found: (line) => FORCED_DIRECTION.test(line) || (RIGHT_TO_LEFT.test(line) && !RIGHT_TO_LEFT_LETTER.test(line)),
  },
  {
    rule: 'zero-width',
    reason: 'has invisible characters inside words',
    found: (line) => INSIDE_WORD.test(line),
  },
];

type Check = { rule: string; reason: string; found(line: string): boolean };

/** Finds invisible characters, which hide text from users or words from the scan. */
export function findInvisibleCharacters(text: string): Finding[] {
  if (!INVISIBLE.test(text)) return [];
  const findings: Finding[] = [];
  text.split('\n').forEach((line, index) => {
    if (!INVISIBLE.test(line)) return;
    // Some editors write a byte order mark at the start of a file.
    const shown = index === 0 ? line.replace(/^\ufeff/, '') : line;
    const check = CHECKS.find(({ found }) => found(shown));
    if (check === undefined) return;
    const { rule, reason } = check;
    findings.push({ rule, category: 'invisible', reason, line: index + 1, excerpt: nameCharacters(shown) });
  });
  return findings;
}

function nameCharacters(line: string): string {
  const unseen = Array.from(line).filter((character) => INVISIBLE.test(character));
  const names = [...new Set(unseen)].map(
    (character) => `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`,
  );
  return names.slice(0, 6).join(' ') + (names.length > 6 ? ' …' : '');
}
