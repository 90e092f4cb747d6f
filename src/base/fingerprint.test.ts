import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprintOf } from './fingerprint.ts';

describe('a fingerprint', () => {
  it('is the same in every process, because it is stored', () => {
    expect(fingerprintOf('')).toMatch(/^[0-9a-f]{16}$/);
    expect([fingerprintOf('abc'), fingerprintOf('{"ä":"😀"}')]).toMatchInlineSnapshot(`
      [
        "1ac03148e725328d",
        "5ddcad8ed49b6f17",
      ]
    `);
  });

  it('changes with every character and with the length', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(
      fc.property(text, text, (one, other) => {
        fc.pre(Buffer.from(one).compare(Buffer.from(other)) !== 0);
        expect(fingerprintOf(one)).not.toBe(fingerprintOf(other));
      }),
    );
    const similar = Array.from({ length: 2000 }, (_, index) => `${'x'.repeat(index % 7)}${index}\0`);
    const zeros = Array.from({ length: 50 }, (_, index) => '\0'.repeat(index));
    expect(new Set([...similar, ...zeros].map(fingerprintOf)).size).toBe(similar.length + zeros.length);
  });
});
