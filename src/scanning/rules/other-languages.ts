import { type ScanRule, anywhere } from '../scan-rule.ts';
import { fold } from '../text/fold.ts';
import type { FindingCategory } from '../finding.ts';
import {
  ADD,
  AGENT_FILE,
  ALL,
  APPROVED,
  DECODE,
  DESTINATION,
  EXECUTE,
  FETCH,
  FREE,
  MEMORY,
  NO_LIMITS,
  NOT_TELL,
  OFF,
  ORDERS,
  PERSON,
  RULE,
  SAFETY,
  SAVE,
  SECRET,
  SEND,
  SESSION,
  THIS,
  YOU,
  HIDE,
} from './language-words.ts';

type LanguageRule = {
  name: string;
  category: FindingCategory;
  reason: string;
  all: readonly string[];
  unless?: string;
};

/**
 * Beginnings of words; with a space at the end they are whole words. ` .. ` stands for up to 40 characters. Latin
 * letters before one would make it another word.
 */
function beginnings(list: string): string {
  return alternatives(list)
    .map((phrase) => (/^[a-z]/.test(phrase) ? `(?<![a-z])${phrase}` : phrase).replace(/ $/, '(?![a-z])'))
    .join('|')
    .replaceAll(' .. ', '[^.。]{0,40}');
}

function alternatives(list: string): string[] {
  return fold(list.replace(/\s*\n\s*/g, '|'))
    .split('|')
    .map((phrase) => phrase.trimStart())
    .filter((phrase) => phrase !== '');
}

/** The search terms for the index: of each phrase the longest part without a gap. */
function searchTerms(list: string): string {
  const terms = alternatives(list).map((phrase) => {
    const [longest = ''] = phrase
      .replace(/\[.*|\\d.*/, '')
      .replaceAll('\\.', '.')
      .split(/ \.\. |[()?]/)
      .sort((one, other) => other.length - one.length);
    return longest.trim().replaceAll(' ', '~');
  });
  return [...new Set(terms)].join(' ');
}

const RULES: readonly LanguageRule[] = [
  {
    name: 'do-not-tell',
    category: 'secrecy',
    reason: 'asks the model to hide something from the user',
    all: [NOT_TELL, PERSON],
    unless: 'error|erreur|fehler|ошибк|错误|エラー|오류',
  },
  {
    name: 'hides',
    category: 'secrecy',
    reason: 'asks the model to hide something from the user',
    all: [HIDE, PERSON],
  },
  {
    name: 'claims-approval',
    category: 'permission',
    reason: 'claims that the user has already approved something',
    all: [APPROVED, ALL],
    unless: 'wenn|falls|si l|if |如果|若|もし|если|إذا|se o|jesli|eger|neu |jika',
  },
  {
    name: 'safety-off',
    category: 'permission',
    reason: 'claims that safety checks are disabled',
    all: [SAFETY, OFF, FREE],
    unless: 'wenn |falls |quand |如果|若|もし|если|إذا|jesli|eger |neu |jika ',
  },
  { name: 'no-limits', category: 'role', reason: 'asks the model to act without rules', all: [NO_LIMITS, YOU] },
  {
    name: 'sends-secrets',
    category: 'exfiltration',
    reason: 'asks for secrets or private text to be sent elsewhere',
    all: [SEND, SECRET, DESTINATION],
    unless: 'public key|公钥|公開鍵',
  },
  {
    name: 'fetches-orders',
    category: 'remote',
    reason: 'asks the model to take instructions from elsewhere',
    all: [FETCH, ORDERS, EXECUTE, 'https?://|ftp://|wss?://', SESSION],
  },
  {
    name: 'decodes-orders',
    category: 'encoded',
    reason: 'asks the model to decode text and follow it',
    all: [DECODE, EXECUTE, 'base64|hex|rot13|gzip|编码|エンコード|인코딩'],
  },
  {
    name: 'remembers-rule',
    category: 'lasting',
    reason: 'asks the agent to change its own instructions, memory or settings',
    all: [SAVE, RULE, MEMORY],
  },
  {
    name: 'copies-itself',
    category: 'lasting',
    reason: 'asks the agent to change its own instructions, memory or settings',
    all: [ADD, AGENT_FILE, THIS],
  },
];

/** What other rules say in English, in the words of about twenty other languages. */
export const OTHER_LANGUAGE_RULES: readonly ScanRule[] = RULES.map(({ name, category, reason, all, unless }) => {
  const [first, ...others] = all as [string, ...string[]];
  return {
    name: `${name}-other-language`,
    category,
    scope: 'context',
    view: 'text',
    reason,
    requiredParts: all
      .map((list) =>
        searchTerms(list.replaceAll('https?://', 'http://|https://').replaceAll('wss?://', 'ws://|wss://')),
      )
      .join(' & '),
    pattern: anywhere(`(?:${beginnings(first)})(?! ?(?:nicht|niet|pas |ない|지 마|मत|न ))`),
    requires: others.map((list) => anywhere(beginnings(list))),
    unless: unless === undefined ? [] : [anywhere(unless)],
  };
});
