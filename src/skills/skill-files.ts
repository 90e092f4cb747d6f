import { type Dirent, readdirSync, realpathSync } from 'node:fs';
import { isAbsolute, join, normalize, posix, sep } from 'node:path';
import { HermesError } from '../base/index.ts';
import { isInside } from '../util/index.ts';
import { SKILL_FILE } from './walk-directory.ts';

const MAX_FILES = 200;
const MAX_DEPTH = 4;

/** The files of a skill other than SKILL.md, with `/` as the separator. Symbolic links and hidden files are skipped. */
export function listFiles(folder: string): string[] {
  const files: string[] = [];
  const visit = (relative: string, depth: number) => {
    for (const entry of entriesOf(join(folder, relative))) {
      if (entry.name.startsWith('.') || files.length >= MAX_FILES) continue;
      const path = posix.join(relative, entry.name);
      if (entry.isFile() && path !== SKILL_FILE) files.push(path);
      else if (entry.isDirectory() && depth < MAX_DEPTH) visit(path, depth + 1);
    }
  };
  visit('', 0);
  return files.toSorted();
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Normalizes a requested path inside a skill. Throws if it could lead outside. */
export function normalizeSkillPath(asked: string): string {
  const path = normalize(asked.replaceAll('\\', '/')).split(sep).join('/').replace(/^\.\//, '');
  const leadsOut = isAbsolute(path) || /^[A-Za-z]:/.test(path) || path.split('/').includes('..');
  const isHidden = path.split('/').some((part) => part.startsWith('.'));
  if (leadsOut || isHidden || path === '' || path.includes('\0') || path.endsWith('/')) {
    throw new HermesError(`${JSON.stringify(asked)} is not a valid path of a file in a skill.`, {
      hint: 'Give a path relative to the folder of the skill, such as references/details.md.',
    });
  }
  return path;
}

/** The real path of an existing file; undefined if a symbolic link leads out of the skill. */
export function resolveInsideSkill(folder: string, path: string): string | undefined {
  try {
    const [root, target] = [realpathSync(folder), realpathSync(join(folder, path))];
    return isInside(root, target) ? target : undefined;
  } catch {
    return undefined;
  }
}
