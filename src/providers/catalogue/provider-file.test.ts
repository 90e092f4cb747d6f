import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { type CatalogueEntry, formatEntry, isModelName, parseEntry } from './entry-line.ts';
import { formatProviderFile, readProviderFile } from './provider-file.ts';

const origin = { source: 'somebody', version: '2026-11-02', subscription: false };
const DATA = join(import.meta.dirname, 'data');

const prices = fc.record(
  {
    input: fc.integer({ min: 0, max: 99_999 }).map((cents) => cents / 1000),
    output: fc.integer({ min: 0, max: 99_999 }).map((cents) => cents / 1000),
    cacheRead: fc.integer({ min: 0, max: 9_999 }).map((cents) => cents / 10_000),
    cacheWrite: fc.integer({ min: 0, max: 9_999 }).map((cents) => cents / 10_000),
  },
  { requiredKeys: ['input', 'output'] },
);
const price = fc
  .tuple(prices, fc.array(fc.tuple(fc.integer({ min: 1, max: 10_000_000 }), prices), { maxLength: 2 }))
  .map(([base, tiers]) => ({
    ...base,
    ...(tiers.length === 0 ? {} : { tiers: tiers.map(([above, tier]) => ({ above, ...tier })) }),
    source: origin.source,
    version: origin.version,
  }));
const entry: fc.Arbitrary<CatalogueEntry> = fc.record({
  id: fc.stringMatching(/^[!-"$-~][!-~]{0,30}$/),
  facts: fc.record(
    {
      contextLength: fc.integer({ min: 1, max: 10_000_000 }),
      outputLimit: fc.integer({ min: 1, max: 10_000_000 }),
      tools: fc.boolean(),
      vision: fc.boolean(),
      documents: fc.boolean(),
      reasoning: fc.boolean(),
      price,
    },
    { requiredKeys: ['tools'] },
  ),
});

describe('a provider file', () => {
  it('returns every entry that was written', () => {
    fc.assert(
      fc.property(fc.uniqueArray(entry, { selector: ({ id }) => id.toLowerCase() }), (entries) => {
        const file = readProviderFile(formatProviderFile([{ origin, entries }]));
        expect(file?.entries()).toEqual(entries);
        for (const one of entries) expect(file?.find(one.id.toUpperCase())).toEqual(one);
      }),
    );
  });

  it('parses any line without an error, and never returns an invalid price', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (id, columns) => {
        const { input = 0, output = 0 } = parseEntry([id, ...columns].join('\t'), origin)?.facts.price ?? {};
        expect(Math.min(input, output)).toBeGreaterThanOrEqual(0);
      }),
    );
    for (const bad of ['-1/2', 'NaN/1', '1', '1/', 'Infinity/1', '1/2\t\t1>x', '1/2\t\tx>1/2']) {
      expect([bad, parseEntry(`m\t1\t1\tT\t${bad}`, origin)?.facts.price]).toEqual([bad, undefined]);
    }
  });

  it('is rejected if a part is missing, and any text is parsed without an error', () => {
    const whole = formatProviderFile([{ origin, entries: [{ id: 'm', facts: { tools: true } }] }]);
    for (let length = 0; length < whole.length; length += 1)
      expect(readProviderFile(whole.slice(0, length))).toBeUndefined();
    expect(readProviderFile('<html>#end\n')).toBeUndefined();
    fc.assert(fc.property(fc.string(), (text) => void readProviderFile(`${text}#end\n`)?.entries()));
  });

  it('has sections with separate sources', () => {
    const old = { source: 'others', version: '2020', subscription: false };
    const one = { id: 'new', facts: { price: { input: 1, output: 2, ...named(origin) } } };
    const two = { id: 'old', facts: { price: { input: 3, output: 4, ...named(old) } } };
    const file = readProviderFile(
      formatProviderFile([
        { origin, entries: [one] },
        { origin: old, entries: [two] },
      ]),
    );
    expect(file?.find('new')).toEqual(one);
    expect(file?.find('old')).toEqual(two);
    expect(file?.version).toBe('2026-11-02');
  });
});

const named = ({ source, version }: typeof origin) => ({ source, version });

describe('the bundled files', () => {
  const files = readdirSync(DATA).map((name) => [name, readFileSync(join(DATA, name), 'utf8')] as const);

  verifies('PROV-10', 'are small, complete and dated, and every line is valid', () => {
    const bytes = files.reduce((sum, [, text]) => sum + text.length, 0);
    expect(bytes).toBeLessThan(300_000);
    expect(files.length).toBeGreaterThan(15);
    for (const [name, text] of files) {
      const file = readProviderFile(text);
      const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      expect([name, file?.entries().map(formatEntry)]).toEqual([name, lines]);
      expect(file?.version).toMatch(/^20\d\d-\d\d-\d\d$/);
      expect(lines.every((line) => isModelName(line.split('\t')[0] ?? ''))).toBe(true);
    }
  });

  verifies('PROV-10', 'have no price for subscriptions, and a zero price only for free models', () => {
    for (const [name, text] of files) {
      const file = readProviderFile(text);
      for (const { id, facts } of file?.entries() ?? []) {
        if (file?.subscription) expect([name, id, facts.price]).toEqual([name, id, undefined]);
        if (facts.price?.input === 0 && facts.price.output === 0) expect(id).toMatch(/free$/);
      }
    }
  });
});
