import fc from 'fast-check';

export const EMOJI = [
  '👨‍👩‍👧',
  '👩‍❤️‍💋‍👨',
  '🏴‍☠️',
  '👍🏽',
  '☝🏻',
  '🇩🇪',
  '🇩🇪🇫🇷',
  '1️⃣',
  '❤️',
  '☎️',
  '🔥',
  '\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}',
];
export const LETTERS = [
  'a',
  ' ',
  'é',
  'e\u0301',
  '漢',
  '각',
  '\u1100\u1161\u11a8',
  'का',
  'ก็',
  'ﾊﾟ',
  '©',
  '✂',
  '1',
  '#',
  '─',
  '…',
];

/** Text of characters that are hard to measure: emoji of several characters, and letters of many scripts. */
export const sampleClusters = fc
  .array(
    fc.oneof(fc.constantFrom(...EMOJI), fc.constantFrom(...LETTERS), fc.string({ unit: 'grapheme', maxLength: 2 })),
  )
  .map((parts) => parts.join(''));
