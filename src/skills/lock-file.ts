import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, parseJson } from '../base/index.ts';
import { writeFileAtomic } from '../util/index.ts';

/** An installed skill and its source. */
export type LockEntry = {
  /** As given to `install`: a folder, a git URL, `npm:name`. */
  source: string;
  /** The commit or version, if the source has one. */
  version?: string;
  /** The folder inside the source. */
  path?: string;
  /** The hash of all files together. */
  hash: string;
  /** The hash of each file, to find out later which one was changed. */
  files: Readonly<Record<string, string>>;
  verdict: string;
  installedAt: string;
};

const LOCK_FILE = '.lock.json';

/** A damaged lock file is treated as empty; the skills still work. */
export function readLock(skillsFolder: string): Record<string, LockEntry> {
  const file = join(skillsFolder, LOCK_FILE);
  if (!existsSync(file)) return {};
  const values = parseJson(readFileSync(file, 'utf8'));
  const entries = isJsonObject(values) && isJsonObject(values['skills']) ? Object.entries(values['skills']) : [];
  const sound = entries.filter(
    ([, entry]) => isJsonObject(entry) && typeof entry['source'] === 'string' && isJsonObject(entry['files']),
  );
  return Object.fromEntries(sound) as unknown as Record<string, LockEntry>;
}

export async function writeLock(skillsFolder: string, entries: Readonly<Record<string, LockEntry>>): Promise<void> {
  const sorted = Object.fromEntries(Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const text = `${JSON.stringify({ version: 1, skills: sorted }, undefined, 2)}\n`;
  await writeFileAtomic(join(skillsFolder, LOCK_FILE), text);
}

export function sourceOf(skillsFolder: string, name: string): string | undefined {
  return readLock(skillsFolder)[name]?.source;
}
