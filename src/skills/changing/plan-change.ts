import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HermesError } from '../../base/index.ts';
import { homePaths } from '../../config/index.ts';
import type { PlannedChange, Skill, SkillChange } from '../../contracts/index.ts';
import { describeFindings, scanText } from '../../scanning/index.ts';
import { BadSkill, CATEGORY_HINT, isCategory, isSkillName, NAME_RULE, parseSkill } from '../front-matter.ts';
import type { InstalledSkills } from '../library.ts';
import { resolveInsideSkill, listFiles, normalizeSkillPath } from '../skill-files.ts';
import { MAX_FILE_BYTES } from '../view-skill.ts';
import { SKILL_FILE } from '../walk-directory.ts';
import { copySkill, moveToTrash, withSkillsLock, writeInside } from './write-skill.ts';

/** Folders that may contain files other than SKILL.md. */
const SUB_FOLDERS = ['references', 'templates', 'scripts', 'assets', 'examples'];

/** A validated change that has not been approved or made yet. */
type PlannedStep = {
  subject: string;
  /** The text that would be written; it is scanned first. */
  written?: { path: string; text: string };
  make(): Promise<string>;
};

/** Validates a change and returns a plan. Throws if the change is not possible. */
export async function planChange(shelf: InstalledSkills, change: SkillChange): Promise<PlannedChange> {
  const { home, settings } = shelf.options;
  const { name, action } = change;
  if (!isSkillName(name)) throw new HermesError(`A skill name must be ${NAME_RULE}.`);
  const step = await planStep(shelf, change);
  if (step.written !== undefined) await checkText(step.written.text, step.written.path, name);
  const asks = settings.writeApproval ? [{ rule: 'changes of skills', matched: `${action} ${name}` }] : [];
  const suspect = settings.guardAgentCreated && step.written !== undefined ? await findSuspicions(step.written) : [];
  return {
    subject: step.subject,
    approvalReasons: [...asks, ...suspect],
    apply: () => withSkillsLock(home, step.make),
  };
}

async function findSuspicions({
  path,
  text,
}: {
  path: string;
  text: string;
}): Promise<PlannedChange['approvalReasons']> {
  const { findSuspiciousLines } = await import('../guard/scan-skill.ts');
  const found = findSuspiciousLines(text, path).filter(({ severity }) => severity !== 'note');
  return found.map(({ reason, file, line }) => ({ rule: 'suspect skill', matched: `${file}:${line ?? 1} ${reason}` }));
}

async function planStep(shelf: InstalledSkills, change: SkillChange): Promise<PlannedStep> {
  if (change.action === 'create') return planCreate(shelf, change);
  const skill = await shelf.require(change.name);
  assertChangeable(skill, change);
  switch (change.action) {
    case 'edit':
      return planWrite(shelf, skill, SKILL_FILE, () => required(change, 'content'));
    case 'patch': {
      const path =
        change.filePath === undefined || change.filePath === SKILL_FILE ? SKILL_FILE : supportFilePath(change.filePath);
      return planWrite(shelf, skill, path, (text) => replacePassage(text ?? missing(skill, path), change));
    }
    case 'write_file':
      return planWrite(shelf, skill, supportFilePath(required(change, 'filePath')), () =>
        required(change, 'fileContent'),
      );
    case 'remove_file':
      return planRemoveFile(shelf, skill, supportFilePath(required(change, 'filePath')));
    case 'delete':
      return planDelete(shelf, skill, change);
  }
}

/** Project skills belong to the project, and pinned skills must not be changed at all. */
function assertChangeable({ name, origin, folder, pinned }: Skill, { action }: SkillChange): void {
  if (pinned) throw new HermesError(`The skill ${name} is pinned by the user and cannot be changed.`);
  if (origin === 'project') {
    throw new HermesError(`The skill ${name} belongs to the project and cannot be changed with this tool.`, {
      hint: `If the user wants the change, edit the files in ${folder} with the file tools.`,
    });
  }
  if (origin !== 'user' && (action === 'delete' || action === 'remove_file')) {
    throw new HermesError(
      `The skill ${name} is ${origin === 'bundled' ? 'bundled with Hermes' : `in ${folder}`} and cannot be deleted here.`,
    );
  }
}

async function planCreate({ options, inventory }: InstalledSkills, change: SkillChange): Promise<PlannedStep> {
  const { name, category } = change;
  const text = required(change, 'content');
  if (category !== undefined && !isCategory(category)) throw new HermesError(CATEGORY_HINT);
  const existing = (await inventory()).skills.find((skill) => skill.name === name);
  const folder = join(homePaths(options.home).skillsFolder, category ?? '', name);
  if (existing !== undefined || existsSync(folder)) {
    throw new HermesError(`The skill ${name} already exists in ${existing?.folder ?? folder}.`, {
      hint: 'Use the action edit or patch, or another name.',
    });
  }
  return {
    subject: `create the skill ${name}`,
    written: { path: SKILL_FILE, text },
    async make() {
      if (existsSync(folder)) throw concurrentChange(name);
      await writeInside(folder, SKILL_FILE, text);
      return `Created the skill ${name} in ${folder}. It can be read now and is in the skill index of new sessions.`;
    },
  };
}

/**
 * Writes a file of a skill. A skill that is not the user's own is copied to the user's skills first, so that the
 * original stays unchanged.
 */
