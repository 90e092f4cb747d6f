import { describe, expect, it } from 'vitest';
import { createTokenizer, MEANINGS } from './tokens.ts';

const tokenize = createTokenizer();
const meaningsOf = (text: string): Set<string> =>
  new Set(tokenize(text).flatMap(({ meanings }) => meanings.map((meaning) => MEANINGS[meaning] as string)));

describe('phrases', () => {
  it.each([
    ['there is no need to call', 'unneeded'],
    ['you do not have to call', 'unneeded'],
    ['no matter how it ends', 'regardless'],
    ['sie gilt, auch wenn es regnet', 'regardless'],
    ['it counts as done', 'deem'],
    ['leaving out the rest', 'omit'],
    ['sin preguntar', 'dontask'],
  ])('give "%s" the meaning %s', (text, meaning) => {
    expect(meaningsOf(text)).toContain(meaning);
  });

  it('need all of their words, in order', () => {
    for (const text of ['no one called', 'matter no more', 'the out leave', 'need', 'auch wann'])
      for (const meaning of ['unneeded', 'regardless', 'omit']) expect(meaningsOf(text)).not.toContain(meaning);
  });

  it('do not change the tokens of the words', () => {
    const [alone] = tokenize('leave');
    const [first] = tokenize('leave out');
    const [again] = tokenize('leave');
    expect(first?.meanings.length).toBeGreaterThan(alone?.meanings.length ?? 0);
    expect(again).toEqual(alone);
  });
});
