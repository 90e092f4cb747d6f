import type { CatalogueAnswer, SkillListing } from './catalogue.ts';
import { BadListing, type RawListing, readListing } from './read-listing.ts';

const MOST_SHOWN = 20;

/** Reads what a catalogue has; a bad listing is left out, told, and hides no other. */
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
  return { listings, notes: [`a listing was left out, because ${first}${others}`] };
}

/** Those that have all of the words, in the name first; so many as one can look through. */
export function findListings({ listings, notes }: CatalogueAnswer, words: readonly string[]): CatalogueAnswer {
  const hits = listings.filter(({ name, description }) => hasAll(`${name} ${description}`, words));
  const isNamed = ({ name }: SkillListing) => words.some((word) => name.includes(word));
  const sorted = [...hits.filter(isNamed), ...hits.filter((listing) => !isNamed(listing))];
  return cutAnswer({ listings: sorted, notes });
}

export function cutAnswer({ listings, notes }: CatalogueAnswer): CatalogueAnswer {
  const more = listings.length - MOST_SHOWN;
  if (more <= 0) return { listings, notes };
  return { listings: listings.slice(0, MOST_SHOWN), notes: [...notes, `it has ${more} more; further words find less`] };
}

function hasAll(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}
