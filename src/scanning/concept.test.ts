import { describe, expect, it } from 'vitest';
import { anyOf, type Concept, concept, inOrder } from './concept.ts';
import { findPhrase } from './phrase-matcher.ts';

function matched({ phrases }: Concept, text: string): string | undefined {
  const words = text.split(' ');
  const found = findPhrase(phrases, words, { start: 0, end: words.length });
  return found && words.slice(found.start, found.end).join(' ');
}

describe('a concept', () => {
  it('matches whole words, endings, optional letters and gaps', () => {
    const send = concept('send|uploads?|transmit*|authori[sz]ed|leave .. out of your');
    expect(matched(send, 'please send it')).toBe('send');
    expect(matched(send, 'sender')).toBeUndefined();
    expect(matched(send, 'they transmitted it')).toBe('transmitted');
    expect([matched(send, 'upload'), matched(send, 'uploads'), matched(send, 'uploade')]).toEqual([
      'upload',
      'uploads',
      undefined,
    ]);
    expect([matched(send, 'authorised'), matched(send, 'authorized')]).toEqual(['authorised', 'authorized']);
    expect(matched(send, 'leave the big step out of your report')).toBe('leave the big step out of your');
    expect(matched(send, 'leave one two three four five out of your report')).toBeUndefined();
  });

  it('matches concepts in order, with a limited distance, and tries all alternatives', () => {
    const both = inOrder(1, concept('the user|the user has'), anyOf(concept('approved'), concept('agreed')));
    expect(matched(both, 'now the user has already agreed')).toBe('the user has already agreed');
    expect(matched(both, 'the user has not yet agreed')).toBeUndefined();
    expect(matched(both, 'approved by the user')).toBeUndefined();
  });

  it('says which words a sentence must contain', () => {
    expect(concept('keep quiet about|checks?|polic*').needs).toEqual([['quiet checks check polic*']]);
    expect(inOrder(2, concept('a'), anyOf(concept('b'), concept('c'))).needs).toEqual([['a', 'b c']]);
    const either = anyOf(concept('x'), inOrder(1, concept('y'), concept('z')));
    expect(either.needs).toEqual([['x'], ['y', 'z']]);
  });
});
