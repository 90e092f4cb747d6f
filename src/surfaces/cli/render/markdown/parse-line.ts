/** All functions of this file parse a single line without its indentation. */

type ListMarker = { marker: string; task: boolean | undefined; content: string };

const LIST = /^([-*+]|\d{1,9}[.)])(?:[ \t]+(.*))?$/su;
const TASK = /^\[([ xX])\][ \t]+(.*)$/su;

export function readListMarker(text: string): ListMarker | undefined {
  const match = LIST.exec(text);
  if (match === null) return undefined;
  const [, marker = '', content = ''] = match;
  const task = TASK.exec(content);
  if (task === null) return { marker, task: undefined, content };
  return { marker, task: task[1] !== ' ', content: task[2] ?? '' };
}

export function readHeading(text: string): { level: number; content: string } | undefined {
  const match = /^(#{1,6})(?:[ \t]+(.*))?$/su.exec(text);
  if (match === null) return undefined;
  return { level: match[1]?.length ?? 1, content: (match[2] ?? '').replace(/(?:^|\s)#+\s*$/u, '') };
}

export function isRule(text: string): boolean {
  return /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/u.test(text.trimEnd());
}

/**
 * Parses the underline of a heading and returns the level of the heading; undefined if the line is not an underline.
 */
export function readUnderline(text: string): number | undefined {
  if (/^=+\s*$/u.test(text)) return 1;
  return /^-+\s*$/u.test(text) ? 2 : undefined;
}

type FenceMarks = { marks: string; language: string };

export function readFence(text: string): FenceMarks | undefined {
  const match = /^(`{3,}|~{3,})([^\n]*)$/u.exec(text);
  if (match === null) return undefined;
  const [, marks = '', info = ''] = match;
  // Backticks with further backticks in the same line are inline code.
  if (marks.startsWith('`') && info.includes('`')) return undefined;
  return { marks, language: /^[^\s{,:]*/u.exec(info.trim())?.[0]?.toLowerCase() ?? '' };
}

export function closesFence(text: string, marks: string): boolean {
  const trimmed = text.trim();
  return trimmed.length >= marks.length && trimmed === (marks[0] ?? '').repeat(trimmed.length);
}

export type Alignment = 'left' | 'right' | 'center';

/** Parses the delimiter row below the head of a table; undefined if the line is not one. */
export function readAlignments(text: string): Alignment[] | undefined {
  const line = text.trim();
  if (!line.includes('-') || !/^[|:\- \t]+$/u.test(line) || !/[|:]/u.test(line)) return undefined;
  const fields = splitRow(line);
  if (!fields.every((field) => /^:?-+:?$/u.test(field))) return undefined;
  return fields.map((field) => {
    if (!field.endsWith(':')) return 'left';
    return field.startsWith(':') ? 'center' : 'right';
  });
}

/** Splits a table row into its fields. An escaped bar is text, even inside code. */
export function splitRow(text: string): string[] {
  const line = text
    .trim()
    .replace(/^\|/u, '')
    .replace(/(?<!\\)\|$/u, '');
  return line.split(/(?<!\\)\|/u).map((field) => field.trim().replaceAll('\\|', '|'));
}

/** Returns the indentation of a line in columns, and the text after it. */
export function readIndent(line: string): { indent: number; text: string } {
  let [indent, at] = [0, 0];
  for (; at < line.length; at++) {
    if (line[at] === ' ') indent += 1;
    else if (line[at] === '\t') indent += 4 - (indent % 4);
    else break;
  }
  return { indent, text: line.slice(at) };
}

/** Removes up to this many columns of indentation. */
export function dropIndent(line: string, columns: number): string {
  const { indent, text } = readIndent(line);
  return ' '.repeat(Math.max(0, indent - columns)) + text;
}
