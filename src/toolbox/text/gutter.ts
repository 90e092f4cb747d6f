import { ToolFailure } from '../../tools/index.ts';

/** Whether every line begins with `N|`, counting up, as read_file shows them. One line alone proves nothing. */
export function hasGutter(text: string): boolean {
  const lines = text.replace(/\n$/, '').split('\n');
  if (lines.length < 2) return false;
  const first = numberOf(lines[0]);
  return first !== undefined && lines.every((line, index) => numberOf(line) === first + index);
}

function numberOf(line: string | undefined): number | undefined {
  const digits = /^\s*(\d{1,9})\|/.exec(line ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The line numbers of read_file would end up in the file. */
export function refuseGutter(parameter: string, text: string): void {
  if (!hasGutter(text)) return;
  throw new ToolFailure(
    `${parameter} has the line numbers of read_file (N|) in front of its lines. Give the text without them; if they really belong into the file, write it with a command in the terminal.`,
  );
}
