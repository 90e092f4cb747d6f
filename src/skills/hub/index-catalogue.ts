import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { HermesError, isJsonObject, parseJson } from '../../base/index.ts';
import { isRemote } from '../installing/source.ts';
import { expandTilde } from '../skill-directories.ts';
import type { CatalogueAnswer, SkillCatalogue } from './catalogue.ts';
import { searchFolder } from './folder-catalogue.ts';
import { findListings, type RawListing, readListings } from './read-listing.ts';

/** Maximum number of entries in an index; further ones are ignored. */
const MAX_ENTRIES = 10_000;
/** Sources in an index must work for everybody: no local folders, no unencrypted transport, no passwords. */
const REMOTE_SOURCE = /^(?:npm:|github:|(?:git\+)?https:\/\/(?![^/]*@)|(?:git\+)?ssh:\/\/|git@)/;

/** Downloads an index. The caller provides this function, including the URL checks. */
export type FetchIndex = (
  url: string,
  options: { signal: AbortSignal; maxBytes: number },
) => Promise<{ status: number; body: Uint8Array; cut: boolean }>;

const MAX_BYTES = 8 * 1024 * 1024;
const LOOPBACK_URL = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?\//;

/** An index at a URL. */
export function createUrlCatalogue(url: string, fetchIndex: FetchIndex): SkillCatalogue {
  return {
    name: withoutSecrets(url),
    async search(words, signal) {
      if (!url.startsWith('https://') && !LOOPBACK_URL.test(url))
        throw new HermesError('its URL is not encrypted', { hint: 'Use an https:// URL in skills.indexes.' });
      const { status, body, cut } = await fetchIndex(url, { signal, maxBytes: MAX_BYTES });
      if (status !== 200)
        throw new HermesError(`it responded with HTTP ${status}`, { hint: 'Check the URL in skills.indexes.' });
      if (cut) throw tooLarge();
      return findListings(parseIndex(new TextDecoder().decode(body)), words);
    },
  };
}

/** The user info and the query may contain a password or token. */
function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return 'a URL in skills.indexes';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** An index in a file, or the skills in a folder. */
export function createFileCatalogue(written: string, home: string): SkillCatalogue {
  const path = resolve(home, expandTilde(written));
  return {
    name: written,
    async search(words) {
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats?.isDirectory()) return searchFolder(path, words);
      if (!stats?.isFile())
        throw new HermesError(`${path} does not exist`, { hint: 'Check skills.indexes in config.yaml.' });
      if (stats.size > MAX_BYTES) throw tooLarge();
      return findListings(parseIndex(readFileSync(path, 'utf8')), words);
    },
  };
}

function tooLarge(): HermesError {
  return new HermesError(`it is larger than ${MAX_BYTES / 1024 / 1024} MB`, { hint: 'Split it into smaller indexes.' });
}

/** Reads an index: `{ "version": 1, "skills": [{ "name", "description", "source", "path"?, "version"? }] }`. */
export function parseIndex(text: string): CatalogueAnswer {
  const index = parseJson(text.replace(/^\uFEFF/, ''));
  if (!isJsonObject(index)) throw notAnIndex('it is not a JSON object');
  const { version = 1, skills } = index;
  if (version !== 1) throw notAnIndex('its version is not supported (only 1 is)');
  if (!Array.isArray(skills)) throw notAnIndex('it has no list `skills`');
  const answer = readListings(skills.slice(0, MAX_ENTRIES).map(toRaw));
  if (skills.length <= MAX_ENTRIES) return answer;
  return { ...answer, notes: [...answer.notes, `only its first ${MAX_ENTRIES} skills were read`] };
}

function toRaw(entry: unknown): RawListing {
  if (!isJsonObject(entry)) return {};
  const { name, description, source, path, version } = entry;
  // An unsupported source is replaced by an invalid one, so that it is rejected in the same way.
  const isTaken = typeof source !== 'string' || (REMOTE_SOURCE.test(source) && isRemote(source));
  return { name, description, source: isTaken ? source : ' ', path, version };
}

function notAnIndex(reason: string): HermesError {
  return new HermesError(`it is not a skill index: ${reason}`, {
    hint: 'See docs/skills.md for the format. The URL of a Git repository must start with git+https:// or end with .git.',
  });
}
