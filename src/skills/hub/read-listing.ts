import { shorten, stripAnsi, takeStart } from '../../util/index.ts';
import { normalizeSkillPath } from '../skill-files.ts';
import type { CatalogueAnswer, SkillListing } from './catalogue.ts';

const MAX_SHOWN = 20;

/** A listing before validation. */
export type RawListing = { [Field in keyof SkillListing]?: unknown };

/** The name of a skill or of an npm package. */
const NAME = /^(?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*$/;
/** Users copy these into a shell, so no shell metacharacters are allowed. */
const SHELL_SAFE = /^[A-Za-z0-9/][A-Za-z0-9@:/._+#~-]*$/;
const VERSION = /^[A-Za-z0-9][A-Za-z0-9._+-]*$/;
const MAX_LENGTHS = { name: 100, description: 300, source: 300, path: 200, version: 64 } as const;

/** Why a listing is invalid, phrased as the end of a sentence. */
class BadListing extends Error {}

/** Parses the entries of a catalogue; an invalid one is skipped and mentioned in the notes. */
export function readListings(raws: readonly RawListing[]): CatalogueAnswer {
  const listings: SkillListing[] = [];
  const reasons: string[] = [];
  for (const raw of raws) {
    try {
      listings.push(readListing(raw));
    } catch (thrown) {
      if (!(thrown instanceof BadListing)) throw thrown;
      reasons.push(thrown.message);
    }
  }
  const [first] = reasons;
  if (first === undefined) return { listings, notes: [] };
  const others = reasons.length === 1 ? '' : `, and ${reasons.length - 1} more`;
  return { listings, notes: [`skipped a listing because ${first}${others}`] };
}

/** The listings that contain all words, name matches first, limited in number. */
export function findListings({ listings, notes }: CatalogueAnswer, words: readonly string[]): CatalogueAnswer {
  const hits = listings.filter(({ name, description }) => hasAll(`${name} ${description}`, words));
  const isNamed = ({ name }: SkillListing) => words.some((word) => name.includes(word));
  const sorted = [...hits.filter(isNamed), ...hits.filter((listing) => !isNamed(listing))];
  return limitAnswer({ listings: sorted, notes });
}

export function limitAnswer({ listings, notes }: CatalogueAnswer): CatalogueAnswer {
  const more = listings.length - MAX_SHOWN;
  if (more <= 0) return { listings, notes };
  return {
    listings: listings.slice(0, MAX_SHOWN),
    notes: [...notes, `${more} more results omitted; add words to narrow the search`],
  };
}

function hasAll(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

/** Validates a listing so that it is safe to show and to use. */
function readListing(raw: RawListing): SkillListing {
  const name = readPlain(raw, 'name', NAME);
  const source = readPlain(raw, 'source', SHELL_SAFE);
  if (name === undefined) throw new BadListing('it has no name');
  if (source === undefined) throw new BadListing('it has no source');
  const [version, path] = [readPlain(raw, 'version', VERSION), readPath(raw)];
  const description = typeof raw.description === 'string' ? inOneLine(raw.description) : '';
  return { name, description, source, ...(version !== undefined && { version }), ...(path !== undefined && { path }) };
}

function readPlain(raw: RawListing, field: Exclude<keyof SkillListing, 'description'>, form: RegExp) {
  const value = raw[field];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw new BadListing(`its ${field} is not text`);
  if (value.length > MAX_LENGTHS[field])
    throw new BadListing(`its ${field} is longer than ${MAX_LENGTHS[field]} characters`);
  if (!form.test(value)) throw new BadListing(`its ${field} contains invalid characters`);
  return value;
}

function readPath(raw: RawListing): string | undefined {
  const path = readPlain(raw, 'path', SHELL_SAFE);
  if (path === undefined) return undefined;
  try {
    return normalizeSkillPath(path.replace(/\/+$/, ''));
  } catch {
    throw new BadListing('its path is outside the source');
  }
}

/** Removes escape sequences and invisible characters. */
function inOneLine(text: string): string {
  const beginning = takeStart(text, 20 * MAX_LENGTHS.description);
  return shorten(stripAnsi(beginning).replace(/[^\P{C}\n\t]/gu, ''), MAX_LENGTHS.description);
}
