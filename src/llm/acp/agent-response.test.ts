import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCallScanner, type ScannedCall } from './agent-response.ts';

const MARK = '0123456789';

type Outcome = { text: string; calls: readonly ScannedCall[]; started: string[] };

function scan(...pieces: string[]): Outcome {
  const scanner = createCallScanner(MARK);
  const events = [...pieces.flatMap((piece) => scanner.push(piece)), ...scanner.finish()];
  return {
    text: events.map((event) => (event.type === 'text-delta' ? event.text : '')).join(''),
    calls: scanner.calls(),
    started: events.flatMap((event) => (event.type === 'tool-call-start' ? [event.name] : [])),
  };
}

const call = (name: string, args: string) => `<call-${MARK} ${name}>\n${args}\n</call-${MARK}>`;

describe('scanning a response for calls', () => {
  const cases: [name: string, written: string, text: string, calls: [string, string][]][] = [
    ['one call', call('echo', '{"a":1}'), '', [['echo', '{"a":1}']]],
    ['on one line', `<call-${MARK} echo>{"a":1}</call-${MARK}>`, '', [['echo', '{"a":1}']]],
    ['indented', `  <call-${MARK} echo>\n  {}\n  </call-${MARK}>  `, '', [['echo', '{}']]],
    ['with Windows line ends', `a\r\n<call-${MARK} echo>\r\n{}\r\n</call-${MARK}>\r\nb`, 'a\n\nb', [['echo', '{}']]],
    ['in a fence', call('echo', '```json\n{"a": 1}\n```'), '', [['echo', '{"a": 1}']]],
    ['text around', `Before.\n\n${call('echo', '{}')}\n\nAfter.`, 'Before.\n\nAfter.', [['echo', '{}']]],
    [
      'two in a row',
      `${call('a', '1')}\n${call('b', '2')}`,
      '',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    ['arguments that are not JSON', call('echo', 'no json'), '', [['echo', 'no json']]],
    ['without arguments', call('echo', ''), '', [['echo', '']]],
    ['a missing closing tag', `<call-${MARK} echo>\n{"a":`, '', [['echo', '{"a":']]],
    [
      'the closing tag inside a string',
      call('echo', `{"a":"</call-${MARK}> x"}`),
      '',
      [['echo', `{"a":"</call-${MARK}> x"}`]],
    ],
    ['not at the start of a line', `Write ${call('echo', '{}')}`, `Write ${call('echo', '{}')}`, []],
    [
      'another mark',
      call('echo', '{}').replaceAll(MARK, '9876543210'),
      call('echo', '{}').replaceAll(MARK, '9876543210'),
      [],
    ],
    ['without a marker', '<call echo>\n{}\n</call>', '<call echo>\n{}\n</call>', []],
    ['without a name', `<call-${MARK} >\n{}`, `<call-${MARK} >\n{}`, []],
    ['a name with spaces', `<call-${MARK} a b>\n{}`, `<call-${MARK} a b>\n{}`, []],
    ['a name that never ends', `<call-${MARK} ${'a'.repeat(200)}`, `<call-${MARK} ${'a'.repeat(200)}`, []],
    ['only the start of a tag', `<call-${MARK}`, `<call-${MARK}`, []],
    ['indented code', '    let a = 1;\n', '    let a = 1;', []],
  ];
  for (const [name, written, text, calls] of cases) {
    it(`${name}, however the text is split`, () => {
      const expected = { text, calls: calls.map(([called, args]) => ({ name: called, arguments: args })) };
      expect(scan(written)).toMatchObject(expected);
      expect(scan(...written)).toMatchObject(expected);
    });
  }

  /** Texts with many fragments that resemble a call. */
  const hostile = fc
    .array(
      fc.oneof(
        fc.constantFrom('\n', ' ', '\t', '\r\n', '<', '>', '</', '<call-', `<call-${MARK}`, `<call-${MARK} echo>`),
        fc.constantFrom(`</call-${MARK}>`, 'echo', '{"a":1}', '```', '<call-9876543210 rm>', '\u2028', '\0'),
        fc.string({ maxLength: 5 }),
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join(''));

  it('accepts only the exact tag at the start of a line as a call', () => {
    fc.assert(
      fc.property(hostile, (written) => {
        const opened = written.match(new RegExp(`(?:^|\\n)[^\\S\\n]*<call-${MARK} [\\w.:-]{1,128}>`, 'g'))?.length ?? 0;
        const { calls, started } = scan(written);
        expect(calls.length).toBeLessThanOrEqual(opened);
        expect(started).toEqual(calls.map(({ name }) => name));
        expect(calls.length > 0).toBe(opened > 0);
      }),
      { numRuns: 2000 },
    );
  });

  it('loses nothing but whitespace if there is no call', () => {
    fc.assert(
      fc.property(hostile, (written) => {
        const plain = written.replaceAll(`<call-${MARK} `, '<call ');
        expect(scan(plain).text.trim()).toBe(plain.trim());
      }),
    );
  });

  it('gives the same result however the text is split', () => {
    fc.assert(
      fc.property(hostile, fc.array(fc.nat(200)), (written, places) => {
        const cuts = [...new Set(places.map((index) => Math.min(index, written.length)))].sort((a, b) => a - b);
        const pieces = [...cuts, written.length].map((cut, index) => written.slice(cuts[index - 1] ?? 0, cut));
        expect(scan(...pieces)).toEqual(scan(written));
      }),
      { numRuns: 1000 },
    );
  });

  it('handles megabytes in small chunks in reasonable time', () => {
    const scanner = createCallScanner(MARK);
    scanner.push(`<call-${MARK} echo>\n`);
    for (let index = 0; index < 200_000; index += 1) scanner.push('0123456789');
    scanner.push(`\n</call-${MARK}>`);
    scanner.finish();
    expect(scanner.calls()[0]?.arguments).toHaveLength(2_000_000);
  });
});
