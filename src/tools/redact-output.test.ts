import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { redactForModel, rememberSecrets } from '../util/index.ts';
import { createRedactedStream } from './redact-output.ts';

function throughStream(pieces: readonly string[]): string[] {
  const shown: string[] = [];
  const stream = createRedactedStream((text) => shown.push(text));
  for (const piece of pieces) stream.push(piece);
  stream.end();
  return shown;
}

const KEY = 'ghp_a1B2c3D4e5F6g7H8i9';
/** A private key, which spans several whole lines. */
const PRIVATE = [
  '',
  '-----BEGIN RSA PRIVATE KEY-----',
  'MIIBOgIBAAJBAK',
  'a1b2c3',
  '-----END RSA PRIVATE KEY-----',
].join('\n');
/** A secret with spaces, which is known by its value. */
const KNOWN = 'hunter2hunter2 has 3 words';
rememberSecrets([KNOWN]);
const SECRETS = [
  KEY,
  `the key is ${KEY}, see`,
  'OPENAI_API_KEY=a1b2c3d4e5f6g7h8',
  'password: "hunter2hunter2"',
  'password:\n  hunter2hunter2',
  'Authorization: Bearer a1b2c3d4e5f6g7h8i9',
  'postgres://me:hunter2hunter2@host/db',
  PRIVATE,
  'Cookie: theme=dark; session=a1b2c3d4e5f6g7h8; lang=en',
  'machine example.com login me password hunter2hunter2',
  'mysql -u root -phunter2hunter2 app',
  'tool --verbose --password hunter2hunter2 --all',
  'curl -s -u me:hunter2hunter2 https://example.com',
  KNOWN,
  Buffer.from(`some text before ${KNOWN}, and more text after it`).toString('base64').replaceAll(/.{44}/g, '$&\n'),
];
const words = fc.constantFrom(
  'word',
  ' ',
  '\n',
  '\r',
  '50%',
  'token',
  'password',
  ':',
  '=',
  'Bearer',
  'Continue? [y/N] ',
);
const text = fc.array(fc.oneof(words, fc.constantFrom(...SECRETS), fc.string()), { maxLength: 12 });

describe('createRedactedStream', () => {
  verifies('OBS-4', 'redacts a stream like the whole text, wherever it is split', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(400), { maxLength: 8 }), (parts, cuts) => {
        const whole = parts.join('');
        const places = [0, ...cuts.filter((at) => at < whole.length).sort((a, b) => a - b), whole.length];
        const pieces = places.slice(1).map((end, index) => whole.slice(places[index], end));
        expect(throughStream(pieces).join('')).toBe(redactForModel(whole));
      }),
      { numRuns: 500 },
    );
  });

  verifies('OBS-4', 'never shows a secret that arrives byte by byte', () => {
    for (const secret of SECRETS) {
      const shown = throughStream([...`before ${secret} behind`]).join('');
      expect(shown).toContain('«secret removed»');
      expect(shown).not.toMatch(/a1B2c3D4|hunter2|a1b2c3/);
    }
  });

  it('immediately emits text that cannot be part of a secret', () => {
    const shown: string[] = [];
    const stream = createRedactedStream((piece) => shown.push(piece));
    stream.push('Continue? [y/N] ');
    stream.push('50% \r60% \rcompil');
    expect(shown).toEqual(['Continue? [y/N] ', '50% \r60% \r']);
    stream.end();
    expect(shown.at(-1)).toBe('compil');
  });

  it('holds back a limited amount, and a private key until its end', () => {
    const shown: string[] = [];
    const stream = createRedactedStream((piece) => shown.push(piece));
    stream.push('.'.repeat(20_000));
    expect(shown).toEqual(['.'.repeat(20_000)]);
    stream.push(`\n-----BEGIN PRIVATE KEY-----\n${'secretLine\n'.repeat(3000)}`);
    stream.push('secretLine\n-----END PRIVATE KEY-----\nafter\n');
    stream.end();
    expect(shown.slice(1).join('')).toMatch(/^\n(?:«secret removed»)+\nafter\n$/);
  });

  it('is fast with large output', () => {
    const begun = performance.now();
    throughStream(Array.from({ length: 2000 }, (_, at) => `line ${at} of some ordinary output\n`.repeat(20)));
    expect(performance.now() - begun).toBeLessThan(5000);
  });
});
