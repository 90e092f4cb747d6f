import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from '../util/yaml.ts';
import type { ConfigChange, ConfigPath, NewEntry } from './edit-config.ts';

type NewScalar = string | number | boolean;
type NewValue = NewScalar | readonly NewEntry[];

/**
 * The text with one change and every other byte unchanged; undefined if the layout of the file is not supported. The
 * caller checks that the result has the intended meaning.
 */
export function spliceChange(text: string, document: Document, change: ConfigChange): string | undefined {
  const layout = layOut(text);
  const { contents } = document;
  if ('add' in change) {
    const list: unknown = document.getIn(change.path);
    if (!isSeq(list)) return setValue(layout, contents, change.path, [change.add]);
    return list.toJSON().includes(change.add) ? text : layout.append(list, writeEntry(change.add, list.flow));
  }
  if ('remove' in change) {
    const list: unknown = document.getIn(change.path);
    const at = isSeq(list) ? list.toJSON().indexOf(change.remove) : -1;
    return at < 0 || !isSeq(list) ? text : layout.remove(list, list.items[at]);
  }
  if (change.value !== undefined) return setValue(layout, contents, change.path, change.value);
  const parent: unknown = document.getIn(change.path.slice(0, -1));
  const last = change.path.at(-1);
  if (isSeq(parent) && typeof last === 'number') return layout.remove(parent, parent.items[last]);
  const pair = isMap(parent) ? findPair(parent, last) : undefined;
  return pair === undefined ? text : layout.remove(parent as YAMLMap, pair);
}

function setValue(layout: TextLayout, root: unknown, path: ConfigPath, value: NewValue): string | undefined {
  if (root === null) return layout.insertLines(layout.text.length, blockLines(path, value));
  let map: unknown = root;
  for (const [depth, key] of path.entries()) {
    if (!isMap(map)) return undefined;
    const rest = path.slice(depth + 1);
    const pair = findPair(map, key);
    if (pair === undefined) return insertPair(layout, map, [key, ...rest], value);
    if (rest.length === 0 && isScalarValue(value)) return replaceValue(layout, pair, writeScalar(value, map.flow));
    if (rest.length === 0 && isSeq(pair.value)) return replaceList(layout, pair.value, value as readonly NewEntry[]);
    if (!isMap(pair.value)) return map.flow ? undefined : openSection(layout, pair, rest, value);
    map = pair.value;
  }
  return undefined;
}

function insertPair(layout: TextLayout, map: YAMLMap, path: ConfigPath, value: NewValue): string | undefined {
  return map.flow ? layout.append(map, flowPair(path, value)) : layout.append(map, blockLines(path, value));
}

/** Replaces a scalar, an alias or a flow collection with a scalar; undefined for block collections. */
function replaceValue(layout: TextLayout, pair: Pair, written: string): string | undefined {
  const node = pair.value;
  const isInline = isScalar(node) || isAlias(node) || (isCollection(node) && node.flow === true);
  if (!isInline || !node.range) return undefined;
  const [start, end] = node.range;
  const { text, lineBreak } = layout;
  if (start < end) return replaceText(text, start, end, text[end - 1] === '\n' ? written + lineBreak : written);
  const before = text[start - 1] === ':' ? ' ' : '';
  const after = text[start] === '#' ? ' ' : '';
  return replaceText(text, start, end, before + written + after);
}

/** Replaces the entries of a list, keeping its style. */
function replaceList(layout: TextLayout, list: YAMLSeq, value: readonly NewEntry[]): string | undefined {
  const [start, end] = list.flow ? (list.range ?? []) : layout.entriesOf(list);
  if (start === undefined || end === undefined) return undefined;
  if (list.flow || value.length === 0) return replaceText(layout.text, start, end, flowList(value));
  const indent = layout.text.slice(layout.text.lastIndexOf('\n', start - 1) + 1, start);
  const entries = value.map((entry) => `- ${writeEntry(entry)}`);
  return replaceText(layout.text, start, end, entries.join(`${layout.lineBreak}${indent}`));
}

/**
 * Turns a key without a value, or a short `model: name`, into a mapping or a list. A comment on its line stays there.
 */
function openSection(layout: TextLayout, pair: Pair, path: ConfigPath, value: NewValue): string | undefined {
  const { value: node, key } = pair as Pair<Item>;
  const indent = layout.indentOf(pair);
  if (!isScalar(node) || !node.range || node.anchor || node.tag || indent === undefined) return undefined;
  const [start, end] = node.range;
  const source = layout.text.slice(start, end);
  if (source.includes('\n')) return undefined;
  const isName = keyOf(pair) === 'model' && node.value !== null && node.value !== '' && path[0] !== 'default';
  const lines = [...(isName ? [`default: ${source}`] : []), ...blockLines(path, value)];
  const keyEnd = key.range?.[1] ?? start;
  const opened = source === '' ? layout : layOut(withoutText(layout.text, start, end));
  return opened.insertLines(
    opened.nextLine(keyEnd),
    lines.map((line) => `${indent}  ${line}`),
  );
}

/** Removes a value and the whitespace around it, except one space before a comment. */
function withoutText(text: string, start: number, end: number): string {
  const head = text.slice(0, start).replace(/[ \t]+$/, '');
  const tail = text.slice(end).replace(/^[ \t]+/, '');
  return `${head}${/^(?:\r?\n|$)/.test(tail) ? '' : ' '}${tail}`;
}

