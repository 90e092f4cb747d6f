import type { SearchTerm } from '../search-query.ts';
import { STEMMERS, type Stemmer } from './stemmers.ts';
import type { Language } from './stop-words.ts';

const MIN_BEGINNING = 3;
const MIN_STEM = 3;
/** A form is at most this much longer than the word. */
const MAX_GROWTH = 7;

/** A term that matches every form of a folded word: those with the same stem in one of the languages. */
export function formsOf(word: string, languages: readonly Language[]): SearchTerm {
  const stemmers = languages.map((language) => STEMMERS[language]);
  const stems = stemmers.map((stem) => stem(word));
  const beginning = commonBeginning(word, stems);
  // A number, or a word of one or two letters, has no forms.
  if (beginning.length < MIN_BEGINNING || !/\p{L}{3}/u.test(word)) return exactly(word);
  const known = new Map<string, boolean>();
  const accepts = (candidate: string) => {
    let accepted = known.get(candidate);
    if (accepted === undefined) known.set(candidate, (accepted = isForm(candidate, word, { stemmers, stems })));
    return accepted;
  };
  const likely = () => likelyForms(word, languages);
  const part = { kind: 'word' as const, text: beginning, folded: beginning };
  return { parts: [part], prefix: true, forms: { of: word, accepts, likely } };
}

export function exactly(word: string): SearchTerm {
  return { parts: [{ kind: 'word', text: word, folded: word }], prefix: false };
}

type Stems = { stemmers: readonly Stemmer[]; stems: readonly string[] };

function isForm(candidate: string, word: string, { stemmers, stems }: Stems): boolean {
  if (candidate === word) return true;
  if (candidate.length > word.length + MAX_GROWTH) return false;
  return stemmers.some((stem, index) => {
    const wanted = stems[index] ?? '';
    return wanted.length >= MIN_STEM && stem(candidate) === wanted;
  });
}

/** What all forms have in common. A stem can end in letters that the word does not have, as `studi` for `study`. */
function commonBeginning(word: string, stems: readonly string[]): string {
  const lengths = stems.map((stem) => {
    let same = 0;
    while (same < stem.length && stem[same] === word[same]) same += 1;
    return same < stem.length || stem.endsWith('i') ? same - 1 : same;
  });
  return word.slice(0, Math.max(Math.min(word.length, ...lengths), 0));
}

const ENDINGS: Readonly<Record<Language, string>> = {
  english: 's es ed d e ing er ers ment ments ion ions ly al able',
  german: 'e en er n es s em est et t te ten ung ungen lich liche lichen',
  spanish: 'ar ado ada ados adas ando acion aciones a as o os e es er ir io ida idas ido idos',
  french: 'e es s ee ees er ez ent eur eurs ation ations ement ements ait',
  italian: 'a e i o are ato ata ati ate azione azioni ando mente',
  portuguese: 'a as o os e es ar ado ada ados adas ando acao acoes mente',
  dutch: 'e en s t de den te ten er ing ingen',
  swedish: 'a ar arna ade at en er erna et or orna n s t',
  danish: 'e en er erne ene et ede s t ende',
  norwegian: 'a e en er ene et ede te s t ende',
  finnish: 'a n t i ta ssa sta lla lta lle ksi ja in en',
  russian: 'а ы и у е о ой ом ов ей ам ами ах ть л ла ли ет ют ия ии ие',
};

/** For a word with the beginning of so many others that listing them would take too long. */
function likelyForms(word: string, languages: readonly Language[]): string[] {
  const forms = languages.flatMap((language) => {
    const stemmer = STEMMERS[language];
    const stem = stemmer(word);
    if (stem.length < MIN_STEM) return [];
    const endings = ENDINGS[language].split(' ');
    const made = [word, stem, stem + stem.slice(-1)].flatMap((base) => [
      base,
      ...endings.map((ending) => base + ending),
    ]);
    return made.filter((form) => stemmer(form) === stem);
  });
  return [...new Set([word, ...forms])];
}
