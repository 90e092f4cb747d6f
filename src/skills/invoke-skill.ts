import type { SkillText } from '../contracts/index.ts';
import type { SkillShelf } from './library.ts';
import { viewSkill } from './view-skill.ts';

/** What the model is sent where the person called a skill; undefined where there is none of this name. */
export async function invokeSkill(shelf: SkillShelf, name: string, words: string): Promise<string | undefined> {
  const { skills } = await shelf.inventory();
  if (!skills.some((skill) => skill.name === name)) return undefined;
  return formatInvocation(await viewSkill(shelf, name, undefined), words);
}

const END = '[End of the skill]';

/** In a form of its own, which the text of the skill cannot end. */
function formatInvocation(skill: SkillText, words: string): string {
  return [
    `[The user called the skill ${skill.skill.name}. Follow it for this message.]`,
    ...linesOf(skill),
    '',
    words === '' ? 'The user wrote nothing besides its name.' : `What the user wrote with it:\n${words}`,
  ].join('\n');
}

/** What the first message of a session is sent as, where the person wants it to begin with skills. */
export async function beginWithSkills(shelf: SkillShelf, names: readonly string[], words: string): Promise<string> {
  const skills: SkillText[] = [];
  for (const name of new Set(names)) {
    skills.push(await viewSkill(shelf, name.replace(/^\//, '').toLowerCase(), undefined));
  }
  return formatBeginning(skills, words);
}

function formatBeginning(skills: readonly SkillText[], words: string): string {
  const texts = skills.map((skill) =>
    [
      `[The user began the session with the skill ${skill.skill.name}. Follow it from here on.]`,
      ...linesOf(skill),
    ].join('\n'),
  );
  return [...texts, `What the user wrote:\n${words}`].join('\n\n');
}

function linesOf({ skill, text, files }: SkillText): string[] {
  const more = files.length === 0 ? '' : `\nFiles of the skill, to be read with skill_view: ${files.join(', ')}`;
  return [`Folder: ${skill.folder}${more}`, '', text.replaceAll(END, '(End of the skill)'), END];
}
