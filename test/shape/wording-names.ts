/** A word that must not be part of a declared name. */
export type NameRule = { name: RegExp; reason: string; instead: string };

const NOT_A_TERM = 'avoids the usual technical term';
const NO_NOUN = 'does not say what the value is';

/** Matched against the names of variables, parameters, functions, classes and types. */
export const NAMES: readonly NameRule[] = [
  { name: /^(?:MOST|LONGEST|LARGEST)_/, reason: 'is an unusual name of a limit', instead: 'MAX_' },
  { name: /^(?:FEWEST|SHORTEST|LEAST)_/, reason: 'is an unusual name of a limit', instead: 'MIN_' },
  { name: /^(?:un)?told|Untold|Told|TOLD/, reason: NO_NOUN, instead: 'messages, notices, reported, notForwarded' },
  { name: /^tell(?:Of|ing)|^toTell/, reason: NO_NOUN, instead: 'report, announce' },
  { name: /^anew|Anew|ANEW/, reason: NOT_A_TERM, instead: 'restart, rebuild, again' },
  { name: /^beside(?!s)|Beside(?!s)|BESIDE/, reason: NO_NOUN, instead: 'concurrent, nextTo, others' },
  { name: /^behind|(?<!^is)Behind|_BEHIND/, reason: NO_NOUN, instead: 'runInBackground, rest, after' },
  { name: /^beyond|Beyond|BEYOND/, reason: NO_NOUN, instead: 'remaining, hidden, outside' },
  { name: /^(?:goesOn|goOn)|GoesOn|GO_ON/, reason: NOT_A_TERM, instead: 'continues' },
  { name: /^mend|Mend(?:s|ed|ing)?(?![a-z])|MEND/, reason: NOT_A_TERM, instead: 'repair, fixed' },
  { name: /^standIn|StandIn|STAND_IN/, reason: NOT_A_TERM, instead: 'placeholder, replacement, fake' },
  { name: /^patience|Patience|PATIENCE/, reason: NOT_A_TERM, instead: 'timeout' },
  { name: /^trouble|Trouble|TROUBLE/, reason: NOT_A_TERM, instead: 'problem, failure' },
  { name: /^surroundings|Surroundings/, reason: NOT_A_TERM, instead: 'environment, context' },
  { name: /^(?:desk|scene)(?![a-z])|(?:Desk|Scene)(?![a-z])/, reason: NO_NOUN, instead: 'fixture, setup, state' },
  { name: /^unasked|Unasked/, reason: NO_NOUN, instead: 'notCalled, automatic' },
  { name: /[a-z]Sense(?![a-z])/, reason: NOT_A_TERM, instead: 'validateArguments' },
  { name: /[Ww]hoever|OfItsOwn|ForGood|ofLate/, reason: NO_NOUN, instead: 'the noun for the thing' },
];
