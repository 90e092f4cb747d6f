import { shorten } from '../../util/index.ts';
import { type MapLine, renderLine } from './map-lines.ts';

/** The newest lines are joined last. */
const OLD_SHARE = 0.67;
/** How much of each part two joined lines keep, and how long each piece of it may be. */
const KEPT = { user: 6, ran: 5, files: 10, answer: 2 } as const;
const PIECE_LENGTH = 70;

/** Joins neighbours, older ones first, until all lines together take at most so many tokens. No number is dropped. */
export function condense(lines: readonly MapLine[], limit: number, tokensOf: (text: string) => number): MapLine[] {
  let condensed = [...lines];
  const size = () => tokensOf(condensed.map(renderLine).join('\n'));
  while (size() > limit && condensed.length > 1) condensed = joinPairs(condensed);
  const [only] = condensed;
  if (only === undefined || size() <= limit) return condensed;
  // One line that is still too long tells only which messages there are.
  return [{ numbers: only.numbers, user: [], ran: [], files: [], answer: [] }];
}

function joinPairs(lines: readonly MapLine[]): MapLine[] {
  const old = Math.max(Math.ceil(lines.length * OLD_SHARE), 2);
  const joined: MapLine[] = [];
  for (let place = 0; place < old; place += 2) {
    const [first, second] = [lines[place], place + 1 < old ? lines[place + 1] : undefined];
    if (first !== undefined) joined.push(second === undefined ? first : join(first, second));
  }
  return [...joined, ...lines.slice(old)];
}

function join(first: MapLine, second: MapLine): MapLine {
  const part = (name: keyof typeof KEPT) => {
    const pieces = [...new Set([...first[name], ...second[name]])];
    return spread(pieces, KEPT[name]).map((piece) => shorten(piece, PIECE_LENGTH));
  };
  return {
    numbers: [...first.numbers, ...second.numbers].sort((a, b) => a - b),
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
