/** One step of a line diff. Numbers are indexes into the old and the new lines. */
export type LineStep =
  | { kind: 'keep'; old: number; fresh: number }
  | { kind: 'remove'; old: number }
  | { kind: 'add'; fresh: number };

/** Above this table size, everything between the first and the last difference counts as changed. */
const MAX_TABLE = 4_000_000;

/** Computes a line diff that keeps as many lines as possible. */
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
    // Removals come before additions.
    else if (!table || (table[(a + 1) * width + b] ?? 0) >= (table[a * width + b + 1] ?? 0))
      steps.push({ kind: 'remove', old: shift + a++ });
    else steps.push({ kind: 'add', fresh: shift + b++ });
  }
  while (a < old.length) steps.push({ kind: 'remove', old: shift + a++ });
  while (b < fresh.length) steps.push({ kind: 'add', fresh: shift + b++ });
  return steps;
}

/** The table of longest common subsequence lengths. */
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

/** Context lines around a change. */
const CONTEXT = 3;

type UnifiedDiff = {
  added: number;
  removed: number;
  /** Hunks with their headers, without file names. */
  diff: string;
  /** How many lines were omitted beyond the limit. */
  omitted: number;
};

/** Creates a unified diff of at most `mostLines` lines. */
export function unifiedDiff(before: string, after: string, mostLines: number): UnifiedDiff {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const steps = diffLines(old, fresh);
  const hunks = findHunks(steps).map((hunk) => writeHunk(hunk, old, fresh));
  const lines = hunks.flat();
  return {
    added: steps.filter(({ kind }) => kind === 'add').length,
    removed: steps.filter(({ kind }) => kind === 'remove').length,
    diff: lines
      .slice(0, mostLines)
      .map((line) => `${line}\n`)
      .join(''),
    omitted: Math.max(0, lines.length - mostLines),
  };
}

/** A trailing carriage return belongs to the line ending. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Groups changes with their context into hunks. */
function findHunks(steps: readonly LineStep[]): LineStep[][] {
  const hunks: { start: number; end: number }[] = [];
  for (const [at, { kind }] of steps.entries()) {
    if (kind === 'keep') continue;
    const last = hunks.at(-1);
    const [start, end] = [Math.max(0, at - CONTEXT), Math.min(steps.length, at + CONTEXT + 1)];
    if (last !== undefined && start <= last.end) last.end = end;
    else hunks.push({ start, end });
  }
  return hunks.map(({ start, end }) => steps.slice(start, end));
}

function writeHunk(steps: readonly LineStep[], old: readonly string[], fresh: readonly string[]): string[] {
  const from = steps.flatMap((step) => ('old' in step ? [step.old] : []));
  const to = steps.flatMap((step) => ('fresh' in step ? [step.fresh] : []));
  const range = (places: readonly number[]) => `${(places[0] ?? -1) + 1},${places.length}`;
  const lines = steps.map((step) => {
    if (step.kind === 'keep') return ` ${old[step.old] ?? ''}`;
    return step.kind === 'remove' ? `-${old[step.old] ?? ''}` : `+${fresh[step.fresh] ?? ''}`;
  });
  return [`@@ -${range(from)} +${range(to)} @@`, ...lines];
}
