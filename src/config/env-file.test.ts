import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEnvText } from './env-file.ts';

const read = (content: string) => Object.fromEntries(parseEnvText(content).map(({ name, value }) => [name, value]));

describe('.env files', () => {
  const cases: [content: string, variables: Record<string, string>][] = [
    ['\uFEFFFIRST=1\nSECOND=2', { FIRST: '1', SECOND: '2' }],
    ['KEY=a#bc', { KEY: 'a#bc' }],
    ['KEY=a #bc', { KEY: 'a' }],
    ['KEY=a\t# bc # d', { KEY: 'a' }],
    ['KEY=#abc', { KEY: '#abc' }],
    ['KEY= # nothing yet', { KEY: '' }],
    ['KEY=', { KEY: '' }],
    ['  export  KEY = a b  \r\nB=2\r\n', { KEY: 'a b', B: '2' }],
    ['# KEY=1\n\nB=2 # KEY=3', { B: '2' }],
    ['not a variable\nB=2', { B: '2' }],
    ['KEY="a # b" # c\nB=2', { KEY: 'a # b', B: '2' }],
    ["KEY='a \\'b\\' \\n' \nB=2", { KEY: "a 'b' \\n", B: '2' }],
    ['KEY="a\\n\\t\\"b\\" \\d"', { KEY: 'a\n\t"b" \\d' }],
    ['KEY="two\nlines"\nB=2', { KEY: 'two\nlines', B: '2' }],
    ['KEY="never closed\nB=2', { KEY: '"never closed', B: '2' }],
    ['KEY=1\nKEY=2', { KEY: '2' }],
    ['KEY=a=b==', { KEY: 'a=b==' }],
  ];
  for (const [content, variables] of cases) {
    it(`reads ${JSON.stringify(content)}`, () => expect(read(content)).toEqual(variables));
  }

  it('return every plain value, whatever is around it', () => {
    const value = fc.stringMatching(/^[!-~]+( [!"$-~][!-~]*)*$/).filter((text) => !/^['"]/.test(text));
    const comment = fc.constantFrom('', ' # comment', '\t#', '   ');
    const lineBreak = fc.constantFrom('\n', '\r\n', '\r');
    const entries = fc.array(fc.tuple(value, comment), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(entries, lineBreak, fc.constantFrom('', '\uFEFF'), (list, end, marker) => {
        const text = marker + list.map(([each, rest], at) => `K${at}=${each}${rest}`).join(end);
        expect(parseEnvText(text).map((entry) => entry.value)).toEqual(list.map(([each]) => each));
      }),
    );
  });

  it('are covered by their entries exactly once', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('A', '=', '#', ' ', "'", '"', '\\', '\n', '\r', '\uFEFF') }),
        (text) => {
          let at = 0;
          for (const { start, end } of parseEnvText(text)) {
            expect(start).toBeGreaterThanOrEqual(at);
            expect(end).toBeGreaterThan(start);
            at = end;
          }
          expect(at).toBeLessThanOrEqual(text.length);
        },
      ),
    );
  });
});
