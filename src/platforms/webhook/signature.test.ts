import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isSigned, sign } from './signature.ts';

const NOW = 1_800_000_000_000;
const SECONDS = String(NOW / 1000);

const signed = (headers: Record<string, string>, body: Uint8Array, secret: string, now = NOW) =>
  isSigned({ header: (name) => headers[name], body }, secret, now);
const timed = (secret: string, time: string, body: Uint8Array) =>
  sign(secret, Buffer.concat([Buffer.from(`${time}.`), body]));

/** Every way to prove that the secret is known, as headers. */
const ways = (secret: string, body: Uint8Array): Record<string, string>[] => [
  { 'x-hub-signature-256': `sha256=${sign(secret, body)}` },
  { 'x-gitlab-token': secret },
  { 'x-webhook-signature-v2': timed(secret, SECONDS, body), 'x-webhook-timestamp': SECONDS },
  { 'x-webhook-signature': sign(secret, body) },
];

const secrets = fc.string({ minLength: 1 });
const bodies = fc.uint8Array({ maxLength: 200 });

it('signs like GitHub', () => {
  // The example in the documentation of GitHub.
  const body = Buffer.from('Hello, World!');
  const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
  expect(signed({ 'x-hub-signature-256': signature }, body, "It's a Secret to Everybody")).toBe(true);
  expect(sign('k', body)).toBe(createHmac('sha256', 'k').update(body).digest('hex'));
});

it('accepts the signatures of the secret, and of no other secret and no other body', () => {
  fc.assert(
    fc.property(secrets, secrets, bodies, bodies, (secret, other, body, changed) => {
      for (const headers of ways(secret, body)) {
        expect(signed(headers, body, secret)).toBe(true);
        expect(signed(headers, body, other)).toBe(other === secret);
        const isToken = headers['x-gitlab-token'] !== undefined;
        expect(signed(headers, changed, secret)).toBe(isToken || Buffer.compare(body, changed) === 0);
        expect(signed(headers, body, '')).toBe(false);
      }
    }),
  );
});

it('accepts nothing that does not contain the exact signature', () => {
  const names = ['x-hub-signature-256', 'x-gitlab-token', 'x-webhook-signature-v2', 'x-webhook-signature'];
  fc.assert(
    fc.property(secrets, bodies, fc.constantFrom(...names), fc.string(), (secret, body, name, value) => {
      fc.pre(!(name === 'x-gitlab-token' && value === secret));
      expect(signed({ [name]: value, 'x-webhook-timestamp': SECONDS }, body, secret)).toBe(false);
    }),
  );
  const body = Buffer.from('{}');
  const hex = sign('s', body);
  for (const value of [
    hex,
    `sha1=${hex}`,
    `sha256=${hex.toUpperCase()}`,
    `sha256=${hex} `,
    `sha256=${hex.slice(1)}`,
    '',
  ])
    expect(signed({ 'x-hub-signature-256': value }, body, 's')).toBe(false);
  expect(signed({}, body, 's')).toBe(false);
});

it('accepts a signature with a time for five minutes', () => {
  const body = Buffer.from('{}');
  const headers = { 'x-webhook-signature-v2': timed('s', SECONDS, body), 'x-webhook-timestamp': SECONDS };
  for (const offset of [-300_000, 0, 300_000]) expect(signed(headers, body, 's', NOW + offset)).toBe(true);
  for (const offset of [-301_000, 301_000]) expect(signed(headers, body, 's', NOW + offset)).toBe(false);
  expect(signed({ ...headers, 'x-webhook-timestamp': String(Number(SECONDS) + 1) }, body, 's')).toBe(false);
  for (const time of ['', 'NaN', '1e9', '-1']) {
    const forged = { 'x-webhook-signature-v2': timed('s', time, body), 'x-webhook-timestamp': time };
    expect(signed(forged, body, 's', Number(time) * 1000 || NOW)).toBe(false);
  }
});

it('does not accept a valid signature next to an invalid one that decides', () => {
  const body = Buffer.from('{}');
  const headers = { 'x-hub-signature-256': 'sha256=00', 'x-webhook-signature': sign('s', body) };
  expect(signed(headers, body, 's')).toBe(false);
});
