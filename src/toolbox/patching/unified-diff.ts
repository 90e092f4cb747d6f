import { diffLines, type LineStep } from './line-diff.ts';

/** Lines around a change that tell where it is. */
const CONTEXT = 3;

export type UnifiedDiff = {
  added: number;
  removed: number;
  /** Hunks, each with its heading; without the names of files. */
  diff: string;
  /** How many lines of the hunks were left out because there were too many. */
  omitted: number;
};

/** The way from one text to another as a unified diff, of which no more than so many lines are written out. */
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

/** A carriage return at the end of a line is part of its end. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Changes with the lines around them; those that touch are one. */
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
