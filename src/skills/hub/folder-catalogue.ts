import { join } from 'node:path';
import { BadSkill } from '../front-matter.ts';
import { fetchGit } from '../installing/fetch-source.ts';
import type { RemoteSource } from '../installing/source.ts';
import { readSkill } from '../read-skill.ts';
import { walkDirectory } from '../walk-directory.ts';
import { type CatalogueAnswer, type HubContext, inSearchFolder, type SkillCatalogue } from './catalogue.ts';
import { findListings, type RawListing, readListings } from './read-listing.ts';

/** A Git repository with skills: all its folders with a SKILL.md. */
export function createGitCatalogue(
  source: Extract<RemoteSource, { kind: 'git' }>,
  name: string,
  hub: HubContext,
): SkillCatalogue {
  const address = source.ref === undefined ? source.label : `${source.label}#${source.ref}`;
  return {
    name,
    search: (words, signal) =>
      inSearchFolder(hub, async (folder) => {
        await fetchGit(source, { folder, env: hub.env, signal });
        return findSkills(folder, words, (path) => ({ source: address, path }));
      }),
  };
}

/**
 * The skills in a local folder that is only searched. Folders whose skills are used directly belong in
 * `skills.external_dirs`.
 */
export function searchFolder(folder: string, words: readonly string[]): Promise<CatalogueAnswer> {
  return findSkills(folder, words, (path) => ({ source: join(folder, path) }));
}

async function findSkills(
  folder: string,
  words: readonly string[],
  sourceOf: (path: string) => RawListing,
): Promise<CatalogueAnswer> {
  const { found } = walkDirectory(folder);
  const raws: RawListing[] = [];
  let bad = 0;
  for (const path of found) {
    try {
      const { name, description, version } = (await readSkill(join(folder, path))).facts;
      raws.push({ name, description, version, ...sourceOf(path) });
    } catch (thrown) {
      if (!(thrown instanceof BadSkill)) throw thrown;
      bad += 1;
    }
  }
  const { listings, notes } = readListings(raws);
  const allNotes = bad === 0 ? notes : [...notes, `${bad} of its ${found.length} SKILL.md files are invalid`];
  return findListings({ listings, notes: allNotes }, words);
}