function isScalarValue(value: NewValue): value is NewScalar {
  return typeof value !== 'object';
}

function findPair(map: YAMLMap, key: string | number | undefined): Pair | undefined {
  return map.items.find((pair) => keyOf(pair) === key);
}

/** The lines of a key and its value; for an empty path the lines of a list alone. */
function blockLines(path: ConfigPath, value: NewValue): string[] {
  const [key, ...rest] = path;
  if (key === undefined) return [value].flat().map((entry) => `- ${writeEntry(entry)}`);
  if (rest.length === 0 && isScalarValue(value)) return [`${writeScalar(key)}: ${writeScalar(value)}`];
  if (rest.length === 0 && !isScalarValue(value) && value.length === 0) return [`${writeScalar(key)}: []`];
  return [`${writeScalar(key)}:`, ...blockLines(rest, value).map((line) => `  ${line}`)];
}

function flowPair(path: ConfigPath, value: NewValue): string {
  const [key = '', ...rest] = path;
  if (rest.length > 0) return `${writeScalar(key, true)}: { ${flowPair(rest, value)} }`;
  return `${writeScalar(key, true)}: ${isScalarValue(value) ? writeScalar(value, true) : flowList(value)}`;
}

function flowList(entries: readonly NewEntry[]): string {
  return entries.length === 0 ? '[]' : `[${entries.map((entry) => writeEntry(entry, true)).join(', ')}]`;
}

function writeEntry(entry: NewScalar | NewEntry, flow = false): string {
  if (typeof entry !== 'object') return writeScalar(entry, flow);
  const pairs = Object.entries(entry).map(([key, value]) => `${writeScalar(key, true)}: ${writeScalar(value, true)}`);
  return `{ ${pairs.join(', ')} }`;
}

/** Always on one line. In flow style more characters are special, so only simple words are left unquoted. */
function writeScalar(value: NewScalar, flow = false): string {
  if (typeof value !== 'string') return String(value);
  const plain = stringify(value, { lineWidth: 0, blockQuote: false }).trimEnd();
  const isSafe = flow ? /^[\w./-]+$/.test(plain) : !/[\r\n]/.test(plain);
  return isSafe ? plain : JSON.stringify(value);
}

/** A parsed key or entry; without a range it is not in the text. */
type Item = Node & { range?: readonly [number, number, number] | null };

/** Positions in a YAML text, and edits of that text. */
type TextLayout = {
  text: string;
  lineBreak: string;
  /** The indentation of a key; undefined if something else precedes it on the line. */
  indentOf(pair: Pair): string | undefined;
  /** The start of the next line, from a position at or after the end of an item. */
  nextLine(at: number): number;
  insertLines(at: number, lines: readonly string[]): string;
  /**
   * Inserts an entry after the last one of a collection: text in flow style, otherwise lines or the text of a list
   * entry.
   */
  append(collection: YAMLMap | YAMLSeq, added: string | readonly string[]): string | undefined;
  remove(collection: YAMLMap | YAMLSeq, item: unknown): string | undefined;
  /** The range from the first dash of a list to the end of its last entry. */
  entriesOf(list: YAMLSeq): readonly [start?: number, end?: number];
};

function layOut(text: string): TextLayout {
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
        skipComments(text, nextLine(endOf(last)), indent),
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

function keyOf(pair: Pair): unknown {
  return isScalar(pair.key) ? pair.key.value : undefined;
}

function replaceText(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

function appendInBrackets(text: string, collection: YAMLMap | YAMLSeq, added: string): string | undefined {
  const last = collection.items.at(-1);
  if (last !== undefined) return replaceText(text, endOf(last), endOf(last), `, ${added}`);
  const [start, end] = (collection as Item).range ?? [0, 0];
  return replaceText(text, start + 1, end - 1, ` ${added} `);
}

/** Removes an item with the comma before it, or for the first item the comma after it. */
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

/** The end of an item, without the comment and the line break after it. */
function endOf(item: unknown): number {
  if (isPair(item)) {
    const [start = 0, end = 0] = (item.value as Item | null)?.range ?? [];
    // The range of a missing value is empty, and may be several lines after its key.
    if (start === end) return (item.key as Item).range?.[1] ?? end;
    return endOf(item.value);
  }
  if (isCollection(item) && !item.flow) return endOf(item.items.at(-1));
  return (item as Item | null)?.range?.[1] ?? 0;
}

/** Skips comments with a deeper indentation, which belong to the entry above. */
function skipComments(text: string, at: number, indent: string): number {
  const comment = new RegExp(`(?:[ \\t]*\\r?\\n)*${indent}[ \\t]+#.*(?:\\r?\\n|$)`, 'y');
  comment.lastIndex = at;
  const found = comment.exec(text)?.[0];
  return found === undefined ? at : skipComments(text, at + found.length, indent);
}

function blankOnly(text: string): string | undefined {
  return text.trim() === '' ? text : undefined;
}

/** The indentation before the dash of a list entry. */
function dashIndent(before: string): string | undefined {
  return /^( *)- +$/.exec(before)?.[1];
}
