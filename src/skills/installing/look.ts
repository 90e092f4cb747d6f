import { join } from 'node:path';
import { HermesError } from '../../base/index.ts';
import { homePaths } from '../../config/index.ts';
import type { Skill, SkillFacts } from '../../contracts/index.ts';
import { BadSkill } from '../front-matter.ts';
import { readFolder } from '../guard/skill-folder.ts';
import { type ScanReport, scanSkill } from '../guard/scan-skill.ts';
import { sourceOf } from '../lock-file.ts';
import { readSkill } from '../read-skill.ts';
import { type FetchRequest, withFetched } from './fetch-source.ts';

/** All that can be seen of a skill without using it. */
export type SkillLook = ScanReport & {
  facts: SkillFacts;
  /** Undefined for one that was only fetched to be looked at. */
  folder: string | undefined;
  origin: Skill['origin'] | undefined;
  source: string | undefined;
  /** Of one that was fetched: its folder inside of the source, and the commit or version. */
  path: string | undefined;
  version: string | undefined;
  files: { path: string; bytes: number }[];
  text: string;
};

/** Of a skill that is known, or of any folder with one. */
export async function lookAtSkill(home: string, skill: Pick<Skill, 'folder'> & Partial<Skill>): Promise<SkillLook> {
  const { folder, origin } = skill;
  const look = await lookInto(folder, folder);
  const source = origin === 'user' ? sourceOf(homePaths(home).skillsFolder, look.facts.name) : undefined;
  return { ...look, folder, origin, source, path: undefined, version: undefined };
}

/** Of a skill that is not here: it is fetched, looked at, and thrown away. */
export async function lookAtSource(request: FetchRequest): Promise<SkillLook> {
  return withFetched(request, async ({ source: { label }, folder, path, version }) => {
    const look = await lookInto(join(folder, path), label);
    return { ...look, folder: undefined, origin: undefined, source: label, path: path || undefined, version };
  });
}

async function lookInto(
  folder: string,
  name: string,
): Promise<ScanReport & Pick<SkillLook, 'facts' | 'files' | 'text'>> {
  const { facts, body } = await readSkill(folder).catch((thrown: unknown) => {
    throw thrown instanceof BadSkill ? new HermesError(`${name} has no valid skill: ${thrown.message}.`) : thrown;
  });
  const files = readFolder(folder);
  const listed = files.map(({ path, size }) => ({ path, bytes: size }));
  return { facts, files: listed, text: body, ...(await scanSkill(files)) };
}
