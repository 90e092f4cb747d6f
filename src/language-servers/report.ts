import type { Diagnostic } from './read-diagnostics.ts';

/** The diagnostics of one file: those of before the edit that were already reported, and those of now. */
export type FileReport = {
  /** The name of the language server. */
  server: string;
  /** The path as the model knows it. */
  name: string;
  before: readonly Diagnostic[];
  now: readonly Diagnostic[];
};

/**
 * The text that is appended to the result of an edit; undefined if there is nothing to say. Each line starts with its
 * position, so that no message can look like a notice of ours.
 */
export function describeDiagnostics({ server, name, before, now }: FileReport, maxLines: number): string | undefined {
  if (now.length === 0)
    return before.length === 0 ? undefined : `[${server}: ${name} has no errors or warnings any more]`;
  const known = new Set(before.map(identityOf));
  const isNew = (each: Diagnostic) => !known.has(identityOf(each));
  const sorted = now.toSorted(
    (one, other) =>
      rank(one) - rank(other) ||
      Number(isNew(other)) - Number(isNew(one)) ||
      one.line - other.line ||
      one.column - other.column,
  );
  const lines = sorted
    .slice(0, maxLines)
    .map((each) => `${describe(each)}${known.size > 0 && isNew(each) ? ' (new)' : ''}`);
  const omitted = sorted.length - lines.length;
  return [
    `[${server} reports ${counts(now)} in ${name} after this change]`,
    ...lines,
    ...(omitted > 0 ? [`[${omitted} more not shown]`] : []),
    '[End of diagnostics]',
  ].join('\n');
}

function describe({ line, column, severity, message, code }: Diagnostic): string {
  return `${line}:${column} ${severity}: ${message}${code === undefined ? '' : ` (${code})`}`;
}

/** Without the position, because an edit moves the lines below it. */
function identityOf({ severity, message, code }: Diagnostic): string {
  return `${severity} ${code} ${message}`;
}

function rank({ severity }: Diagnostic): number {
  return severity === 'error' ? 0 : 1;
}

function counts(all: readonly Diagnostic[]): string {
  const errors = all.filter(({ severity }) => severity === 'error').length;
  const parts = [counted(errors, 'error'), counted(all.length - errors, 'warning')];
  return parts.filter((part) => part !== '').join(' and ');
}

function counted(count: number, word: string): string {
  return count === 0 ? '' : `${count} ${word}${count === 1 ? '' : 's'}`;
}
