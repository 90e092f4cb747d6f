/** What becomes of lines: one of the old is kept or goes, one of the new comes. Numbers are places in either list. */
export type LineStep =
  | { kind: 'keep'; old: number; fresh: number }
  | { kind: 'remove'; old: number }
  | { kind: 'add'; fresh: number };

/** Beyond this, what is between the first and the last difference counts as changed whole. */
const MAX_TABLE = 4_000_000;

/** The way from one list of lines to another that keeps the most. */
export function diffLines(old: readonly string[], fresh: readonly string[]): LineStep[] {
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (
    end < old.length - start &&
    end < fresh.length - start &&
    old[old.length - 1 - end] === fresh[fresh.length - 1 - end]
  )
    end += 1;
  const steps: LineStep[] = [];
  for (let at = 0; at < start; at++) steps.push({ kind: 'keep', old: at, fresh: at });
  const middle = middleSteps(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end), start);
  for (const step of middle) steps.push(step);
  for (let at = end; at > 0; at--) steps.push({ kind: 'keep', old: old.length - at, fresh: fresh.length - at });
  return steps;
}

function middleSteps(old: readonly string[], fresh: readonly string[], shift: number): LineStep[] {
  const steps: LineStep[] = [];
  const table = old.length * fresh.length <= MAX_TABLE ? commonLengths(old, fresh) : undefined;
  const width = fresh.length + 1;
  let [a, b] = [0, 0];
  while (a < old.length && b < fresh.length) {
    if (table && old[a] === fresh[b]) steps.push({ kind: 'keep', old: shift + a++, fresh: shift + b++ });
    // What goes comes before what comes, so that pairs of them stand together.
    else if (!table || (table[(a + 1) * width + b] ?? 0) >= (table[a * width + b + 1] ?? 0))
      steps.push({ kind: 'remove', old: shift + a++ });
    else steps.push({ kind: 'add', fresh: shift + b++ });
  }
  while (a < old.length) steps.push({ kind: 'remove', old: shift + a++ });
  while (b < fresh.length) steps.push({ kind: 'add', fresh: shift + b++ });
  return steps;
}

/** How many lines the rests of both lists have in common, for every pair of rests. */
function commonLengths(old: readonly string[], fresh: readonly string[]): Uint32Array {
  const width = fresh.length + 1;
  const table = new Uint32Array((old.length + 1) * width);
  for (let a = old.length - 1; a >= 0; a--) {
    for (let b = fresh.length - 1; b >= 0; b--) {
      const same = (table[(a + 1) * width + b + 1] ?? 0) + 1;
      const other = Math.max(table[(a + 1) * width + b] ?? 0, table[a * width + b + 1] ?? 0);
      table[a * width + b] = old[a] === fresh[b] ? same : other;
    }
  }
  return table;
}
