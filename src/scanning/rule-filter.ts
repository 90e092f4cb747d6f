import { createGroupIndex } from './group-index.ts';
import type { ScanRule } from './scan-rule.ts';
import type { Sentence } from './text/segments.ts';
import { createWordIndex, type WordMarker } from './word-index.ts';

/** Finds the rules whose search terms a sentence contains: most sentences contain those of no rule. */
export type RuleFilter = {
  createReader(): SentenceReader;
};

/** Reads the sentences of a text, one segment after another. */
export type SentenceReader = {
  read(text: string, sentences: readonly Sentence[]): void;
  /** The rules that may apply to a sentence of the segment, and those that may apply to it and the next one. */
  rulesFor(index: number): { one: readonly ScanRule[]; two: readonly ScanRule[] };
};

type PreparedRule = {
  rule: ScanRule;
  /** The position among all rules. */
  number: number;
  parts: readonly number[];
  /** Of each list one alternative with all its groups. */
  words: readonly (readonly (readonly number[])[])[];
};

/** The rules to consider if a sentence contains a group of the index. */
type ByGroup = readonly (readonly PreparedRule[])[];

export function createRuleFilter(rules: readonly ScanRule[]): RuleFilter {
  const parts = createGroupIndex(rules.flatMap(partsOf));
  const words = createWordIndex(rules.flatMap(({ requiredWords = [] }) => requiredWords.flat(2)));
  const prepared = rules.map((rule, number) => ({
    rule,
    number,
    parts: partsOf(rule).map(parts.idOf),
    words: (rule.requiredWords ?? []).map((needs) => needs.map((groups) => groups.map(words.idOf))),
  }));
  const index = (count: 1 | 2) => {
    const chosen = prepared.filter(({ rule }) => (rule.sentences ?? 1) === count);
    return { byPart: groupByPart(chosen), byWord: groupByWord(chosen) };
  };
  const [single, double] = [index(1), index(2)];
  return {
    createReader() {
      const markWords = words.createMarker();
      const state = createState(rules.length);
      return {
        read: (text, sentences) => readSentences(state, { text, sentences, parts, words, markWords }),
        rulesFor: (at) => ({ one: select(state, at, 1, single), two: select(state, at, 2, double) }),
      };
    },
  };
}

function partsOf({ requiredParts }: ScanRule): string[] {
  return requiredParts === '' ? [] : requiredParts.split(' & ');
}

/** Words of few letters are frequent, so a rule is considered when a sentence contains one of its rarest list. */
function frequencyOf(group: string): number {
  return group.split(' ').reduce((sum, word) => sum + 4 ** -Math.min(word.replace('*', '').length, 8), 0);
}

function groupByPart(rules: readonly PreparedRule[]): ByGroup {
  const lists: PreparedRule[][] = [];
  for (const prepared of rules) {
    const names = partsOf(prepared.rule);
    if (names.length === 0) continue;
    const frequencies = names.map(frequencyOf);
    const rarest = prepared.parts[frequencies.indexOf(Math.min(...frequencies))] as number;
    addTo(lists, rarest, prepared);
  }
  return lists;
}

function groupByWord(rules: readonly PreparedRule[]): ByGroup {
  const lists: PreparedRule[][] = [];
  for (const prepared of rules) {
    const names = prepared.rule.requiredWords;
    if (names === undefined || names.length === 0) continue;
    // Of each alternative its rarest group has to be registered, because any alternative will do.
    const rarest = names.map((needs, at) =>
      needs.map((groups, alternative) => {
        const frequencies = groups.map(frequencyOf);
        const lowest = Math.min(...frequencies);
        const id = prepared.words[at]?.[alternative]?.[frequencies.indexOf(lowest)] as number;
        return { id, frequency: lowest };
      }),
    );
    const totals = rarest.map((alternatives) => alternatives.reduce((sum, { frequency }) => sum + frequency, 0));
    const best = rarest[totals.indexOf(Math.min(...totals))] ?? [];
    for (const id of new Set(best.map(({ id: group }) => group))) addTo(lists, id, prepared);
  }
  return lists;
}

