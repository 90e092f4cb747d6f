import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { HARMLESS_LINES } from './harmless-lines.fixture.ts';
import { createKnownSecrets, replaceRanges } from './known-secrets.ts';
import { redactForModel } from './redact-for-model.ts';
import { redactSecrets } from './redact-secrets.ts';
import { rememberSecrets } from './redact-text.ts';
import { rememberFields, rememberVariables } from './remember-secrets.ts';
import { madeUp } from './secret-lines.fixture.ts';

const MARK = '‹mark›';

function redactWith(secrets: readonly string[], text: string): string {
  const known = createKnownSecrets();
  known.add(secrets);
  return replaceRanges(text, known.find(text), MARK);
}

/** A secret of any characters; its ends make sure that it is not trivial. */
const secret = fc
  .string({
    unit: fc.constantFrom(...'abcXYZ0189 !"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~äß€😀'),
    minLength: 4,
    maxLength: 50,
  })
  .map((middle) => `Zq9${middle}7wK`);
const around = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replaceAll('Zq9', ''));

const hexBytes = (text: string) => [...Buffer.from(text)].map((byte) => byte.toString(16).padStart(2, '0'));

const ENCODERS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  hex: (text) => Buffer.from(text).toString('hex'),
  'upper-case hex': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'hex with spaces': (text) => hexBytes(text).join(' '),
  'upper-case hex with colons': (text) => hexBytes(text).join(':').toUpperCase(),
  'a list of hexadecimal numbers': (text) => hexBytes(text).join(', 0x'),
  'Unicode escapes': (text) =>
    text
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  reversed: (text) => [...text].reverse().join(''),
  'a URL parameter': encodeURIComponent,
  'a URL parameter with lower-case escapes': (text) =>
    encodeURIComponent(text).replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
  'a form': (text) => new URLSearchParams({ text }).toString().slice('text='.length),
  'escapes only': (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&'),
  JSON: (text) => JSON.stringify(text).slice(1, -1),
};

