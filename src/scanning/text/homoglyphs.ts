/** Letters of other scripts that look like Latin ones, grouped by the letter they look like. Normalisation knows the rest. */
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
  oe: 'œ',
};

const LATIN_OF = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([latin, others]) => [...others].map((other) => [other, latin] as const)),
);

// Letters in boxes and the letters of flags come in alphabetical rows.
const ROWS = [0x1f150, 0x1f170, 0x1f1e6];

/** The Latin letter that a character looks like, or the character itself. */
export function latinLookAlike(character: string): string {
  const known = LATIN_OF.get(character);
  if (known !== undefined) return known;
  const code = character.codePointAt(0) ?? 0;
  const row = code < 0x1f150 ? undefined : ROWS.find((start) => code >= start && code < start + 26);
  return row === undefined ? character : String.fromCharCode(97 + code - row);
}
