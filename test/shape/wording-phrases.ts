/** A phrase that must not be used. `instead` lists replacements; which one fits depends on the sentence. */
export type PhraseRule = { phrase: string; reason: string; instead: string };

const HIDDEN_SUBJECT = 'does not say who does it';
const UNIDIOMATIC = 'is not idiomatic English';
const NOT_A_TERM = 'avoids the usual technical term';
const VAGUE = 'leaves the reader to guess what is meant';

/**
 * Phrases that are nearly always wrong. A phrase is a regular expression that matches whole words in any case. A space
 * in it also matches a line break in a comment or between the parts of a string, and `…` up to three words.
 */
export const PHRASES: readonly PhraseRule[] = [
  {
    phrase: '(?:is|are|was|were|be|been|being) told(?! apart)',
    reason: HIDDEN_SUBJECT,
    instead: 'X tells the model, X reports it to the user, X receives it',
  },
  { phrase: '(?:told|tells?) of', reason: UNIDIOMATIC, instead: 'called with, reports, announces' },
  { phrase: 'unless told otherwise', reason: UNIDIOMATIC, instead: 'by default' },
  { phrase: '(?:is|are|was|were) looked (?:at|for)', reason: HIDDEN_SUBJECT, instead: 'X checks, X searches for' },
  { phrase: '(?:is|are|was|were) asked for again', reason: HIDDEN_SUBJECT, instead: 'X requests it again, X retries' },
  { phrase: '(?:is|are|was|were) asked (?:about|after)', reason: HIDDEN_SUBJECT, instead: 'the question about' },
  { phrase: '(?:is|are) (?:wanted|said|seen)', reason: HIDDEN_SUBJECT, instead: 'is requested, is reported, appears' },
  { phrase: '(?:is|are|was|were) believed', reason: HIDDEN_SUBJECT, instead: 'is trusted, is accepted' },
  {
    phrase: "nobody's|nobody (?:could|would|asked|(?:is|was|can be) asked)",
    reason: VAGUE,
    instead: 'name who cannot',
  },
  { phrase: 'anybody|whoever|whosoever', reason: VAGUE, instead: 'the caller, the user, any process' },
  { phrase: "(?:the|a) person(?:'s)?", reason: NOT_A_TERM, instead: 'the user' },
  { phrase: "one's", reason: UNIDIOMATIC, instead: "your, the user's, own" },
  { phrase: 'whatever (?:it|they|comes|came|becomes|became)', reason: VAGUE, instead: 'any …, regardless of …' },
  { phrase: 'what (?:comes|came|becomes|became) of', reason: VAGUE, instead: 'the result, the outcome' },
  { phrase: '(?:comes?|came) of (?:it|that|this|them)', reason: VAGUE, instead: 'the result, the consequence' },
  { phrase: 'what … (?:is|was|are|were) of', reason: VAGUE, instead: 'a noun: the files of, the kind of' },
  { phrase: 'what (?:stands|stood)', reason: VAGUE, instead: 'the text, the value, the content' },
  { phrase: 'known of', reason: UNIDIOMATIC, instead: 'known about' },
  { phrase: 'nothing of (?:it|that|them)', reason: VAGUE, instead: 'none of …, and name the thing' },
  { phrase: 'anew', reason: UNIDIOMATIC, instead: 'again, from scratch, or a verb such as rebuild' },
  { phrase: '(?:goes|go|went|going|gone) on (?:with|from|in|where|as|to)', reason: UNIDIOMATIC, instead: 'continues' },
  { phrase: '(?:goes|go|went) with (?:it|that|them)', reason: VAGUE, instead: 'is sent with, belongs to' },
  {
    phrase: '(?:stands?|stood) (?:in|on|at|for) (?:it|its|that|the|an?|there)',
    reason: UNIDIOMATIC,
    instead: 'is in, contains, means, represents',
  },
  { phrase: 'stand-ins?', reason: NOT_A_TERM, instead: 'placeholder, replacement, fake' },
  { phrase: 'lets? go of|letting go of', reason: VAGUE, instead: 'releases, closes, frees' },
  { phrase: '(?:gives?|gave|given|hands?|handed) back', reason: NOT_A_TERM, instead: 'returns, releases' },
  { phrase: 'handed (?:on|over|to)', reason: NOT_A_TERM, instead: 'passed to' },
  { phrase: '(?:takes?|took|taken|taking) away', reason: NOT_A_TERM, instead: 'removes, deletes' },
  { phrase: '(?:takes?|took|taken|taking) back', reason: NOT_A_TERM, instead: 'undoes, reverts, revokes' },
  { phrase: '(?:takes?|took|taken|taking) out', reason: NOT_A_TERM, instead: 'removes, extracts' },
  { phrase: '(?:brings?|brought|bringing) along', reason: UNIDIOMATIC, instead: 'includes, ships with' },
  { phrase: '(?:takes?|took) the place of', reason: NOT_A_TERM, instead: 'replaces' },
  { phrase: 'in the place of|in its place|in their place', reason: NOT_A_TERM, instead: 'instead of it' },
  { phrase: 'left as (?:it|they) (?:is|are|was|were)', reason: NOT_A_TERM, instead: 'is not changed' },
  { phrase: '(?:is|are|was|were) left out', reason: NOT_A_TERM, instead: 'is omitted, is excluded' },
  { phrase: '(?:is|are|was|were) not there', reason: NOT_A_TERM, instead: 'is missing, does not exist, was not found' },
  { phrase: '(?:is|are) to be', reason: UNIDIOMATIC, instead: 'must be, should be, will be' },
  { phrase: 'written down', reason: NOT_A_TERM, instead: 'stored, recorded, saved' },
  { phrase: 'mend(?:s|ed|ing)?', reason: NOT_A_TERM, instead: 'repairs, fixes' },
  { phrase: 'learnt', reason: 'is not the spelling used here', instead: 'learned, read from' },
  {
    phrase: '(?:it|tool|parameter|field|option|argument|endpoint|server) wants (?:an?|the|text|numbers?|strings?)',
    reason: NOT_A_TERM,
    instead: 'expects, requires, must be',
  },
  { phrase: '(?:comes?|came) to an end', reason: UNIDIOMATIC, instead: 'ends, exits, completes' },
  { phrase: 'time (?:was|is) (?:over|up)', reason: NOT_A_TERM, instead: 'timed out' },
  { phrase: 'of (?:its|their) own accord', reason: NOT_A_TERM, instead: 'automatically' },
  { phrase: '(?:is|are|was|were) of no|no use', reason: UNIDIOMATIC, instead: 'is useless, does not help' },
  { phrase: 'beside', reason: UNIDIOMATIC, instead: 'next to, in addition to, concurrently with' },
  { phrase: 'at once', reason: 'means “immediately” and “together”', instead: 'immediately, at the same time' },
  { phrase: 'for ever|for good', reason: UNIDIOMATIC, instead: 'forever, permanently' },
  { phrase: 'all the same', reason: VAGUE, instead: 'still, anyway, identical' },
  { phrase: 'without a word', reason: VAGUE, instead: 'silently, without a message' },
  { phrase: '(?:undefined|absent|nothing|empty) where|where that is', reason: UNIDIOMATIC, instead: 'if, when' },
  { phrase: '(?:inside|outside) of', reason: UNIDIOMATIC, instead: 'inside, outside, within' },
  { phrase: 'and the like', reason: VAGUE, instead: 'such as, for example' },
  { phrase: 'of late|seldom|unasked', reason: UNIDIOMATIC, instead: 'recently, rarely, without a request' },
  { phrase: 'the very', reason: UNIDIOMATIC, instead: 'exactly the, the same' },
  { phrase: '(?:is|was) no … (?:that|which)', reason: UNIDIOMATIC, instead: 'is not a … that, no … exists' },
  { phrase: 'behind (?:it|them|that)', reason: VAGUE, instead: 'after it, underlying, upstream' },
  { phrase: 'home folders?', reason: NOT_A_TERM, instead: 'home directory' },
  { phrase: 'kept code', reason: NOT_A_TERM, instead: 'compile cache' },
];
