import type { RestoreReport } from '../../contracts/index.ts';

const MOST_NAMED = 30;

/** What the model has to know about files that it remembers otherwise; undefined where none has changed. */
export function describeRestore(number: number, { written, removed }: RestoreReport): string | undefined {
  if (written.length + removed.length === 0) return undefined;
  const lines = [
    `The user went back to checkpoint ${number}: files of the working directory are as they were before. What you changed in them since is undone. Read a file again before you rely on it or change it.`,
    ...namesOf('Put back', written),
    ...namesOf('Removed', removed),
  ];
  return lines.join('\n');
}

function namesOf(what: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : '';
  return [
    `${what}: ${paths
      .slice(0, MOST_NAMED)
      .map((path) => JSON.stringify(path))
      .join(', ')}${more}`,
  ];
}
