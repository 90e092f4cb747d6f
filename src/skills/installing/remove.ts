import { HermesError } from '../../base/index.ts';
import { homePaths } from '../../config/index.ts';
import type { Skill } from '../../contracts/index.ts';
import { whileChanging } from '../changing/while-changing.ts';
import { readLock, writeLock } from '../lock-file.ts';
import { moveToTrash } from '../trash.ts';

/** Takes a skill of the user away; where it is kept. */
export async function removeSkill(home: string, { name, origin, folder }: Skill): Promise<string> {
  if (origin !== 'user')
    throw new HermesError(`The skill ${name} is not one of yours: it lies in ${folder}.`, { hint: whereElse(origin) });
  const { skillsFolder } = homePaths(home);
  return whileChanging(home, async () => {
    const place = moveToTrash(home, folder, name);
    const { [name]: entry, ...others } = readLock(skillsFolder);
    if (entry !== undefined) await writeLock(skillsFolder, others);
    return place;
  });
}

function whereElse(origin: Skill['origin']): string {
  if (origin === 'bundled') return 'It comes with Hermes; a skill of yours with the same name takes its place.';
  if (origin === 'project') return 'It belongs to the project; `hermes skills trust --remove` stops using its skills.';
  return 'Remove its folder from skills.external_dirs in config.yaml.';
}