function addTo(lists: PreparedRule[][], at: number, prepared: PreparedRule): void {
  const list = lists[at];
  if (list === undefined) lists[at] = [prepared];
  else list.push(prepared);
}

/** The sets of all sentences of a segment, in two arrays that are used again for the next segment. */
type ReaderState = {
  parts: Uint32Array;
  words: Uint32Array;
  partSize: number;
  wordSize: number;
  count: number;
  /** When a rule was last considered, so that it is considered once for each sentence. */
  considered: Uint32Array;
  clock: number;
};

function createState(rules: number): ReaderState {
  return {
    parts: new Uint32Array(0),
    words: new Uint32Array(0),
    partSize: 1,
    wordSize: 1,
    count: 0,
    considered: new Uint32Array(rules),
    clock: 0,
  };
}

type Reading = {
  text: string;
  sentences: readonly Sentence[];
  parts: ReturnType<typeof createGroupIndex>;
  words: ReturnType<typeof createWordIndex>;
  markWords: WordMarker;
};

function readSentences(state: ReaderState, { text, sentences, parts, words, markWords }: Reading): void {
  const count = sentences.length;
  [state.partSize, state.wordSize, state.count] = [parts.size, words.size, count];
  // One more, for the union of two sentences.
  state.parts = cleared(state.parts, (count + 1) * parts.size);
  state.words = cleared(state.words, (count + 1) * words.size);
  for (let index = 0; index < count; index++) {
    const { start, end } = sentences[index] as Sentence;
    parts.mark(text, { start, end, base: index * parts.size }, state.parts);
    markWords(text, { start, end, base: index * words.size }, state.words);
  }
}

function cleared(array: Uint32Array, length: number): Uint32Array {
  if (array.length < length) return new Uint32Array(length * 2);
  array.fill(0, 0, length);
  return array;
}

function select(
  state: ReaderState,
  at: number,
  span: 1 | 2,
  index: { byPart: ByGroup; byWord: ByGroup },
): readonly ScanRule[] {
  const isUnion = span === 2 && at + 1 < state.count;
  const slot = isUnion ? state.count : at;
  if (isUnion) {
    join(state.parts, at, state.partSize, slot);
    join(state.words, at, state.wordSize, slot);
  }
  state.clock++;
  const found: ScanRule[] = [];
  consider(state, { slot, found, byGroup: index.byPart, set: state.parts, size: state.partSize });
  consider(state, { slot, found, byGroup: index.byWord, set: state.words, size: state.wordSize });
  return found;
}

function join(set: Uint32Array, at: number, size: number, slot: number): void {
  for (let index = 0; index < size; index++)
    set[slot * size + index] = (set[at * size + index] as number) | (set[(at + 1) * size + index] as number);
}

type Considered = { slot: number; found: ScanRule[]; byGroup: ByGroup; set: Uint32Array; size: number };

function consider(state: ReaderState, { slot, found, byGroup, set, size }: Considered): void {
  for (let index = 0; index < size; index++) {
    for (let bits = set[slot * size + index] as number; bits !== 0; bits &= bits - 1) {
      const rules = byGroup[index * 32 + (31 - Math.clz32(bits & -bits))];
      if (rules === undefined) continue;
      for (const prepared of rules) {
        if (state.considered[prepared.number] === state.clock) continue;
        state.considered[prepared.number] = state.clock;
        if (mayApply(state, prepared, slot)) found.push(prepared.rule);
      }
    }
  }
}

function mayApply({ parts, partSize, words, wordSize }: ReaderState, rule: PreparedRule, slot: number): boolean {
  for (const part of rule.parts) if (!has(parts, slot * partSize, part)) return false;
  for (const alternatives of rule.words) {
    if (!alternatives.some((groups) => groups.every((group) => has(words, slot * wordSize, group)))) return false;
  }
  return true;
}

function has(set: Uint32Array, base: number, group: number): boolean {
  return ((set[base + (group >> 5)] as number) & (1 << (group & 31))) !== 0;
}
