import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { Skill } from '../contracts/index.ts';
import { formatIndex } from './skill-index.ts';

const skill = (name: string, category = 'general', description = `What ${name} is for`): Skill => ({
  name,
  category,
  description,
  origin: 'user',
  folder: `/skills/${name}`,
});
const shipped = (name: string, category: string): Skill => ({ ...skill(name, category), origin: 'bundled' });
const TOOLS = { toolNames: ['skill_view', 'skills_list', 'skill_manage'] };
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => skill(`skill-number-${index}`, `group-${index % 7}`, 'x'.repeat(200)));

describe('the skill index', () => {
  verifies(
    'PROMPT-5',
    'lists skills by category, with a description of those that are not bundled, and says how to read them',
    () => {
      const own = [skill('b', 'work', 'word '.repeat(20)), skill('a'), skill('c', 'work')];
      const index = formatIndex([...own, shipped('plan', 'work'), shipped('e', 'f'), shipped('g', 'f')], TOOLS, 1_500);
      expect(index?.split('\n').slice(2)).toEqual([
        'f: e, g',
        'general:',
        '- a: What a is for',
        'work: plan',
        '- b: word word word word word word word word word word word wo…',
        '- c: What c is for',
      ]);
      expect(index).toContain('read it with `skill_view`');
    },
  );

  verifies('PROMPT-5', 'is omitted without the tool that reads skills', () => {
    expect(formatIndex([skill('a')], { toolNames: ['terminal'] }, 1_500)).toBeUndefined();
    expect(formatIndex([], TOOLS, 1_500)).toBeUndefined();
  });

  verifies('PROMPT-5', 'drops descriptions first and then names to stay within its budget', () => {
    const sizes = [10, 120, 500, 3_000].map((count) => formatIndex(many(count), TOOLS, 1_500) ?? '');
    for (const index of sizes) expect(index.length / 4).toBeLessThanOrEqual(1_500);
    expect(sizes[0]).toContain('- skill-number-0: xxx');
    expect(sizes[1]).toMatch(/^group-1: skill-number-1, skill-number-8, /m);
    expect(sizes[3]).toMatch(/… and \d+ more: list them with skills_list$/);
    expect(formatIndex(many(5), TOOLS, 0)).toMatch(/5 skills: list them with skills_list$/);
  });

  it('says how many skills are omitted, and never exceeds its budget', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 120, max: 3_000 }), (count, budget) => {
        const index = formatIndex(many(count), TOOLS, budget) ?? '';
        expect(index.length).toBeLessThanOrEqual(budget * 4);
        const named = many(count).filter(({ name }) => new RegExp(`${name}(?![0-9])`).test(index)).length;
        const rest = /(?:and )?(\d+) (?:more|skills): list them with skills_list/.exec(index);
        expect(named + Number(rest?.[1] ?? 0)).toBe(count);
      }),
    );
  });
});