function planWrite(
  { options }: InstalledSkills,
  skill: Skill,
  path: string,
  textFrom: (text: string | undefined) => string,
): PlannedStep {
  const isOwn = skill.origin === 'user';
  const current = readInside(skill, path);
  const text = textFrom(current);
  const folder = isOwn ? skill.folder : join(homePaths(options.home).skillsFolder, categoryFolder(skill), skill.name);
  const copied = isOwn ? '' : ` The skill was copied to ${folder} first; the original in ${skill.folder} is unchanged.`;
  return {
    subject: `write ${path} of the skill ${skill.name}`,
    written: { path, text },
    async make() {
      if (readInside(skill, path) !== current) throw concurrentChange(skill.name);
      if (text === current) return `${path} of the skill ${skill.name} already has this text; nothing was changed.`;
      if (!isOwn) copySkill(skill.folder, folder);
      await writeInside(folder, path, text);
      return `Wrote ${path} of the skill ${skill.name} (${text.length} characters).${copied}`;
    },
  };
}

function planRemoveFile({ options }: InstalledSkills, skill: Skill, path: string): PlannedStep {
  if (readInside(skill, path) === undefined) missing(skill, path);
  return {
    subject: `remove ${path} of the skill ${skill.name}`,
    async make() {
      const target = moveToTrash(options.home, join(skill.folder, path), skill.name);
      return `Removed ${path} of the skill ${skill.name}. It was moved to ${target}.`;
    },
  };
}

async function planDelete(shelf: InstalledSkills, skill: Skill, { absorbedInto }: SkillChange): Promise<PlannedStep> {
  if (absorbedInto !== undefined) await shelf.require(absorbedInto);
  const now = absorbedInto === undefined ? '' : ` Its content is now in ${absorbedInto}.`;
  return {
    subject: `delete the skill ${skill.name}`,
    async make() {
      const path = moveToTrash(shelf.options.home, skill.folder, skill.name);
      return `Deleted the skill ${skill.name}. It was moved to ${path}.${now}`;
    },
  };
}

function readInside(skill: Skill, path: string): string | undefined {
  const target = resolveInsideSkill(skill.folder, path);
  return target === undefined ? undefined : readFileSync(target, 'utf8');
}

function categoryFolder({ category }: Skill): string {
  return category === 'general' ? '' : category;
}

function missing(skill: Skill, path: string): never {
  const files = listFiles(skill.folder);
  throw new HermesError(`File not found in the skill ${skill.name}: ${path}.`, {
    hint:
      files.length === 0 ? 'The only file of the skill is SKILL.md.' : `The files of the skill: ${files.join(', ')}.`,
  });
}

function concurrentChange(name: string): HermesError {
  return new HermesError(`The skill ${name} was changed concurrently; nothing was written.`, {
    hint: 'Read the skill again with skill_view, then retry.',
  });
}

/** Returns a field that the action requires, or throws if it is missing. */
function required(
  change: SkillChange,
  field: 'content' | 'oldString' | 'newString' | 'filePath' | 'fileContent',
): string {
  const value = change[field];
  if (value !== undefined) return value;
  const name = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const what = field === 'content' ? ': the whole SKILL.md with front matter (name, description)' : '';
  throw new HermesError(`${change.action} requires ${name}${what}.`);
}

/** Validates the path of a file other than SKILL.md. */
function supportFilePath(asked: string): string {
  const path = normalizeSkillPath(asked);
  const [folder, ...rest] = path.split('/');
  if (rest.length > 0 && SUB_FOLDERS.includes(folder ?? '')) return path;
  throw new HermesError(`file_path must be inside ${SUB_FOLDERS.join('/, ')}/, not ${path}.`);
}

/** The text with one occurrence replaced, or all of them. */
function replacePassage(text: string, change: SkillChange): string {
  const [before, after] = [required(change, 'oldString'), required(change, 'newString')];
  if (before === '') throw new HermesError('old_string is empty.');
  const count = text.split(before).length - 1;
  if (count === 0) {
    throw new HermesError('old_string was not found in the file.', {
      hint: 'old_string must match exactly. Read the file again with skill_view.',
    });
  }
  if (count > 1 && !change.replaceAll) {
    throw new HermesError(`old_string occurs ${count} times in the file.`, {
      hint: 'Include more surrounding text to make it unique, or set replace_all.',
    });
  }
  return text.split(before).join(after);
}

/** Rejects text that would not be a valid skill. */
async function checkText(text: string, path: string, name: string): Promise<void> {
  if (text.includes('\0')) throw new HermesError('The text contains a NUL character, so it is not a text file.');
  if (Buffer.byteLength(text) > MAX_FILE_BYTES)
    throw new HermesError(`The text exceeds the maximum of ${MAX_FILE_BYTES} bytes for a file of a skill.`);
  if (path === SKILL_FILE) await checkSkillText(text, name);
  const findings = await scanText(text, 'strict');
  if (findings.length > 0)
    throw new HermesError(`The text was rejected by the injection scan: it ${describeFindings(findings)}.`);
}

async function checkSkillText(text: string, name: string): Promise<void> {
  try {
    const { facts } = await parseSkill(text);
    // Skills of others may exceed a limit a little, but what is written here can be corrected.
    if (facts.warnings !== undefined) throw new BadSkill(facts.warnings.join('; '));
    if (facts.name === name) return;
    throw new HermesError(`The name in the front matter is ${facts.name}, but the skill is ${name}.`, {
      hint: 'Use the same name in both.',
    });
  } catch (thrown) {
    if (!(thrown instanceof BadSkill)) throw thrown;
    throw new HermesError(`Invalid SKILL.md: ${thrown.message}.`, {
      hint: 'SKILL.md must start with front matter (a line ---, name and description, a line ---), followed by the text in Markdown.',
    });
  }
}
