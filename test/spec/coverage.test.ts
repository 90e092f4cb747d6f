import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isTest, readSources } from '../shape/source-file.ts';
import { checkCoverage, findClaims } from './coverage.ts';
import { RULES, type Rule } from './rules.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Part of the package, so that authors of plugins can run it. */
const CHANNEL_SUITE = 'src/testing/channel-suite/';

describe('the rules of the specification', () => {
  it('are verified by tests if they are marked done', () => {
    const tests = readSources(ROOT, ['src', 'test']).filter(
      ({ path }) => isTest(path) || path.startsWith(CHANNEL_SUITE),
    );
    // This file contains verifies(…) only in string literals, which do not count.
    expect(checkCoverage(RULES, tests).join('\n')).toBe('');
  });
});

const RULE: Rule = { behaviour: 'something happens', state: 'planned' };
const file = (text: string) => ({ path: 'src/x/a.test.ts', text });
const claimed = (text: string) => findClaims(file(text)).claims.map(({ rule }) => rule);

describe('finding verified rules', () => {
  it('reads single rules and lists, wherever the call is', () => {
    expect(claimed("verifies('LOOP-1', 'x', () => {});")).toEqual(['LOOP-1']);
    expect(claimed("verifies('LOOP-1', 'x', fullDoseOnly, () => {});")).toEqual(['LOOP-1']);
    expect(claimed("describe('d', () => {\n  verifies(\n    ['A-1', 'A-2'],\n    'x', async () => {});\n});")).toEqual([
      'A-1',
      'A-2',
    ]);
  });

  it('ignores comments and strings', () => {
    expect(claimed("// verifies('A-1', 'x', f)\n/* verifies('A-2') */\nconst s = \"verifies('A-3')\";")).toEqual([]);
  });

  it('requires literal rule ids, and no skipped groups', () => {
    expect(findClaims(file('\nverifies(rule, name, f);')).problems).toEqual([
      'src/x/a.test.ts:2 verifies(…) must name its rules as string literals',
    ]);
    expect(findClaims(file("verifies(['A-1', rule], name, f);")).problems).toHaveLength(1);
    const skipped = findClaims(
      file("describe.skip('d', () => { verifies('A-1', 'x', f); });\nverifies('A-2', 'x', f);"),
    );
    expect(skipped.problems.join()).toContain('verifies nothing');
    expect(skipped.claims.map(({ rule }) => rule)).toEqual(['A-2']);
  });
});

describe('the coverage check', () => {
  const test = file("verifies('A-1', 'x', () => {});");

  it('accepts done rules with a test and planned rules without one', () => {
    expect(checkCoverage({ 'A-1': { ...RULE, state: 'done' }, 'A-2': RULE }, [test])).toEqual([]);
  });

  it('reports a done rule without a test', () => {
    expect(checkCoverage({ 'A-1': RULE, 'A-2': { ...RULE, state: 'done' } }, [test])).toEqual([
      'A-2 is marked done, but no test verifies it',
    ]);
  });

  it('reports a test with an unknown rule', () => {
    expect(checkCoverage({ 'A-2': RULE }, [test])).toEqual(['src/x/a.test.ts:1 names the unknown rule A-1']);
    // Names of Object.prototype are not rules.
    expect(checkCoverage({}, [file("verifies('toString', 'x', f);")])).toHaveLength(1);
  });

  it('reports a partial rule that does not say what is missing', () => {
    const partial = { ...RULE, state: 'partial' } as const;
    expect(checkCoverage({ 'A-1': { ...partial, note: 'missing: the rest' } }, [test])).toEqual([]);
    expect(checkCoverage({ 'A-1': partial }, [test])).toEqual(['A-1 is partial, but no note says what is missing']);
  });

  it('reports a rule without a description', () => {
    expect(checkCoverage({ 'A-1': { ...RULE, behaviour: ' ' } }, [test])).toEqual(['A-1 has no description']);
  });
});
