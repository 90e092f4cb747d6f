import { isCollection, isPair, isScalar, type Node, type Pair, type YAMLMap, type YAMLSeq } from 'yaml';

/** A key or an entry, as the parser gives it; without a range it does not stand in the text. */
export type Item = Node & { range?: readonly [number, number, number] | null };

/** Where things stand in a YAML text, and that text with something put in or taken out. */
export type TextLayout = {
  text: string;
  /** The line break of the file. */
  lineBreak: string;
  /** The blanks before a key; undefined where something else stands before it. */
  indentOf(pair: Pair): string | undefined;
  /** Where the next line starts, seen from a place at or behind the end of something. */
  nextLine(at: number): number;
  insertLines(at: number, lines: readonly string[]): string;
  /** Puts an entry behind the last one of a collection: text inside brackets, else lines or the text of a list entry. */
  append(collection: YAMLMap | YAMLSeq, added: string | readonly string[]): string | undefined;
  remove(collection: YAMLMap | YAMLSeq, item: unknown): string | undefined;
  /** From the first dash of a list to the end of its last entry. */
  entriesOf(list: YAMLSeq): readonly [start?: number, end?: number];
};

export function layOut(text: string): TextLayout {
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  const indentBefore = (at: number) => text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  const nextLine = (at: number) => {
    if (text[at - 1] === '\n') return at;
    const found = text.indexOf('\n', at);
    return found < 0 ? text.length : found + 1;
  };
  const indentOf = (pair: Pair) => blankOnly(indentBefore(startOf(pair.key) ?? 0));
  const insertLines = (at: number, lines: readonly string[]) => {
    const before = text.slice(0, at);
    const separator = before === '' || before.endsWith('\n') ? '' : lineBreak;
    return `${before}${separator}${lines.map((line) => line + lineBreak).join('')}${text.slice(at)}`;
  };
  const layout: TextLayout = {
    text,
    lineBreak,
    indentOf,
    nextLine,
    insertLines,
    append(collection, added) {
      if (collection.flow) return appendInBrackets(text, collection, [added].flat().join(' '));
      const [first, last] = [collection.items[0], collection.items.at(-1)];
      const indent = isPair(first) ? indentOf(first) : dashIndent(indentBefore(startOf(first) ?? 0));
      if (indent === undefined || last === undefined) return undefined;
      const lines = typeof added === 'string' ? [`- ${added}`] : added;
      return insertLines(
        behindComments(text, nextLine(endOf(last)), indent),
        lines.map((line) => indent + line),
      );
    },
    entriesOf: (list) =>
      blankOnly(indentBefore(startOf(list) ?? 0)) === undefined ? [] : [startOf(list), endOf(list)],
    remove(collection, item) {
      if (collection.flow) return removeInBrackets(text, collection, item);
      const start = isPair(item) ? startOf(item.key) : startOf(item);
      if (start === undefined) return undefined;
      const before = indentBefore(start);
      const isWhole = isPair(item) ? blankOnly(before) !== undefined : dashIndent(before) !== undefined;
      return isWhole ? replaceText(text, start - before.length, nextLine(endOf(item)), '') : undefined;
    },
  };
  return layout;
}

export function keyOf(pair: Pair): unknown {
  return isScalar(pair.key) ? pair.key.value : undefined;
}

export function replaceText(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

function appendInBrackets(text: string, collection: YAMLMap | YAMLSeq, added: string): string | undefined {
  const last = collection.items.at(-1);
  if (last !== undefined) return replaceText(text, endOf(last), endOf(last), `, ${added}`);
  const [start, end] = (collection as Item).range ?? [0, 0];
  return replaceText(text, start + 1, end - 1, ` ${added} `);
}

/** With the comma before it, or for the first one the comma behind it. */
function removeInBrackets(text: string, collection: YAMLMap | YAMLSeq, item: unknown): string | undefined {
  const items: readonly unknown[] = collection.items;
  const at = items.indexOf(item);
  const [before, after] = [items[at - 1], items[at + 1]];
  const beginningOf = (one: unknown) => startOf(isPair(one) ? one.key : one);
  const start = before === undefined ? beginningOf(item) : endOf(before);
  const end = before === undefined && after !== undefined ? beginningOf(after) : endOf(item);
  return start === undefined || end === undefined ? undefined : replaceText(text, start, end, '');
}

function startOf(item: unknown): number | undefined {
  return (item as Item | null)?.range?.[0];
}

/** The end of what was written, without the comment and the line break behind it. */
function endOf(item: unknown): number {
  if (isPair(item)) {
    const [start = 0, end = 0] = (item.value as Item | null)?.range ?? [];
    // A value that is not there has a place all the same, which may be lines away from its key.
    if (start === end) return (item.key as Item).range?.[1] ?? end;
    return endOf(item.value);
  }
  if (isCollection(item) && !item.flow) return endOf(item.items.at(-1));
  return (item as Item | null)?.range?.[1] ?? 0;
}

/** Comments that are indented further belong to what stands above them. */
function behindComments(text: string, at: number, indent: string): number {
  const comment = new RegExp(`(?:[ \\t]*\\r?\\n)*${indent}[ \\t]+#.*(?:\\r?\\n|$)`, 'y');
  comment.lastIndex = at;
  const found = comment.exec(text)?.[0];
  return found === undefined ? at : behindComments(text, at + found.length, indent);
}

function blankOnly(text: string): string | undefined {
  return text.trim() === '' ? text : undefined;
}

/** The blanks before the dash of a list entry. */
function dashIndent(before: string): string | undefined {
  return /^( *)- +$/.exec(before)?.[1];
}
