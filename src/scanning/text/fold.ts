// Invisible characters: zero-width and format characters, fillers, variation selectors, tags.
const INVISIBLE =
  /[\u034f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\p{Variation_Selector}\ufeff\uffa0\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
const ACCENTS = /[\u0300-\u036f\u0640\u064b-\u0652\u0654\u0655]/g;
const NOT_ASCII = /[^\x20-\x7e]/;
/** Letters of other scripts that look like Latin ones, by Latin letter. Unicode normalisation covers the rest. */
const LOOK_ALIKES: Record<string, string> = {
  a: 'аαᴀɑ⍺ａа',
  b: 'ьвʙβƅ',
  c: 'сϲᴄⅽ',
  d: 'ԁᴅɗժđ',
  e: 'еєεᴇҽℯ',
  f: 'ꜰƒϝ',
  g: 'ɢɡցԍ',
  h: 'һʜհн',
  i: 'іιɪӏıɩ',
  j: 'јᴊϳ',
  k: 'кκᴋ',
  l: 'ʟⅼɭł',
  m: 'мᴍⅿ',
  n: 'ɴոηп',
  o: 'оοᴏօσ০๐ø',
  p: 'рρᴘ',
  q: 'ԛɋ',
  r: 'гʀᴦ',
  s: 'ѕꜱʂ',
  t: 'тτᴛ',
  u: 'υᴜսц',
  v: 'νᴠѵ',
  w: 'ԝᴡωшѡ',
  x: 'хχⅹ',
  y: 'уγʏү',
  z: 'ᴢʐ',
  ss: 'ß',
  ae: 'æ',
  // Spellings of Arabic letters that are often interchanged.
  ا: 'أإآٱ',
  ي: 'ىی',
  ك: 'ک',
  ه: 'ة',
  oe: 'œ',
};
const LATIN_OF = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([latin, others]) => [...others].map((other) => [other, latin] as const)),
);
// The first code points of three alphabets: two of enclosed letters, and the regional indicators.
const ROWS = [0x1f150, 0x1f170, 0x1f1e6];

/**
 * Normalises a line: lower case, Latin letters for look-alikes, no accents, no invisible characters. The lexicon is
 * folded the same way, so that it matches in other scripts too.
 */
export function fold(line: string): string {
  if (!NOT_ASCII.test(line)) return line.toLowerCase();
  const shown = line.replace(INVISIBLE, '').normalize('NFKD').replace(ACCENTS, '').normalize('NFC');
  const bare = (MIXED.test(shown) ? shown.replace(CAPITALS, latinCapital) : shown).toLowerCase();
  // Lower-casing can produce new accents, such as the dot of a Turkish capital I.
  return Array.from(bare.replace(ACCENTS, ''), latinLookAlike).join('');
}

// Greek capitals look like other Latin letters than their small forms do. In Greek text they are what they are.
const MIXED = /[a-z][\u0370-\u03ff]|[\u0370-\u03ff][a-z]/i;
const CAPITALS = /[ΥΗΝΜΖ]/g;
const LATIN_CAPITALS: Record<string, string> = { Υ: 'y', Η: 'h', Ν: 'n', Μ: 'm', Ζ: 'z' };

function latinCapital(letter: string): string {
  return LATIN_CAPITALS[letter] ?? letter;
}

/** Replaces everything except letters and digits with spaces; the length stays the same. */
export function wordsOnly(folded: string): string {
  if (!NOT_ASCII.test(folded)) return folded.replace(/[^a-z0-9_]/g, ' ');
  return folded.replace(/[^\p{L}\p{M}\p{N}_]/gu, (character) => ' '.repeat(character.length));
}

/** The Latin letter that a character looks like, or the character itself. */
function latinLookAlike(character: string): string {
  const known = LATIN_OF.get(character);
  if (known !== undefined) return known;
  const code = character.codePointAt(0) ?? 0;
  const row = code < 0x1f150 ? undefined : ROWS.find((start) => code >= start && code < start + 26);
  return row === undefined ? character : String.fromCharCode(97 + code - row);
}
