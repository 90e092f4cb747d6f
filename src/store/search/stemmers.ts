import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stem as english } from 'porter2';
import type { Language } from './stop-words.ts';

/** Reduces a folded word to its stem. */
export type Stemmer = (word: string) => string;

/**
 * The index and the texts are compared without accents, but some endings are recognised only with them: these are
 * restored before stemming.
 */
export const STEMMERS: Readonly<Record<Language, Stemmer>> = {
  english,
  german,
  spanish: (word) => spanish(word.replace(/cion$/, 'ción')),
  french: (word) => french(word.replace(/ee(s?)$/, 'ée$1')),
  italian,
  portuguese: (word) => portuguese(word.replace(/cao$/, 'ção').replace(/coes$/, 'ções')),
  dutch,
  swedish,
  danish,
  norwegian,
  finnish,
  russian,
};
