import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createOutputWatch, readOutput } from './run-code.ts';

const MARK = 'f00d ';
const end = (report: object) => `\n${MARK}${JSON.stringify(report)}\n`;

it('separates the output of a script from the runner report', () => {
  const report = { code: 3, signal: null, errors: Buffer.from('oh').toString('base64') };
  expect(readOutput(`one\ntwo\n${end(report)}`, MARK)).toEqual({
    printed: 'one\ntwo\n',
    report: { code: 3, signal: undefined, errors: 'oh' },
  });
  expect(readOutput('cut off', MARK)).toEqual({ printed: 'cut off', report: undefined });
  expect(readOutput(`x\n${MARK}{"code":`, MARK)).toEqual({ printed: 'x', report: undefined });
});

it('parses the report whatever the script printed', () => {
  fc.assert(
    fc.property(fc.string(), fc.anything(), (printed, report) => {
      const read = readOutput(`${printed}\n${MARK}${JSON.stringify(report)}`, MARK);
      expect(typeof read.printed).toBe('string');
      expect(read.report === undefined || typeof read.report.errors === 'string').toBe(true);
    }),
  );
});

it('streams all output and nothing of the report, however it is chunked', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.nat(12), { minLength: 1, maxLength: 30 }), (printed, sizes) => {
      let shown = '';
      const watch = createOutputWatch(MARK, (text) => {
        shown += text;
      });
      const all = printed + end({ code: 0, signal: null, errors: '' });
      for (let at = 0, turn = 0; at < all.length; turn += 1) {
        const size = (sizes[turn % sizes.length] ?? 0) + 1;
        watch(all.slice(at, at + size));
        at += size;
      }
      expect(shown).toBe(printed);
    }),
  );
});
