import { stripAnsi } from '../util/index.ts';

/** What is not seen: zero-width characters, marks of direction, soft hyphens, variation selectors, tags. */
// oxlint-disable-next-line no-misleading-character-class
const INVISIBLE =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]|\udb40[\udc00-\uddff]/g;

/** Letters of other scripts that look like Latin ones, in pairs. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  [
    ...[
      'аa',
      'еe',
      'оo',
      'рp',
      'сc',
      'уy',
      'хx',
      'іi',
      'јj',
      'ѕs',
      'һh',
      'ԁd',
      'ԛq',
      'ԝw',
      'гr',
      'мm',
      'нh',
      'кk',
      'тt',
      'вb',
      'пn',
    ],
    ...[
      'ɡg',
      'ɩi',
      'ӏl',
      'Ӏl',
      'ո' + 'n',
      'օo',
      'ս' + 'u',
      'ց' + 'g',
      'հh',
      'ոn',
      'αa',
      'οo',
      'ρp',
      'νv',
      'ιi',
      'κk',
      'τt',
      'υu',
      'χx',
      'ε' + 'e',
    ],
    ...[
      'АA',
      'ВB',
      'ЕE',
      'КK',
      'МM',
      'НH',
      'ОO',
      'РP',
      'СC',
      'ТT',
      'ХX',
      'ΑA',
      'ΒB',
      'ΕE',
      'ΜM',
      'ΝN',
      'ΟO',
      'ΡP',
      'ΤT',
      'ꮁr',
      'ᴦr',
      'ᴍm',
    ],
    ...['‐-', '‑-', '‒-', '–-', '—-', '―-', '−-', '⁄/', '∕/', '⧸/', '∣|', 'ǀ|', '；;', 'ʻ`', 'ｰ-'],
  ].map((pair) => {
    const [look = '', plain = ''] = [...pair];
    return [look, plain];
  }),
);

/**
 * The texts a command line may be taken for. The shell gets it as it is; the person sees it without what a terminal
 * takes as a sequence, without what is not seen at all, and takes look-alike letters for the usual ones.
 */
export function readingsOf(command: string): { asGiven: string; asSeen: string[] } {
  const asGiven = command.replaceAll('\0', '');
  // oxlint-disable-next-line no-control-regex
  if (/^[\t\n\u0020-\u007e]*$/.test(asGiven)) return { asGiven, asSeen: [] };
  const shown = stripAnsi(asGiven)
    .replace(/\r+(?=\n|$)/g, '')
    .replace(INVISIBLE, '');
  const folded = shown.normalize('NFKC').replace(INVISIBLE, '');
  const plain = [...folded].map((letter) => LOOK_ALIKES.get(letter) ?? letter).join('');
  return { asGiven, asSeen: [...new Set([shown, folded, plain])].filter((text) => text !== asGiven) };
}
