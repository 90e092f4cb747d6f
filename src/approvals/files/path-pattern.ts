import { globSource } from '../shell/words.ts';

/** Represents an expansion whose value is unknown. */
export const UNKNOWN_PART = '\0';
/** Longer patterns are not evaluated segment by segment. */
const MAX_PATTERN = 400;
/** How a pattern spells any number of folders. */
const EVERYTHING_BELOW = '**';
const GLOB = /[*?[\0]|[@!+]\(/;
/** Names that are common in projects too, so they alone do not identify a credential file. */
const COMMON_NAME = /^(?:\.npmrc|\.env|\.docker|\.azure|\.fly|[^.].*)$/;
const KEY_NAME = /^id_(?:rsa|dsa|ecdsa|ed25519)/;

/** How a path relates to a location: it is the location or inside it, or it is a folder above it. */
export type Relation = 'inside' | 'above' | undefined;

/** A path in which some parts are not literal: globs, unknown expansions, or any number of folders. */
export type PathPattern = { relationTo(location: string): Relation };

/** A segment that matches any number of folders. */
const ANY = Symbol('any number of folders');
type Segment = string | RegExp | typeof ANY;

export function isPattern(path: string): boolean {
  return GLOB.test(path);
}

/** Compiles an absolute path, or one that begins with an unknown part, for matching against known locations. */
export function createPathPattern(path: string): PathPattern {
  const segments = segmentsOf(path.slice(0, MAX_PATTERN));
  const unknown = path.includes(UNKNOWN_PART);
  return {
    relationTo(location) {
      const match = matchFrom(segments, 0, location.split('/').slice(1), 0, NO_MATCH);
      return match === undefined || (unknown && !isSpecific(match)) ? undefined : match.relation;
    },
  };
}

function segmentsOf(path: string): Segment[] {
  const parts = path.split('/').filter((part) => part !== '');
  const segments = parts.map((part, index): Segment => {
    if (part === UNKNOWN_PART || part === EVERYTHING_BELOW) return ANY;
    return isPattern(part) ? segmentPattern(part, parts[index - 1] === EVERYTHING_BELOW) : part;
  });
  // An unknown part at the start may contain several folders.
  return !path.startsWith('/') && segments[0] !== ANY ? [ANY, ...segments] : segments;
}

/** A glob of the shell does not match a leading dot; a pattern of `find`, which follows `**`, does. */
function segmentPattern(part: string, matchesHidden: boolean): RegExp | typeof ANY {
  if (/[@!+?*]\(/.test(part)) return ANY;
  const hidden = /^[*?]/.test(part) && !matchesHidden ? '(?!\\.)' : '';
  const source = part.split(UNKNOWN_PART).map((text) => globSource(text));
  try {
    return new RegExp(`^${hidden}${source.join('.*')}$`, 's');
  } catch {
    // A reversed range is not a valid glob in a shell either.
    return /^(?!)/;
  }
}

/** The result of a match: the relation, and the literal names that matched. */
type Match = { relation: 'inside' | 'above'; names: readonly string[] };
type Progress = { names: readonly string[]; byAny: boolean };
const NO_MATCH: Progress = { names: [], byAny: false };

function matchFrom(
  pattern: readonly Segment[],
  at: number,
  location: readonly string[],
  reached: number,
  progress: Progress,
): Match | undefined {
  const segment = pattern[at];
  const { names } = progress;
  if (segment === undefined) return { relation: reached === location.length ? 'inside' : 'above', names };
  if (segment === ANY) return matchAny(pattern, at, location, reached, names);
  const part = location[reached];
  // Below a location that only an unknown part may have named, the rest is too uncertain.
  if (part === undefined) return progress.byAny ? undefined : { relation: 'inside', names };
  const matches = typeof segment === 'string' ? segment === part : segment.test(part);
  return matches
    ? matchFrom(pattern, at + 1, location, reached + 1, { names: [...names, part], byAny: false })
    : undefined;
}

function matchAny(
  pattern: readonly Segment[],
  at: number,
  location: readonly string[],
  reached: number,
  names: readonly string[],
): Match | undefined {
  if (at === pattern.length - 1) return { relation: 'inside', names };
  for (let next = reached; next <= location.length; next += 1) {
    const match = matchFrom(pattern, at + 1, location, next, { names, byAny: next > reached });
    if (match !== undefined) return match;
  }
  return undefined;
}

/** Whether the literal names are enough to suspect the location: `~/$X`, `$X/.aws/credentials`, but not `$X/config`. */
function isSpecific({ names }: Match): boolean {
  if (names.length > 1) return true;
  const [name = ''] = names;
  return KEY_NAME.test(name) || (name !== '' && !COMMON_NAME.test(name));
}
