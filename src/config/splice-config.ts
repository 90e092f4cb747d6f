import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { ConfigChange, ConfigPath, NewEntry } from './edit-config.ts';
import { type Item, keyOf, layOut, replaceText, type TextLayout } from './text-layout.ts';

type NewScalar = string | number | boolean;
type NewValue = NewScalar | readonly NewEntry[];

/**
 * The text with one change made in it and every other byte as it was; undefined where the file is laid out in a way
 * that this does not know. The caller compares what the result means with what it should mean.
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

/** A scalar, an alias or something in brackets becomes a scalar; anything larger is not for us. */
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

/** The entries of a list, one by one in the way they stood. */
function replaceList(layout: TextLayout, list: YAMLSeq, value: readonly NewEntry[]): string | undefined {
  const [start, end] = list.flow ? (list.range ?? []) : layout.entriesOf(list);
  if (start === undefined || end === undefined) return undefined;
  if (list.flow || value.length === 0) return replaceText(layout.text, start, end, flowList(value));
  const indent = layout.text.slice(layout.text.lastIndexOf('\n', start - 1) + 1, start);
  const entries = value.map((entry) => `- ${writeEntry(entry)}`);
  return replaceText(layout.text, start, end, entries.join(`${layout.lineBreak}${indent}`));
}

/** A key without a value, or a short `model: name`, becomes a mapping or a list; the comment beside it stays there. */
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

/** Takes out a value together with the blanks around it, except the one before a comment. */
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

/** The lines of a key with what is in it; for an empty path those of a list alone. */
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

/** In one line always. Inside brackets more characters have a meaning, so only simple words stand without quotes. */
function writeScalar(value: NewScalar, flow = false): string {
  if (typeof value !== 'string') return String(value);
  const plain = stringify(value, { lineWidth: 0, blockQuote: false }).trimEnd();
  const isSafe = flow ? /^[\w./-]+$/.test(plain) : !/[\r\n]/.test(plain);
  return isSafe ? plain : JSON.stringify(value);
}
