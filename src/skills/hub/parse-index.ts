import { HermesError, isJsonObject, parseJson } from '../../base/index.ts';
import { isRemote } from '../installing/source.ts';
import type { CatalogueAnswer } from './catalogue.ts';
import { readListings } from './find-listings.ts';
import type { RawListing } from './read-listing.ts';

/** A share of the index that nobody would look through is no reason to read all of it. */
const MOST_ENTRIES = 10_000;
/** An index says what others fetch too: no folders of this machine, nothing unencrypted, and nobody's password. */
const FROM_ELSEWHERE = /^(?:npm:|github:|(?:git\+)?https:\/\/(?![^/]*@)|(?:git\+)?ssh:\/\/|git@)/;

/** Reads an index: `{ "version": 1, "skills": [{ "name", "description", "source", "path"?, "version"? }] }`. */
export function parseIndex(text: string): CatalogueAnswer {
  const index = parseJson(text.replace(/^\uFEFF/, ''));
  if (!isJsonObject(index)) throw notAnIndex('it is no JSON object');
  const { version = 1, skills } = index;
  if (version !== 1) throw notAnIndex('its version is not 1, the only one that is known');
  if (!Array.isArray(skills)) throw notAnIndex('it has no list of skills');
  const answer = readListings(skills.slice(0, MOST_ENTRIES).map(toRaw));
  if (skills.length <= MOST_ENTRIES) return answer;
  return { ...answer, notes: [...answer.notes, `only its first ${MOST_ENTRIES} skills were read`] };
}

function toRaw(entry: unknown): RawListing {
  if (!isJsonObject(entry)) return {};
  const { name, description, source, path, version } = entry;
  // With a source that is not taken it is left out as if it had a wrong character in it.
  const isTaken = typeof source !== 'string' || (FROM_ELSEWHERE.test(source) && isRemote(source));
  return { name, description, source: isTaken ? source : ' ', path, version };
}

function notAnIndex(reason: string): HermesError {
  return new HermesError(`it is no index of skills: ${reason}`, {
    hint: 'docs/skills.md has the format. The address of a git repository begins with git+https:// or ends with .git.',
  });
}
