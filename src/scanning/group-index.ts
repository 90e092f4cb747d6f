import { addBits, type MarkedPart } from './word-index.ts';

/**
 * Finds which groups of search terms occur in a part of a text, in one pass, whatever the number of terms. It is an
 * automaton after Aho and Corasick, with a dense table for ASCII characters and a map for all others.
 */
export type GroupIndex = {
  /** The number of 32-bit integers that a set of groups takes. */
  size: number;
  /** The number of a group of terms, as it was passed to `createGroupIndex`. */
  idOf(group: string): number;
  /** Adds the groups of which a part of `text` contains a term to a set. */
  mark(text: string, part: MarkedPart, set: Uint32Array): void;
};

const ASCII = 128;

/** Each group lists its terms with spaces between them; `~` in a term is a space. */
export function createGroupIndex(groups: readonly string[]): GroupIndex {
  const unique = [...new Set(groups)];
  const ids = new Map(unique.map((group, id) => [group, id]));
  const size = Math.ceil(unique.length / 32);
  const trie = createTrie(unique);
  const found = connect(trie, size);
  const { next, wide } = trie;
  return {
    size,
    idOf: (group) => ids.get(group) as number,
    mark(text, { start, end, base }, set) {
      let state = 0;
      let last: Uint32Array | undefined;
      for (let at = start; at < end; at++) {
        const code = text.charCodeAt(at);
        state = code < ASCII ? (next[state * ASCII + code] as number) : step(trie, wide, state, code);
        const sets = found[state];
        if (sets === undefined || sets === last) continue;
        last = sets;
        for (let index = 0; index < size; index++) addBits(set, base + index, sets[index] as number);
      }
    },
  };
}

type Trie = {
  /** The next state by state and ASCII character; before `connect`, 0 means that there is none. */
  next: Uint16Array;
  /** The next state for other characters, by state and character. */
  wide: Map<number, number>;
  /** The state of the longest shorter suffix. */
  shorter: Uint16Array;
  children: Map<number, { code: number; child: number }[]>;
  /** The groups whose terms end in a state. */
  ends: Map<number, number[]>;
  count: number;
};

const wideKey = (state: number, code: number): number => state * 65_536 + code;

function createTrie(groups: readonly string[]): Trie {
  const terms = groups.flatMap((group, id) =>
    group.split(' ').map((term) => ({ id, term: term.replaceAll('~', ' ') })),
  );
  const states = terms.reduce((sum, { term }) => sum + term.length, 1);
  const trie: Trie = {
    next: new Uint16Array(states * ASCII),
    wide: new Map(),
    shorter: new Uint16Array(states),
    children: new Map(),
    ends: new Map(),
    count: 1,
  };
  for (const { id, term } of terms) {
    let state = 0;
    for (let at = 0; at < term.length; at++) state = extend(trie, state, term.charCodeAt(at));
    trie.ends.set(state, [...(trie.ends.get(state) ?? []), id]);
  }
  return trie;
}

function extend(trie: Trie, state: number, code: number): number {
  const known = code < ASCII ? trie.next[state * ASCII + code] : trie.wide.get(wideKey(state, code));
  if (known !== undefined && known !== 0) return known;
  const added = trie.count++;
  const children = trie.children.get(state);
  if (children === undefined) trie.children.set(state, [{ code, child: added }]);
  else children.push({ code, child: added });
  if (code < ASCII) trie.next[state * ASCII + code] = added;
  else trie.wide.set(wideKey(state, code), added);
  return added;
}

/** Fills in the transitions for mismatches, breadth first, and returns the groups found in each state. */
function connect(trie: Trie, size: number): (Uint32Array | undefined)[] {
  const { next, wide, shorter, ends } = trie;
  const found: (Uint32Array | undefined)[] = Array.from({ length: trie.count });
  for (let queue = [0], level: number[] = []; queue.length > 0; queue = level, level = []) {
    for (const state of queue) {
      found[state] = setOf(ends.get(state) ?? [], state === 0 ? undefined : found[shorter[state] as number], size);
      for (const { code, child } of trie.children.get(state) ?? []) {
        const from = shorter[state] as number;
        if (state !== 0)
          shorter[child] = code < ASCII ? (next[from * ASCII + code] as number) : step(trie, wide, from, code);
        level.push(child);
      }
      if (state !== 0) inherit(next, state, shorter[state] as number);
    }
  }
  return found;
}

/** Where a state has no transition of its own, the one of its longest suffix applies. */
function inherit(next: Uint16Array, state: number, from: number): void {
  for (let code = 0; code < ASCII; code++)
    if (next[state * ASCII + code] === 0) next[state * ASCII + code] = next[from * ASCII + code] as number;
}

function step({ shorter }: Trie, wide: Map<number, number>, from: number, code: number): number {
  for (let state = from; ; state = shorter[state] as number) {
    const known = wide.get(wideKey(state, code));
    if (known !== undefined) return known;
    if (state === 0) return 0;
  }
}

function setOf(ids: readonly number[], inherited: Uint32Array | undefined, size: number): Uint32Array | undefined {
  if (ids.length === 0) return inherited;
  const set = inherited?.slice() ?? new Uint32Array(size);
  for (const id of ids) addBits(set, id >> 5, 1 << (id & 31));
  return set;
}
