import { loadSettings, resolveHome, type Settings } from '../../../config/index.ts';
import type { Skill, SkillNeeds } from '../../../contracts/index.ts';
import { HermesError } from '../../../base/index.ts';
import { inspectChosenTools, openSkills, skillNeeds } from '../../../runtime/index.ts';
import { nearestNames } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';

export type OpenLibrary = { settings: Settings; library: ReturnType<typeof openSkills> };

export async function openLibrary(io: CliIo): Promise<OpenLibrary> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  return { settings, library: openSkills(settings, io.workingDirectory) };
}

/** With the tools that this installation would have in a chat. */
export async function chosenNeeds(settings: Settings): Promise<SkillNeeds> {
  const { tools } = await inspectChosenTools(settings);
  return skillNeeds(tools.filter(({ state }) => state === 'on').map(({ name }) => name));
}

export async function requireSkill({ library }: OpenLibrary, name: string): Promise<Skill> {
  const { skills } = await library.inventory();
  const found = skills.find((skill) => skill.name === name);
  if (found !== undefined) return found;
  const near = nearestNames(
    name,
    skills.map((skill) => skill.name),
    3,
  );
  const hint = near.length === 0 ? 'hermes skills list shows what there is.' : `Perhaps ${near.join(' or ')}?`;
  throw new HermesError(`There is no skill ${name}.`, { hint });
}
