import { stripAnsi } from '../util/index.ts';

/** What is not seen: zero-width characters, marks of direction, soft hyphens, variation selectors, tags. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** Letters of other scripts that look like Latin ones, in pairs. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  [
    'аa еe оo рp сc уy хx іi јj ѕs һh ԁd ԛq ԝw гr мm нh кk тt вb пn АA ВB ЕE КK МM НH ОO РP СC ТT ХX ӏl Ӏl',
    'ɡg ɩi ոn օo սu ցg հh αa οo ρp νv ιi κk τt υu χx εe ΑA ΒB ΕE ΜM ΝN ΟO ΡP ΤT ꮁr ᴦr ᴍm',
    '‐- ‑- ‒- –- —- ―- −- ⁄/ ∕/ ⧸/ ∣| ǀ|',
  ].flatMap((line) =>
    line.split(' ').map((pair): [string, string] => {
      const [look = '', plain = ''] = [...pair];
      return [look, plain];
    }),
  ),
);

/**
 * The texts a command line may be taken for. The shell gets it as it is; the person sees it without what a terminal
 * takes as a sequence, without what is not seen at all, and takes look-alike letters for the usual ones.
 */
export function readingsOf(command: string): { asGiven: string; asSeen: string[] } {
  const asGiven = command.replaceAll('\0', '');
  if (/^[\t\n\u0020-\u007e]*$/.test(asGiven)) return { asGiven, asSeen: [] };
  const shown = stripAnsi(asGiven)
    .replace(/\r+(?=\n|$)/g, '')
    .replace(INVISIBLE, '');
  const folded = shown.normalize('NFKC').replace(INVISIBLE, '');
  const plain = [...folded].map((letter) => LOOK_ALIKES.get(letter) ?? letter).join('');
  return { asGiven, asSeen: [...new Set([shown, folded, plain])].filter((text) => text !== asGiven) };
}
