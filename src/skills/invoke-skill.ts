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
function formatInvocation({ skill, text, files }: SkillText, words: string): string {
  const more = files.length === 0 ? '' : `\nFiles of the skill, to be read with skill_view: ${files.join(', ')}`;
  return [
    `[The user called the skill ${skill.name}. Follow it for this message.]`,
    `Folder: ${skill.folder}${more}`,
    '',
    text.replaceAll(END, '(End of the skill)'),
    END,
    '',
    words === '' ? 'The user wrote nothing besides its name.' : `What the user wrote with it:\n${words}`,
  ].join('\n');
}
