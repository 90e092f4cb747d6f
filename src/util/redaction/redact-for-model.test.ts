import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { dose } from '../../../test/support/dose.ts';
import { hasSecretMarker, redactForModel } from './redact-for-model.ts';

const MARK = '«secret removed»';
/** Prefixes of vendor keys, with the minimum number of random characters after them. */
const KEYS: Readonly<Record<string, number>> = {
  'sk-': 10,
  ghp_: 10,
  github_pat_: 10,
  gho_: 10,
  ghu_: 10,
  ghs_: 10,
  ghr_: 10,
  'xapp-1-': 10,
  'xoxb-': 10,
  'xoxa-': 10,
  'xoxp-': 10,
  'xoxr-': 10,
  'xoxs-': 10,
  AIza: 30,
  'pplx-': 10,
  fal_: 10,
  'fc-': 10,
  bb_live_: 10,
  gAAAA: 20,
  sk_live_: 10,
  sk_test_: 10,
  rk_live_: 10,
  'SG.': 10,
  hf_: 10,
  r8_: 10,
  npm_: 10,
  'pypi-': 10,
  dop_v1_: 10,
  doo_v1_: 10,
  am_: 10,
  sk_: 10,
  'tvly-': 10,
  exa_: 10,
  gsk_: 10,
  syt_: 10,
  retaindb_: 10,
  'hsk-': 10,
  mem0_: 10,
  brv_: 10,
  'xai-': 30,
  ntn_: 10,
  'fw-': 30,
  fw_: 30,
  fpk_: 30,
  'glpat-': 10,
  'gloas-': 10,
  'gldt-': 10,
  'glrt-': 10,
  'glrtr-': 10,
  'glcbt-': 10,
  'glptt-': 10,
  'glft-': 10,
  'glimt-': 10,
  'glagent-': 10,
  'glsoat-': 10,
  'glffct-': 10,
  'glwt-': 10,
  GR1348941: 10,
  'pk-lf-': 8,
};

/** Random, with a digit and a letter, as nearly all keys have. */
const tail = (least: number) =>
  fc.stringMatching(new RegExp(`^[A-Za-z0-9]{${least - 2},${least + 30}}$`)).map((text) => `a1${text}`);

describe('text for models', () => {
  verifies('OBS-4', 'contains no vendor key', () => {
    fc.assert(
      fc.property(
        // Built once: building an arbitrary takes longer than drawing all values from it.
        fc.oneof(...Object.entries(KEYS).map(([prefix, least]) => tail(least).map((end) => prefix + end))),
        fc.constantFrom('', ' ', '"', "'", '(', '=', ':', '`', ','),
        fc.constantFrom('', ' ', '"', ')', '\n', ','),
        (key, before, after) => {
          const read = redactForModel(`x${before === '' ? ' ' : before}${key}${after} y`);
          expect(read).not.toContain(key.slice(-8));
          expect(hasSecretMarker(read)).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
    expect(redactForModel('AKIAIOSFODNN7EXAMPLE')).toBe(MARK);
    expect(redactForModel(`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${'a1b2'.repeat(8)}`)).toBe(MARK);
    expect(redactForModel(`bot 123456789:AA${'x1_'.repeat(11)}`)).toBe(`bot ${MARK}`);
  });

  verifies('OBS-4', 'contains no value whose name marks it as a secret', () => {
    for (const [text, read] of [
      ['12|DB_PASSWORD=hunter2x', `12|DB_PASSWORD=${MARK}`],
      ["export AWS_SECRET_ACCESS_KEY='wJalrXUtnFEMI/K7MDENG'", `export AWS_SECRET_ACCESS_KEY='${MARK}'`],
      ['"api_key": "abcd1234efgh",', `"api_key": "${MARK}",`],
      ['{"body":"{\\"token\\":\\"abcd1234efgh\\"}"}', `{"body":"{\\"token\\":\\"${MARK}\\"}"}`],
      ['  password: correct-horse1', `  password: ${MARK}`],
      ['postgres://me:hunter2@host/db', `postgres://me:${MARK}@host/db`],
      ['Authorization: Bearer abc123def', `Authorization: Bearer ${MARK}`],
      ['-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----', MARK],
    ] as const) {
      expect(redactForModel(text)).toBe(read);
    }
  });

  verifies('OBS-4', 'is otherwise unchanged: code, prose, hashes and ids', () => {
    const harmless = [
      '3f786850e387550fdab836ed7e6dc881de23001b',
      '123e4567-e89b-12d3-a456-426614174000',
      'sha512-abc123==',
      'password: string;',
      'const token = await getToken(user1)',
      'token: this.settings.token2',
      'apiKey: string',
      'api_key = os.environ["API_KEY_1"]',
      'API_KEY=$OTHER_KEY',
      'TOKEN=<your-token-here>',
      'MAX_TOKENS=4096',
      'nextPageToken: "CAUQAA1234567"',
      'sk_buff_head_init',
      'pypi-publish-action',
      'sk-estimator-container',
      'http://${user}:${pass}@host',
      'Authorization: Bearer ${token}',
      'Authorization: Bearer <token>',
      'password: z.string().min(8)',
      'secret = generate(32)',
      'npm_config_registry',
      'hf_hub_download',
      'am_pm_formatter',
      'passwordField: document.querySelector("#p1")',
      'the token 42 of the list',
      'PASSWORD=${PASSWORD1}',
      'key: a1',
    ];
    for (const text of harmless) expect(redactForModel(text)).toBe(text);
    const words = fc.array(fc.oneof(fc.constantFrom(...harmless), fc.uuid(), fc.stringMatching(/^[0-9a-f]{40}$/)));
    fc.assert(
      fc.property(words, fc.constantFrom('\n', ' \n', '\n\n'), (parts, gap) => {
        expect(redactForModel(parts.join(gap))).toBe(parts.join(gap));
      }),
    );
  });

  verifies('TOOL-7', 'is redacted in linear time', () => {
    for (const piece of [
      'a_',
      'TOKEN=',
      'password: ',
      'sk-',
      'eyJ',
      'a://b:',
      'Bearer ',
      '-----BEGIN ',
      '"token":"',
      'A_',
    ]) {
      const start = process.cpuUsage();
      redactForModel(piece.repeat(dose(200_000, 400_000) / piece.length));
      expect({ piece, quick: process.cpuUsage(start).user < 4_000_000 }).toEqual({ piece, quick: true });
    }
  });
});
