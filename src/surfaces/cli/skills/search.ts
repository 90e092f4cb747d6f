import type { SkillLibrary } from '../../../contracts/index.ts';
import { reasonAgainst } from '../../../skills/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle } from '../style.ts';
import { formatSkills, type ListedSkill, toRecord } from './list.ts';
import { chosenNeeds, openLibrary } from './open-library.ts';

/** Skills that have all of the words, those with them in name or description first; ends with 1 where none has. */
export async function searchSkills(words: readonly string[], { json }: { json?: boolean }, io: CliIo): Promise<number> {
  const { settings, library } = await openLibrary(io);
  const needs = await chosenNeeds(settings);
  const machine = { platform: process.platform, variables: settings.variables };
  const wanted = words.flatMap((word) => word.toLowerCase().split(/\s+/)).filter((word) => word !== '');
  const found: ListedSkill[] = [];
  for (const skill of (await library.inventory()).skills) {
    const head = [skill.name, skill.category, skill.description, ...(skill.tags ?? [])].join(' ').toLowerCase();
    const text = hasAll(head, wanted) ? head : `${head} ${await textOf(library, skill.name)}`;
    if (hasAll(text, wanted)) found.push({ ...skill, reason: reasonAgainst(skill, needs, machine) });
  }
  if (json) writeJson(io.stdout, { skills: found.map(toRecord) });
  else
    io.stdout.write(
      found.length === 0 ? 'No skill has these words.\n' : formatSkills(found, createStyle(io.stdout, io.env)),
    );
  return found.length === 0 ? 1 : 0;
}

function hasAll(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word));
}

/** One that is blocked or gone by now is simply not found by its text. */
async function textOf(library: SkillLibrary, name: string): Promise<string> {
  return library.view(name).then(
    ({ text }) => text.toLowerCase(),
    () => '',
  );
}
