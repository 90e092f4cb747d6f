import { shorten } from '../../util/index.ts';
import { type MapLine, renderLine } from './map-lines.ts';

/** How much of each part two joined lines keep, and how long each piece of it may be. */
const KEPT = { user: 6, ran: 5, files: 10, answer: 2 } as const;
const PIECE_LENGTH = 70;

/** Joins neighbours until all lines together take at most so many tokens. No number is dropped. */
export function condense(lines: readonly MapLine[], limit: number, tokensOf: (text: string) => number): MapLine[] {
  const condensed = lines.map((line) => ({ line, tokens: tokensOf(renderLine(line)) }));
  let total = condensed.reduce((sum, { tokens }) => sum + tokens, 0);
  while (total > limit && condensed.length > 1) {
    const place = nextToJoin(condensed.map(({ line }) => line));
    const [first, second] = condensed.slice(place, place + 2) as [Sized, Sized];
    const line = join(first.line, second.line);
    const joined = { line, tokens: tokensOf(renderLine(line)) };
    condensed.splice(place, 2, joined);
    total += joined.tokens - first.tokens - second.tokens;
  }
  const [only] = condensed;
  if (only === undefined || total <= limit) return condensed.map(({ line }) => line);
  // One line that is still too long tells only which messages there are.
  return [{ first: only.line.first, last: only.line.last, user: [], ran: [], files: [], answer: [] }];
}

type Sized = { line: MapLine; tokens: number };

/** The neighbours that are joined next: the farther back something is, the more messages a line of it may stand for. */
function nextToJoin(lines: readonly MapLine[]): number {
  const newest = lines.at(-1)?.last ?? 0;
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (let place = 0; place + 1 < lines.length; place += 1) {
    const [first, second] = lines.slice(place, place + 2) as [MapLine, MapLine];
    const share = (second.last - first.first + 1) / (newest - first.first + 1);
    if (share < least) [best, least] = [place, share];
  }
  return best;
}

function join(first: MapLine, second: MapLine): MapLine {
  const part = (name: keyof typeof KEPT) => {
    const pieces = [...new Set([...first[name], ...second[name]])];
    return spread(pieces, KEPT[name]).map((piece) => shorten(piece, PIECE_LENGTH));
  };
  return {
    first: Math.min(first.first, second.first),
    last: Math.max(first.last, second.last),
    ...{ user: part('user'), ran: part('ran'), files: part('files'), answer: part('answer') },
  };
}

/** So many of them, from the first to the last. */
function spread(pieces: readonly string[], most: number): string[] {
  if (pieces.length <= most) return [...pieces];
  return Array.from(
    { length: most },
    (_, place) => pieces[Math.floor((place * (pieces.length - 1)) / (most - 1))] ?? '',
  );
}
