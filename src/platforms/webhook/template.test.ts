import fc from 'fast-check';
import { expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { JsonObject, JsonValue } from '../../base/index.ts';
import { renderPrompt, renderText, valueAt } from './template.ts';

const PAYLOAD: JsonObject = {
  number: 12,
  draft: false,
  closed_at: null,
  pull_request: { title: 'Fix {number} and $& $1', labels: ['a', 'b'] },
  commits: [{ message: 'first' }],
};

it.each([
  ['PR {number}, draft {draft}, {closed_at}', 'PR 12, draft false, null', []],
  ['Review {pull_request.title}', 'Review {pull_request.title}', [['pull_request.title', 'Fix {number} and $& $1']]],
  [
    '{commits.0.message} {commits.1.message}',
    '{commits.0.message} {commits.1.message}',
    [['commits.0.message', 'first']],
  ],
  ['{pull_request.labels}', '{pull_request.labels}', [['pull_request.labels', '["a","b"]']]],
  ['{missing} {number.x} { number } {}', '{missing} {number.x} { number } {}', []],
  ['{__proto__} {constructor} {pull_request.toString} {commits.length}', undefined, []],
  ['{commits.0.message} and {commits.0.message}', undefined, [['commits.0.message', 'first']]],
])('renders %s', (template, text, fields) => {
  const rendered = renderPrompt(template, PAYLOAD);
  expect(rendered.text).toBe(text ?? template);
  expect(rendered.fields.map(({ name, value }) => [name, value])).toEqual(fields);
});

it('inserts every value into a text for people, once', () => {
  const template = '#{number} {pull_request.title} {missing}';
  expect(renderText(template, PAYLOAD)).toBe('#12 Fix {number} and $& $1 {missing}');
});

it('truncates long texts, nested values and the whole payload', () => {
  const payload = { long: 'x'.repeat(20_000), list: Array<number>(5000).fill(1), more: { text: '😀'.repeat(9000) } };
  const [long, list, raw] = renderPrompt('{long} {list} {__raw__}', payload).fields;
  expect(long?.value).toMatch(/^x{16000}… \(4000 characters omitted\)$/);
  expect(list?.value).toMatch(/^\[1,1.{1990,2000}… \(\d+ characters omitted\)$/);
  expect(raw?.value.length).toBeLessThan(4100);
  const names = Array.from({ length: 10 }, (_, index) => `f${index}`);
  const many = Object.fromEntries(names.map((name) => [name, 'y'.repeat(16_000)]));
  const all = renderPrompt(names.map((name) => `{${name}}`).join(), many).fields;
  expect(all.reduce((sum, { value }) => sum + value.length, 0)).toBeLessThan(65_000);
  expect(all).toHaveLength(10);
});

const payloads = fc.dictionary(fc.stringMatching(/^\w{1,5}$/), fc.jsonValue()) as fc.Arbitrary<JsonObject>;

verifies('GW-24', 'never makes text of the payload part of the instructions', () => {
  const templates = fc
    .array(fc.oneof(fc.string(), fc.stringMatching(/^\{[\w.-]{1,12}\}$/)))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(templates, payloads, (template, payload) => {
      const { text, fields } = renderPrompt(template, payload);
      // What differs from the template is a number, a boolean or null.
      const scalar = String.raw`(?:-?\d[\d.e+-]*|true|false|null)`;
      const parts = template
        .split(/\{[\w.-]{1,200}\}/)
        .map((part) => part.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`));
      expect(text).toMatch(new RegExp(`^${parts.join(String.raw`(?:\{[\w.-]{1,200}\}|${scalar})`)}$`, 's'));
      for (const { name } of fields) expect(template).toContain(`{${name}}`);
      expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length);
    }),
  );
});

it('finds exactly what a payload contains, for any path', () => {
  const lookUp = (value: JsonValue | undefined, path: readonly string[]): JsonValue | undefined => {
    const [name, ...rest] = path;
    if (name === undefined) return value;
    if (typeof value !== 'object' || value === null) return undefined;
    const entries = new Map(Object.entries(value));
    return entries.has(name) ? lookUp(entries.get(name), rest) : undefined;
  };
  fc.assert(
    fc.property(payloads, fc.array(fc.stringMatching(/^\w{1,5}$/), { minLength: 1 }), (payload, path) => {
      const keys = [...path, ...Object.keys(payload).slice(0, 2)];
      for (const key of keys) expect(valueAt(payload, key)).toEqual(lookUp(payload, [key]));
      expect(valueAt(payload, path.join('.'))).toEqual(lookUp(payload, path));
    }),
  );
});
