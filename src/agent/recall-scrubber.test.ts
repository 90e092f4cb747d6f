import fc from 'fast-check';
import { expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { cleanInput } from './recall-scrubber.ts';

verifies('LOOP-2', 'replaces lone surrogates with U+FFFD and keeps valid pairs', () => {
  expect(cleanInput('a\ud800b\udc00c😀')).toBe('a\ufffdb\ufffdc😀');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 0xd800, max: 0xdfff }), (text, unit) => {
      expect(cleanInput(text + String.fromCharCode(unit)).isWellFormed()).toBe(true);
    }),
  );
});

verifies('LOOP-2', 'removes recall blocks that were copied into a message', () => {
  expect(cleanInput('before <memory-context>secret\nlines</memory-context> after')).toBe('before after');
  expect(cleanInput('<memory-context>a</memory-context><Memory-Context>b</Memory-Context>x')).toBe('x');
});
