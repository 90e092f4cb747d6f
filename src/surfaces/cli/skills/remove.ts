import { removeSkill } from '../../../skills/installing/index.ts';
import type { CliIo } from '../cli-io.ts';
import { confirm } from '../sessions/confirm.ts';
import { writeJson } from '../sessions/write-json.ts';
import { showable } from '../style.ts';
import { openLibrary } from './open-library.ts';

export async function removeInstalled(
  name: string,
  options: { yes?: boolean; json?: boolean },
  io: CliIo,
): Promise<number> {
  const opened = await openLibrary(io);
  const skill = await opened.library.require(name);
  // Only what can be removed is asked about.
  if (skill.origin === 'user') {
    const wanted = await confirm(
      `Remove the skill ${name} in ${skill.folder}?`,
      options.yes,
      io,
      `The skill ${name} would be removed`,
    );
    if (!wanted) return 1;
  }
  const kept = await removeSkill(opened.settings.home, skill);
  if (options.json) writeJson(io.stdout, { name, kept });
  else io.stdout.write(`Removed ${name}; it is kept in ${showable(kept)}\n`);
  return 0;
}