describe('a known secret', () => {
  for (const [name, encode] of Object.entries(ENCODERS)) {
    verifies('OBS-4', `is masked as ${name}, anywhere in a text`, () => {
      fc.assert(
        fc.property(secret, around, around, (value, before, after) => {
          const text = `${before} ${encode(value)}${after}`;
          const masked = redactWith([value, 'another-Secret-42'], text);
          expect(masked).toBe(text.replace(encode(value), () => MARK));
        }),
      );
    });
  }

  /** Everything that the parts of a base64 text decode to, wherever decoding begins. */
  function decoded(text: string): string {
    const parts = text
      .split(MARK)
      .flatMap((part) => [0, 1, 2, 3].map((from) => part.replaceAll(/\s/g, '').slice(from)));
    return parts.map((part) => Buffer.from(part, 'base64').toString('utf8')).join('\n');
  }

  verifies('OBS-4', 'is masked in base64, at any position and with any line breaks', () => {
    const alphabets = fc.constantFrom('base64' as const, 'base64url' as const);
    const breaks = fc.constantFrom('', '\n', '\r\n');
    const options = fc.record({ alphabet: alphabets, lineBreak: breaks, width: fc.constantFrom(60, 64, 76) });
    fc.assert(
      fc.property(secret, around, around, options, (value, before, after, { alphabet, lineBreak, width }) => {
        const whole = Buffer.from(before + value + after).toString(alphabet);
        const lines = lineBreak === '' ? [whole] : (whole.match(new RegExp(`.{1,${width}}`, 'g')) ?? []);
        const masked = redactWith([value], `$ base64 file\n${lines.join(lineBreak)}\n$ `);
        expect(masked).toContain(MARK);
        expect(decoded(masked)).not.toContain(value.slice(1, -1));
        expect(masked.startsWith('$ base64 file\n')).toBe(true);
        expect(masked.endsWith('\n$ ')).toBe(true);
      }),
    );
  });

  verifies('OBS-4', 'does not change text without it', () => {
    const values = Array.from({ length: 50 }, (_, seed) => madeUp(12 + seed, seed + 1));
    const known = createKnownSecrets();
    known.add(values);
    expect(known.find(HARMLESS_LINES.join('\n'))).toEqual([]);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        expect(known.find(text)).toEqual([]);
      }),
    );
  });

  it('is masked completely if it contains another one or overlaps it', () => {
    expect(redactWith(['Abc12345', 'Abc12345-Def67890'], 'x Abc12345-Def67890 y Abc12345')).toBe(`x ${MARK} y ${MARK}`);
    expect(redactWith(['Abc12345', '2345Def67890'], 'x Abc12345Def67890 y')).not.toMatch(/Abc1|Def6/);
  });

  it('is ignored if it is short, common, a path, a plain URL or a reference', () => {
    for (const value of [
      'abc1234',
      'changeme',
      'localhost',
      'password123',
      'your-api-key-here',
      'xxxxxxxxxxxx',
      'aaaaaaaaaaaa',
      '12345678',
      'development',
      '/run/secrets/api_key',
      '~/.config/key.json',
      'C:\\keys\\app.pem',
      'https://example.com/v1',
      '${OTHER_KEY}',
    ]) {
      expect(redactWith([value], `a ${value} b`), value).toBe(`a ${value} b`);
    }
  });

  it('is also the password of a URL, the token of a header, each line and each key of a list', () => {
    const [first, second] = [madeUp(24, 3), madeUp(24, 5)];
    expect(redactWith([`postgres://me:${first}@db/app`], `x ${first}`)).toBe(`x ${MARK}`);
    expect(redactWith(['postgres://me:p%40ss%2Fword1@db/app'], 'x p@ss/word1')).toBe(`x ${MARK}`);
    expect(redactWith([`Bearer ${first}`], `x ${first}`)).toBe(`x ${MARK}`);
    expect(redactWith([`${first},${second}`], `x ${second} ${first}`)).toBe(`x ${MARK} ${MARK}`);
    expect(redactWith([`${first}\n${second}`], `1 ${first}\n2 ${second}`)).toBe(`1 ${MARK}\n2 ${MARK}`);
  });

  it('is masked only as a whole word if it consists of letters', () => {
    expect(redactWith(['correcthorse'], 'correcthorse Xcorrecthorse')).toBe(`${MARK} Xcorrecthorse`);
  });

  verifies('OBS-4', 'is masked on screens and for models, whatever file it is from', () => {
    const [variable, field, value] = [madeUp(20, 21), madeUp(20, 22), madeUp(20, 23)];
    rememberVariables({ MY_SERVICE_KEY: variable, PATH: '/usr/bin:/bin:/opt/tools1', EDITOR: 'Editor-Name-1' });
    rememberFields({ pool: [{ access_token: field, label: 'Label-Of-Key-1' }] });
    rememberSecrets([value]);
    for (const redact of [redactSecrets, redactForModel]) {
      const text = redact(`a ${variable} b ${field} c ${value} d`);
      expect(text).toMatch(/^a (\S.*) b \1 c \1 d$/);
      expect(redact('/usr/bin:/bin:/opt/tools1 Editor-Name-1 Label-Of-Key-1')).not.toMatch(/\*|«/);
    }
  });

  it('is found quickly among many in a long text', () => {
    const known = createKnownSecrets();
    known.add(Array.from({ length: 200 }, (_, seed) => madeUp(20 + (seed % 40), seed + 1)));
    for (const piece of ['ordinary words of a log line\n', 'a', '=\n', `${'QUJD'.repeat(19)}\n`, madeUp(19, 1)]) {
      const text = piece.repeat(2_000_000 / piece.length);
      const start = process.cpuUsage();
      known.find(text);
      expect({ piece, quick: process.cpuUsage(start).user < 4_000_000 }).toEqual({ piece, quick: true });
    }
  });
});
