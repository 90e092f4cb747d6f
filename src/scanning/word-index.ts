/** Finds which groups of words occur in a part of a text, in one pass, whatever the number of words. */
export type WordIndex = {
  /** The number of 32-bit integers that a set of groups takes. */
  size: number;
  /** The number of a group, as it was passed to `createWordIndex`. */
  idOf(group: string): number;
  /** Remembers the words of one scan, because most words occur more than once. */
  createMarker(): WordMarker;
};

/** A part of a text, and where the set begins to which its groups are added. */
export type MarkedPart = { start: number; end: number; base: number };

/** Adds the groups of which a part of `text` contains a word to a set. */
export type WordMarker = (text: string, part: MarkedPart, set: Uint32Array) => void;

/** Pairs of the position in a set and the bits to add there. */
type Bits = readonly number[];

/** Each group lists its words with spaces between them; `*` at the end of a word matches any ending. */
export function createWordIndex(groups: readonly string[]): WordIndex {
  const unique = [...new Set(groups)];
  const ids = new Map(unique.map((group, id) => [group, id]));
  const [whole, stems] = indexWords(unique);
  const lengths = [...new Set([...stems.keys()].map((stem) => stem.length))].sort((one, other) => one - other);
  const beginnings = new Set([...stems.keys()].map((stem) => stem.slice(0, 2)));
  const bitsOf = (word: string): Bits => {
    const own = whole.get(word);
    if (!beginnings.has(word.slice(0, 2)) && !beginnings.has(word.slice(0, 1))) return own ?? [];
    const found = lengths.flatMap((length) => (length > word.length ? [] : (stems.get(word.slice(0, length)) ?? [])));
    return [...(own ?? []), ...found];
  };
  return {
    size: Math.max(1, Math.ceil(unique.length / 32)),
    idOf: (group) => ids.get(group) as number,
    createMarker: () => createMarker(bitsOf),
  };
}

/** The bits of whole words, and those of beginnings. */
function indexWords(groups: readonly string[]): [Map<string, Bits>, Map<string, Bits>] {
  const [whole, stems] = [new Map<string, number[]>(), new Map<string, number[]>()];
  for (const [id, group] of groups.entries()) {
    for (const word of group.split(' ')) {
      const [list, key] = word.endsWith('*') ? [stems, word.slice(0, -1)] : [whole, word];
      const known = list.get(key);
      if (known === undefined) list.set(key, [id]);
      else known.push(id);
    }
  }
  const withBits = (list: Map<string, number[]>) => new Map([...list].map(([word, all]) => [word, toBits(all)]));
  return [withBits(whole), withBits(stems)];
}

function toBits(ids: readonly number[]): Bits {
  const bits = new Map<number, number>();
  for (const id of ids) bits.set(id >> 5, (bits.get(id >> 5) ?? 0) | (1 << (id & 31)));
  return [...bits].flat();
}

function createMarker(bitsOf: (word: string) => Bits): WordMarker {
  const known = new Map<string, Bits>();
  return (text, { start, end, base }, set) => {
    let from = -1;
    for (let at = start; at <= end; at++) {
      if (at < end && isWordCharacter(text.charCodeAt(at))) {
        if (from < 0) from = at;
        continue;
      }
      if (from < 0) continue;
      const word = text.slice(from, at);
      from = -1;
      let bits = known.get(word);
      if (bits === undefined) {
        bits = bitsOf(word);
        known.set(word, bits);
      }
      for (let index = 0; index < bits.length; index += 2)
        addBits(set, base + (bits[index] as number), bits[index + 1] as number);
    }
  };
}

export function addBits(set: Uint32Array, at: number, bits: number): void {
  set[at] = (set[at] as number) | bits;
}

/** Letters, digits and the underscore; characters of other scripts count as letters. */
function isWordCharacter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 95 || code > 127;
}
