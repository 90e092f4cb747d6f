import { HermesError } from '../../base/index.ts';
import type { SkillChange } from '../../contracts/index.ts';
import { describeFindings, scanText } from '../../scanning/index.ts';
import { BadSkill, parseSkill } from '../front-matter.ts';
import { plainPath } from '../skill-files.ts';
import { MOST_FILE_BYTES } from '../view-skill.ts';
import { SKILL_FILE } from '../walk-place.ts';

/** Where files beside SKILL.md may lie. */
const SUB_FOLDERS = ['references', 'templates', 'scripts', 'assets', 'examples'];

/** A field that the action cannot do without. */
export function required(
  change: SkillChange,
  field: 'content' | 'oldString' | 'newString' | 'filePath' | 'fileContent',
): string {
  const value = change[field];
  if (value !== undefined) return value;
  const name = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  throw new HermesError(`The action ${change.action} needs ${name}.`);
}

/** The path of a file beside SKILL.md. */
export function supportPath(asked: string): string {
  const path = plainPath(asked);
  const [folder, ...rest] = path.split('/');
  if (rest.length > 0 && SUB_FOLDERS.includes(folder ?? '')) return path;
  throw new HermesError(`Files of a skill lie in ${SUB_FOLDERS.join('/, ')}/, not at ${path}.`);
}

/** The text with one passage replaced, or all that are the same. */
export function replacePassage(text: string, change: SkillChange): string {
  const [before, after] = [required(change, 'oldString'), required(change, 'newString')];
  if (before === '') throw new HermesError('old_string is empty.');
  const count = text.split(before).length - 1;
  if (count === 0) {
    throw new HermesError('old_string does not stand in it.', {
      hint: 'Read it again with skill_view; it is compared to the letter.',
    });
  }
  if (count > 1 && !change.replaceAll) {
    throw new HermesError(`old_string stands in it ${count} times.`, {
      hint: 'Give more of its surroundings, or replace_all.',
    });
  }
  return text.split(before).join(after);
}

/** Refuses what would not be a skill, or would not be read by us later. */
export async function checkText(text: string, path: string, name: string): Promise<void> {
  if (text.includes('\0')) throw new HermesError('A skill is text; there is a NUL character in it.');
  if (Buffer.byteLength(text) > MOST_FILE_BYTES)
    throw new HermesError(`A file of a skill has at most ${MOST_FILE_BYTES} bytes.`);
  if (path === SKILL_FILE) await checkSkillText(text, name);
  const findings = await scanText(text, 'strict');
  if (findings.length > 0) throw new HermesError(`That is not kept as a skill: it ${describeFindings(findings)}.`);
}

async function checkSkillText(text: string, name: string): Promise<void> {
  try {
    const { facts } = await parseSkill(text);
    if (facts.name === name) return;
    throw new HermesError(`Its front matter has the name ${facts.name}, not ${name}.`, {
      hint: 'Both must be the same.',
    });
  } catch (thrown) {
    if (!(thrown instanceof BadSkill)) throw thrown;
    throw new HermesError(`That is no valid SKILL.md: ${thrown.message}.`, {
      hint: 'It begins with front matter: a line of ---, name and description, a line of ---; then the text in Markdown.',
    });
  }
}
