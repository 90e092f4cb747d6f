import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isJsonObject, parseJson } from '../base/index.ts';
import type { SkillFacts, SkillFault } from '../contracts/index.ts';
import { describeFindings, scanText } from '../scanning/index.ts';
import { textSum } from '../util/index.ts';
import { BadSkill } from './front-matter.ts';
import { readSkill } from './read-skill.ts';
import { type Seen, see, SKILL_FILE, walkPlace } from './walk-place.ts';

/** A skill as its place knows it: `path` is its folder, relative to the place. */
export type IndexedSkill = { facts: SkillFacts; path: string };

/** What a place holds, with all that has to be as it was for this to be still true. */
export type PlaceIndex = {
  version: number;
  place: string;
  folders: readonly Seen[];
  files: readonly Seen[];
  skills: readonly IndexedSkill[];
  faults: readonly SkillFault[];
};

/** Changes where what is read from a SKILL.md does, so that nothing old is taken for it. */
const VERSION = 1;

/**
 * How exactly what is kept is compared with what there is. A `quick` look at the folders sees skills come and go; only a
 * `whole` one, which takes ten times as long, also sees that the text of one was changed in place.
 */
export type Look = 'quick' | 'whole';

/** What a place holds: from the cache where nothing has changed since, else read anew. */
export async function indexPlace(place: string, cacheFolder: string, look: Look): Promise<PlaceIndex> {
  const cacheFile = join(cacheFolder, cacheName(place));
  const cached = readIndex(cacheFile, place);
  if (cached?.folders.every(isUnchanged) && (look === 'quick' || cached.files.every(isUnchanged))) return cached;
  const fresh = await readPlace(place);
  // A place that is not there is found out as quickly without a file.
  if (fresh.folders.length > 0) writeIndex(cacheFile, fresh);
  return fresh;
}

/** The index that was made when the program was built; its folder never changes after that. */
export function readShippedIndex(place: string, file: string): PlaceIndex | undefined {
  const index = readIndex(file, undefined);
  return index && { ...index, place };
}

export async function readPlace(place: string): Promise<PlaceIndex> {
  const { folders, found, faults } = walkPlace(place);
  const [files, skills, all] = [[] as Seen[], [] as IndexedSkill[], [...faults]];
  for (const path of found) {
    const folder = join(place, path);
    const file = join(folder, SKILL_FILE);
    // Before it is read, so that a change during the reading is seen next time.
    files.push(see(file) ?? [file, 0, 0]);
    try {
      const { facts } = await readSkill(folder);
      await refuseHostile(facts);
      skills.push({ facts, path });
    } catch (thrown) {
      if (!(thrown instanceof BadSkill)) throw thrown;
      all.push({ place: folder, reason: thrown.message });
    }
  }
  return { version: VERSION, place, folders, files, skills, faults: all };
}

/** What stands in every prompt must not speak to whoever reads it; the rest is looked at when it is read. */
async function refuseHostile({ description }: SkillFacts): Promise<void> {
  const findings = await scanText(description, 'context');
  if (findings.length > 0) throw new BadSkill(`its description ${describeFindings(findings)}`);
}

function isUnchanged([path, changedMs, size]: Seen): boolean {
  const now = see(path);
  return now === undefined ? changedMs === 0 && size === 0 : now[1] === changedMs && now[2] === size;
}

/** All of it is needed at once and small: reading it asynchronously takes several times as long. */
function readIndex(file: string, place: string | undefined): PlaceIndex | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const index = parseJson(readFileSync(file, 'utf8'));
    if (!isJsonObject(index) || index['version'] !== VERSION) return undefined;
    if (!['folders', 'files', 'skills', 'faults'].every((key) => Array.isArray(index[key]))) return undefined;
    return place === undefined || index['place'] === place ? (index as unknown as PlaceIndex) : undefined;
  } catch {
    return undefined;
  }
}

/** In one step, because other processes read it. Without a cache everything works, only later. */
function writeIndex(file: string, index: PlaceIndex): void {
  const temporary = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, JSON.stringify(index), { mode: 0o600 });
    renameSync(temporary, file);
  } catch {
    rmSync(temporary, { force: true });
  }
}

/** A name that can be read and differs for each place; the file itself says which one it is of. */
function cacheName(place: string): string {
  return `${place.replace(/[^A-Za-z0-9]+/g, '-').slice(-60)}-${textSum(place).toString(36)}.json`;
}
