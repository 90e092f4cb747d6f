import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactSecrets } from './redact.ts';

const SECRET_TAIL = fc.stringMatching(/^[A-Za-z0-9]{32,60}$/);

describe('redactSecrets', () => {
  it('masks keys of many shapes wherever they stand', () => {
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

  it('masks bearer headers, passwords in addresses, assignments and private keys', () => {
    expect(redactSecrets('Authorization: Bearer abc.def')).toBe('Authorization: Bearer ***');
    expect(redactSecrets('postgres://me:hunter2@host/db')).toBe('postgres://me:***@host/db');
    expect(redactSecrets('OPENAI_API_KEY=abcdef')).toBe('OPENAI_API_KEY=***');
    expect(redactSecrets('{"api_key": "abcdef", "n": 1}')).toBe('{"api_key": "***", "n": 1}');
    expect(redactSecrets('-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----')).not.toContain('abc');
  });

  it('leaves ordinary text alone', () => {
    const text = 'The task-force asked for a sketch of the key idea: tokens per second, secretly good.';
    expect(redactSecrets(text)).toBe(text);
  });
});
