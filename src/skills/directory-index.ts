import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isJsonObject, parseJson } from '../base/index.ts';
import type { SkillFacts, SkillFault } from '../contracts/index.ts';
import { describeFindings, scanText } from '../scanning/index.ts';
import { hashText } from '../util/index.ts';
import { BadSkill } from './front-matter.ts';
import { readSkill } from './read-skill.ts';
import { type FileStamp, readStamp, SKILL_FILE, walkDirectory } from './walk-directory.ts';

/** A skill in a skill directory; `path` is its folder relative to that directory. */
export type IndexedSkill = { facts: SkillFacts; path: string };

/** The skills of a skill directory, with the file stamps that tell whether the index is still valid. */
export type DirectoryIndex = {
  version: number;
  place: string;
  folders: readonly FileStamp[];
  files: readonly FileStamp[];
  skills: readonly IndexedSkill[];
  faults: readonly SkillFault[];
};

/** Version of the cached indexes. Increase it when other facts are read from a SKILL.md. */
const VERSION = 2;

/**
 * How thoroughly a cached index is checked. `quick` checks only folders, which detects added and removed skills.
 * `whole` takes ten times as long and also detects a SKILL.md that was edited in place.
 */
export type IndexCheck = 'quick' | 'whole';

/** The index of a skill directory, from the cache if nothing has changed. */
export async function indexDirectory(location: string, cacheFolder: string, look: IndexCheck): Promise<DirectoryIndex> {
  const cacheFile = join(cacheFolder, cacheName(location));
  const cached = readIndex(cacheFile, location);
  if (cached?.folders.every(isUnchanged) && (look === 'quick' || cached.files.every(isUnchanged))) return cached;
  const fresh = await readDirectory(location);
  // A cache file for a missing directory would save nothing.
  if (fresh.folders.length > 0) writeIndex(cacheFile, fresh);
  return fresh;
}

/** The index that the build created; its folder does not change afterwards. */
export function readBundledIndex(place: string, file: string): DirectoryIndex | undefined {
  const index = readIndex(file, undefined);
  return index && { ...index, place };
}

export async function readDirectory(place: string): Promise<DirectoryIndex> {
  const { folders, found, faults } = walkDirectory(place);
  const [files, skills, all] = [[] as FileStamp[], [] as IndexedSkill[], [...faults]];
  for (const path of found) {
    const folder = join(place, path);
    const file = join(folder, SKILL_FILE);
    // Taken before reading, so that a change during the read is noticed next time.
    files.push(readStamp(file) ?? [file, 0, 0]);
    try {
      const { facts } = await readSkill(folder);
      await rejectInjection(facts);
      skills.push({ facts, path });
    } catch (thrown) {
      if (!(thrown instanceof BadSkill)) throw thrown;
      all.push({ place: folder, reason: thrown.message });
    }
  }
  return { version: VERSION, place, folders, files, skills, faults: all };
}

/** The description is in every prompt, so it must contain no prompt injection. The body is scanned when it is read. */
async function rejectInjection({ description }: SkillFacts): Promise<void> {
  const findings = await scanText(description, 'context');
  if (findings.length > 0) throw new BadSkill(`its description ${describeFindings(findings)}`);
}

function isUnchanged([path, changedMs, size]: FileStamp): boolean {
  const now = readStamp(path);
  return now === undefined ? changedMs === 0 && size === 0 : now[1] === changedMs && now[2] === size;
}

/** Synchronous, because the file is small and asynchronous reads are several times slower. */
function readIndex(file: string, location: string | undefined): DirectoryIndex | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const index = parseJson(readFileSync(file, 'utf8'));
    if (!isJsonObject(index) || index['version'] !== VERSION) return undefined;
    if (!['folders', 'files', 'skills', 'faults'].every((key) => Array.isArray(index[key]))) return undefined;
    return location === undefined || index['place'] === location ? (index as unknown as DirectoryIndex) : undefined;
  } catch {
    return undefined;
  }
}

/** Atomic, because other processes read it. A failure is ignored: without the cache only startup is slower. */
function writeIndex(file: string, index: DirectoryIndex): void {
  const temporary = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, JSON.stringify(index), { mode: 0o600 });
    renameSync(temporary, file);
  } catch {
    rmSync(temporary, { force: true });
  }
}

/** A readable cache file name that is unique for each directory. The content names the directory as well. */
function cacheName(location: string): string {
  return `${location.replace(/[^A-Za-z0-9]+/g, '-').slice(-60)}-${hashText(location).toString(36)}.json`;
}
