import { HermesError } from '../base/index.ts';
import { homePaths } from '../config/index.ts';
import type { Skill, SkillText } from '../contracts/index.ts';
import { describeFindings, scanText } from '../scanning/index.ts';
import { BadSkill } from './front-matter.ts';
import type { InstalledSkills } from './library.ts';
import { sourceOf } from './lock-file.ts';
import { decodeText, readPlainFile, readSkill } from './read-skill.ts';
import { resolveInsideSkill, listFiles, normalizeSkillPath } from './skill-files.ts';

export const MAX_FILE_BYTES = 1024 * 1024;
const END_MARKER = '[End of the skill]';

/** The body of a skill, or one of its files. */
export async function viewSkill(
  shelf: InstalledSkills,
  name: string,
  filePath: string | undefined,
): Promise<SkillText> {
  const skill = await shelf.require(name);
  const files = listFiles(skill.folder);
  const text = filePath === undefined ? await bodyOf(skill, shelf) : fileOf(skill, filePath, files);
  await rejectInjection(skill, text);
  const source = skill.origin === 'user' ? sourceOf(homePaths(shelf.options.home).skillsFolder, skill.name) : undefined;
  return { skill, text, files, ...(source !== undefined && { source }) };
}

async function bodyOf(skill: Skill, { options }: InstalledSkills): Promise<string> {
  const { body } = await withReadError(skill.name, () => readSkill(skill.folder));
  const text = body.replaceAll('${HERMES_SKILL_DIR}', skill.folder);
  if (skill.config === undefined) return text;
  const values = Object.entries(skill.config).map(
    ([key, fallback]) => `- ${key}: ${valueOf(options.settings.config, key, fallback)}`,
  );
  return `${text}\n\nSettings of the user for this skill:\n${values.join('\n')}`;
}

/** The value of a config key. `wiki.path` may be written as one key or as nested keys. */
function valueOf(config: Readonly<Record<string, unknown>>, key: string, fallback: string): string {
  const nested = key
    .split('.')
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[part] : undefined,
      config,
    );
  const value = config[key] ?? nested ?? fallback;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function fileOf({ name, folder }: Skill, filePath: string, files: readonly string[]): string {
  const path = normalizeSkillPath(filePath);
  const target = resolveInsideSkill(folder, path);
  if (target === undefined) {
    const there =
      files.length === 0 ? 'The only file of the skill is SKILL.md.' : `The files of the skill: ${files.join(', ')}.`;
    throw new HermesError(`File not found in the skill ${name}: ${path}.`, { hint: there });
  }
  try {
    return decodeText(readPlainFile(target, MAX_FILE_BYTES), path);
  } catch (thrown) {
    throw toReadError(`${path} of the skill ${name}`, thrown);
  }
}

/** Files in a project or an external folder can change at any time, so they are scanned at every read. */
async function rejectInjection({ name, origin, folder }: Skill, text: string): Promise<void> {
  if (origin !== 'project' && origin !== 'external') return;
  const findings = await scanText(text, 'context');
  if (findings.length === 0) return;
  throw new HermesError(`The skill ${name} in ${folder} was blocked: it ${describeFindings(findings)}.`, {
    hint: `Continue without it. The user can review it with: hermes skills inspect ${name}`,
  });
}

async function withReadError<Value>(name: string, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (thrown) {
    throw toReadError(`The skill ${name}`, thrown);
  }
}

function toReadError(what: string, thrown: unknown): unknown {
  return thrown instanceof BadSkill ? new HermesError(`${what} cannot be read: ${thrown.message}.`) : thrown;
}

/** The message for the model when the user invokes a skill; undefined if there is no such skill. */
export async function invokeSkill(shelf: InstalledSkills, name: string, words: string): Promise<string | undefined> {
  const { skills } = await shelf.inventory();
  if (!skills.some((skill) => skill.name === name)) return undefined;
  return formatInvocation(await viewSkill(shelf, name, undefined), words);
}

/** Formats an invocation with an end marker that the text of the skill cannot contain. */
function formatInvocation(skill: SkillText, words: string): string {
  return [
    `[The user invoked the skill ${skill.skill.name}. Follow it for this message.]`,
    ...formatSkill(skill),
    '',
    words === '' ? 'The user sent no further text.' : `Message of the user:\n${words}`,
  ].join('\n');
}

/** The first message of a session that starts with skills. */
export async function beginWithSkills(
  shelf: InstalledSkills,
  names: readonly string[],
  words: string,
): Promise<string> {
  const skills: SkillText[] = [];
  for (const name of new Set(names)) {
    skills.push(await viewSkill(shelf, name.replace(/^\//, '').toLowerCase(), undefined));
  }
  return formatSessionStart(skills, words);
}

function formatSessionStart(skills: readonly SkillText[], words: string): string {
  const texts = skills.map((skill) =>
    [
      `[The user started the session with the skill ${skill.skill.name}. Follow it from now on.]`,
      ...formatSkill(skill),
    ].join('\n'),
  );
  return [...texts, `Message of the user:\n${words}`].join('\n\n');
}

function formatSkill({ skill, text, files }: SkillText): string[] {
  const more = files.length === 0 ? '' : `\nFiles of the skill (read them with skill_view): ${files.join(', ')}`;
  return [`Folder: ${skill.folder}${more}`, '', text.replaceAll(END_MARKER, '(End of the skill)'), END_MARKER];
}
