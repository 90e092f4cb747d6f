import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { looksLikeKey } from './find-keys.ts';
import { redactSecrets } from './redact-secrets.ts';

const SECRET_TAIL = fc.stringMatching(/^[A-Za-z0-9]{32,60}$/);

describe('redactSecrets', () => {
  it('masks keys of many formats in any position', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('sk-', 'ghp_', 'gsk_', 'hf_', 'xai-', 'AIza', 'npm_'),
        SECRET_TAIL,
        (prefix, tail) => {
          for (const text of [`key ${prefix}${tail}.`, `{"k":"${prefix}${tail}"}`, `(${prefix}${tail})`]) {
            expect(redactSecrets(text)).not.toContain(tail);
          }
        },
      ),
    );
  });

  it('masks bearer headers, passwords in URLs, assignments and private keys', () => {
    expect(redactSecrets('Authorization: Bearer abc.def')).toBe('Authorization: Bearer ***');
    expect(redactSecrets('postgres://me:hunter2@host/db')).toBe('postgres://me:***@host/db');
    expect(redactSecrets('OPENAI_API_KEY=abcdef')).toBe('OPENAI_API_KEY=***');
    expect(redactSecrets('{"api_key": "abcdef", "n": 1}')).toBe('{"api_key": "***", "n": 1}');
    expect(redactSecrets('-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----')).not.toContain('abc');
  });

  it('masks tokens, other authorization schemes, and passwords that contain an @', () => {
    expect(redactSecrets('GET /x?token=abc123&n=1')).toBe('GET /x?token=***&n=1');
    expect(redactSecrets('GITHUB_TOKEN: abc')).toBe('GITHUB_TOKEN: ***');
    expect(redactSecrets('{"token": "abc", "n": 1}')).toBe('{"token": "***", "n": 1}');
    expect(redactSecrets('{"refreshToken":"abc"}')).toBe('{"refreshToken":"***"}');
    expect(redactSecrets('Authorization: Basic dXNlcjpwYXNz')).toBe('Authorization: Basic ***');
    expect(redactSecrets('"authorization":"token abc"')).toBe('"authorization":"token ***"');
    expect(redactSecrets('Bearer eyJhbGciOi.x')).toBe('Bearer eyJhbGciOi.x');
    expect(redactSecrets('Bearer eyJhbGci0i.x')).toBe('Bearer ***');
    expect(redactSecrets('postgres://me:p@ss:w@rd@host:5432/db')).toBe('postgres://me:***@host:5432/db');
    expect(redactSecrets('redis://:hunter2@host')).toBe('redis://:***@host');
  });

  it('masks a quoted value completely, and keeps nested JSON valid', () => {
    expect(redactSecrets('password: "two words, and more"')).toBe('password: "***"');
    const inner = JSON.stringify({ api_key: 'hunter2hunter2', n: 1 });
    const masked = redactSecrets(JSON.stringify({ body: inner }));
    expect(JSON.parse((JSON.parse(masked) as { body: string }).body)).toEqual({ api_key: '***', n: 1 });
  });

  it('does not change ordinary text', () => {
    const text = 'The task-force asked for a sketch of the key idea: tokens per second, secretly good.';
    expect(redactSecrets(text)).toBe(text);
    const words = fc.constantFrom(
      'token',
      'tokens',
      'Basic',
      'basic authentication',
      'Bearer authentication',
      'the bearer of',
      'secret',
      'password',
      'api key',
      'authorization',
      'max_tokens=4096',
      '"max_tokens": 12',
      'tokens: 7',
      'x=1',
      'a: b',
      'http://127.0.0.1:8080/v1?to=me@example.com',
      'http://host:80',
      'me@example.com',
      'ssh://git@host:22/x',
      'skilful',
      'hf',
      'npm_config',
      'C:\\dir',
      '"quoted"',
      "it's",
      '{}',
      '0x1f',
      '日本',
      '✓',
    );
    const gaps = fc.constantFrom(' ', '\n', ', ', '. ', ' - ', '; ');
    fc.assert(
      fc.property(fc.array(fc.tuple(words, gaps), { maxLength: 30 }), (parts) => {
        const ordinary = parts.flat().join('');
        expect(redactSecrets(ordinary)).toBe(ordinary);
      }),
      { numRuns: 500 },
    );
  });

  it('takes linear time', () => {
    const pieces = [
      'a.',
      'a-',
      'secret ',
      'token',
      'Bearer ',
      'a://',
      'a:',
      '@',
      '-----BEGIN ',
      'PRIVATE KEY',
      ' ',
      '"',
      'sk-',
    ];
    for (const piece of [...pieces, 'http://a:@', 'password: "', 'authorization: ', 'Bearer a', '\\"token\\"']) {
      const time = (length: number) => {
        const text = piece.repeat(length / piece.length);
        const start = process.cpuUsage();
        redactSecrets(text);
        return process.cpuUsage(start).user;
      };
      time(20_000);
      // A quadratic pattern would need minutes here instead of a fraction of a second.
      expect({ piece, quick: time(400_000) < 4_000_000 }).toEqual({ piece, quick: true });
    }
  });
});

describe('looksLikeKey', () => {
  it('recognises values that start like a key, and no others', () => {
    for (const key of [`glpat-${'x'.repeat(20)}`, `sk_live_${'x'.repeat(24)}`, `ghp_${'x'.repeat(36)}`]) {
      expect(looksLikeKey(key), key).toBe(true);
      expect(looksLikeKey(`/opt/${key}/bin`), key).toBe(false);
    }
    for (const value of ['', 'sketch', '/usr/bin:/bin', 'en_GB.UTF-8', 'sk-short']) {
      expect(looksLikeKey(value), value).toBe(false);
    }
  });
});
