import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { builtInTools } from '../toolbox/index.ts';
import { readFolder } from './guard/skill-folder.ts';
import { scanSkill } from './guard/scan-skill.ts';
import { readDirectory } from './directory-index.ts';
import { bundledFolder } from './skill-directories.ts';
import { readSkill } from './read-skill.ts';

const folder = bundledFolder() ?? '';
const { skills, faults } = await readDirectory(folder);
const toolNames = builtInTools().map(({ name }) => name);

describe('the bundled skills', () => {
  verifies('SURF-10', 'are all valid and in the folder of their name', () => {
    expect(faults).toEqual([]);
    expect(skills.length).toBeGreaterThanOrEqual(8);
    for (const { facts, path } of skills) expect(path.endsWith(`/${facts.name}`)).toBe(true);
  });

  it.each(skills.map(({ path }) => path))('%s passes the scan for downloaded skills', async (path) => {
    const { verdict, findings } = await scanSkill(readFolder(join(folder, path)));
    expect(findings.filter(({ severity }) => severity !== 'note')).toEqual([]);
    expect(verdict).toBe('safe');
  });

  it('mention only existing tools and skills', async () => {
    const names = new Set(skills.map(({ facts }) => facts.name));
    for (const { facts, path } of skills) {
      for (const related of facts.relatedSkills ?? []) expect(names).toContain(related);
      for (const tool of facts.requiresTools ?? []) expect(toolNames).toContain(tool);
      const { body } = await readSkill(join(folder, path));
      const tools = [...body.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name]) => name ?? '');
      const unknown = tools.filter(
        (name) => !toolNames.includes(name) && !/^(?:requires_|api_key|write_file)/.test(name),
      );
      expect(unknown, path).toEqual([]);
    }
  });

  it('are short, and their descriptions start with their purpose', async () => {
    for (const { facts, path } of skills) {
      expect(facts.description.length, path).toBeLessThanOrEqual(110);
      expect((await readSkill(join(folder, path))).body.length, path).toBeLessThanOrEqual(4_000);
    }
  });
});
