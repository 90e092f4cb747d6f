import { HermesError } from '../../base/index.ts';
import { homePaths } from '../../config/index.ts';
import type { Skill, SkillFacts } from '../../contracts/index.ts';
import { BadSkill } from '../front-matter.ts';
import { readFolder } from '../guard/skill-folder.ts';
import { type ScanReport, scanSkill } from '../guard/scan-skill.ts';
import { sourceOf } from '../lock-file.ts';
import { readSkill } from '../read-skill.ts';

/** All that can be seen of a skill without using it. */
export type SkillLook = ScanReport & {
  facts: SkillFacts;
  folder: string;
  origin: Skill['origin'] | undefined;
  source: string | undefined;
  files: { path: string; bytes: number }[];
  text: string;
};

/** Of a skill that is known, or of any folder with one. */
export async function lookAtSkill(home: string, skill: Pick<Skill, 'folder'> & Partial<Skill>): Promise<SkillLook> {
  const { folder, origin } = skill;
  const { facts, body } = await readSkill(folder).catch((thrown: unknown) => {
    throw thrown instanceof BadSkill ? new HermesError(`${folder} has no valid skill: ${thrown.message}.`) : thrown;
  });
  const files = readFolder(folder);
  return {
    ...{ facts, folder, origin, text: body },
    source: origin === 'user' ? sourceOf(homePaths(home).skillsFolder, facts.name) : undefined,
    files: files.map(({ path, size }) => ({ path, bytes: size })),
    ...(await scanSkill(files)),
  };
}
