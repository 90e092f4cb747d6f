import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SubagentReport } from '../../contracts/index.ts';
import { fitReports, formatReports } from './format-reports.ts';

function report(text: string, more: Partial<SubagentReport> = {}): SubagentReport {
  return {
    sessionId: 's',
    ended: 'completed',
    text,
    error: undefined,
    apiCalls: 1,
    toolCalls: 2,
    durationMs: 1500,
    ...more,
  };
}

it('says of each task how it ended, and what came of it', () => {
  const reports = [report('found'), report('', { ended: 'failed', error: 'no key', sessionId: undefined })];
  expect(formatReports(reports, [{ goal: 'find\nit' }, { goal: 'b' }])).toBe(
    '## Task 1 (find it): completed, tool calls: 2, 2 s\nfound\n\n## Task 2 (b): failed\nReason: no key',
  );
});

it('keeps within the limit, keeps the order, and leaves short reports whole', () => {
  const lengths = fc.array(fc.nat(40_000), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(lengths, fc.integer({ min: 6_000, max: 24_000 }), (sizes, limit) => {
      const reports = sizes.map((size, index) => report(`<${index}${'x'.repeat(size)}${index}>`));
      const tasks = sizes.map((_, index) => ({ goal: `goal ${index}` }));
      const fitted = fitReports(reports, tasks, { limit, where: 'All are in /file.txt.' });
      expect(fitted.length).toBeLessThanOrEqual(limit);
      expect(fitted).toContain('/file.txt');
      const heads = sizes.map((_, index) => fitted.indexOf(`## Task ${index + 1} `));
      expect(heads.every((place, index) => place >= 0 && place > (heads[index - 1] ?? -1))).toBe(true);
      const short = reports.filter(({ text }) => text.length < 100);
      expect(short.filter(({ text }) => !fitted.includes(text))).toEqual([]);
    }),
  );
});
