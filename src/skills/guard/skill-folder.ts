import { createHash } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { HermesError } from '../../base/index.ts';
import { readPlainFile } from '../read-skill.ts';

/** One file of a skill, as the scan sees it. */
export type SkillFile = {
  /** Relative, with `/` as the separator. */
  path: string;
  kind: 'file' | 'link' | 'other';
  executable: boolean;
  size: number;
  bytes: Uint8Array;
  /** Undefined for binary files. */
  text: string | undefined;
};

export const LIMITS = { files: 50, bytes: 1024 * 1024, fileBytes: 256 * 1024 } as const;
/** What exceeds LIMITS is still read so that it can be reported, but only up to these limits. */
const HARD_LIMITS = { files: 1_000, bytes: 32 * 1024 * 1024 };
/** Files of version control and of the system that do not belong to a skill. */
const IGNORED_NAMES: readonly string[] = ['.git', '.DS_Store', 'node_modules', '__pycache__'];

/** All files of a folder in a fixed order. Symbolic links are listed but not followed. */
export function readFolder(folder: string): SkillFile[] {
  const files: SkillFile[] = [];
  let bytes = 0;
  const visit = (relative: string) => {
    for (const name of readdirSync(join(folder, relative)).toSorted()) {
      if (IGNORED_NAMES.includes(name)) continue;
      const path = posix.join(relative, name);
      const stats = lstatSync(join(folder, path));
      if (stats.isDirectory()) {
        visit(path);
        continue;
      }
      bytes += stats.isFile() ? stats.size : 0;
      if (files.length >= HARD_LIMITS.files || bytes > HARD_LIMITS.bytes) throw tooLarge(folder);
      files.push(describeFile(folder, path, stats));
    }
  };
  visit('');
  return files;
}

function describeFile(folder: string, path: string, stats: ReturnType<typeof lstatSync> & object): SkillFile {
  const kind = stats.isFile() ? 'file' : stats.isSymbolicLink() ? 'link' : 'other';
  const bytes = kind === 'file' ? readPlainFile(join(folder, path), HARD_LIMITS.bytes) : new Uint8Array();
  const executable = kind === 'file' && (Number(stats.mode) & 0o111) !== 0;
  return { path, kind, executable, size: bytes.length, bytes, text: kind === 'file' ? textOf(bytes) : undefined };
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

function tooLarge(folder: string): HermesError {
  return new HermesError(`${folder} is too large to be a skill.`, {
    hint: `A skill may have up to ${LIMITS.files} files and ${LIMITS.bytes / 1024} KB. Give the folder of the skill itself.`,
  });
}

export type FolderHash = { hash: string; files: Record<string, string> };

/** The hash of each file and of all together, to detect changes. */
export function hashFiles(files: readonly SkillFile[]): FolderHash {
  const entries = files
    .filter(({ kind }) => kind === 'file')
    .map(({ path, bytes }): [string, string] => [path, createHash('sha256').update(bytes).digest('hex')]);
  const all = createHash('sha256').update(JSON.stringify(entries)).digest('hex');
  return { hash: all, files: Object.fromEntries(entries) };
}
