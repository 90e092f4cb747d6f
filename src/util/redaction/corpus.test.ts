import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { HARMLESS_LINES } from './harmless-lines.fixture.ts';
import { redactForModel } from './redact-for-model.ts';
import { redactSecrets } from './redact-secrets.ts';
import { exampleKeys, namedSecretLines } from './secret-lines.fixture.ts';

const REDACTORS = { model: redactForModel, screen: redactSecrets };

/** Eight characters of a secret that must not be left over; the screen may show the first six and the last four. */
function leftOver(text: string, secret: string): string | undefined {
  for (let at = 0; at + 12 <= secret.length; at += 1) {
    if (text.includes(secret.slice(at, at + 12))) return secret.slice(at, at + 12);
  }
  return undefined;
}

describe('the corpus', () => {
  verifies('OBS-4', 'of secrets: none survives', () => {
    const keys = exampleKeys().flatMap(({ name, key }) =>
      [`found ${key} in`, `{"k":"${key}"}`, `x=${key}`, `a\\n${key}\\n`, `u%3D${key}`].map((line) => ({
        name,
        line,
        secret: key,
      })),
    );
    const named = namedSecretLines().map((entry) => ({ name: 'named', ...entry }));
    expect(exampleKeys().length + named.length).toBeGreaterThanOrEqual(250);
    const survivors = [...keys, ...named].flatMap(({ name, line, secret }) =>
      Object.entries(REDACTORS).flatMap(([reader, redact]) =>
        leftOver(redact(line), secret) === undefined ? [] : [`${name} (${reader}): ${line}`],
      ),
    );
    expect(survivors).toEqual([]);
  });

  verifies('OBS-4', 'of code and logs: every line stays as it is', () => {
    expect(HARMLESS_LINES.length).toBeGreaterThanOrEqual(150);
    const changed = HARMLESS_LINES.flatMap((line) =>
      Object.entries(REDACTORS).flatMap(([reader, redact]) =>
        redact(line) === line ? [] : [`${reader}: ${line} → ${redact(line)}`],
      ),
    );
    expect(changed).toEqual([]);
  });

  it('stays as it is as one text, too', () => {
    const text = HARMLESS_LINES.join('\n');
    for (const redact of Object.values(REDACTORS)) expect(redact(text)).toBe(text);
  });
});
