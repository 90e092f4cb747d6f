import { isDeepStrictEqual } from 'node:util';
import { ConfigurationError, errorMessage, isJsonObject } from '../base/index.ts';
import { type Document, isAlias, isCollection, isMap, isSeq, parseDocument } from '../util/yaml.ts';
import { parseConfig, readDocument, YAML_OPTIONS } from './parse-config.ts';
import { spliceChange } from './splice-config.ts';

/**
 * A change of one key: set or remove a value, add an entry to a list, or remove an entry from it. The value undefined
 * removes the key, or the list entry with this index.
 */
export type ConfigChange =
  | { path: ConfigPath; value: string | number | boolean | readonly NewEntry[] | undefined }
  | { path: ConfigPath; add: NewEntry }
  | { path: ConfigPath; remove: string };

export type ConfigPath = readonly (string | number)[];
/** A string, or a mapping that is written on one line. */
export type NewEntry = string | Readonly<Record<string, string>>;

/** Parse integers as bigint: as numbers, large ones would be rounded. */
const EXACT_INTEGERS = { ...YAML_OPTIONS, intAsBigInt: true } as const;

/** Changes single keys in the text of a config file and keeps every other byte. */
export function editConfig(file: string, content: string, changes: readonly ConfigChange[]): string {
  parseConfig(file, content);
  const byteOrderMark = content.startsWith('\uFEFF') ? '\uFEFF' : '';
  let text = content.slice(byteOrderMark.length);
  for (const change of changes) text = changeText(file, text, change);
  // Validate the result, so that a wrong value is rejected now and not at the next start.
  parseConfig(file, text);
  return byteOrderMark + text;
}

/**
 * Edits the text in place. If the result would not mean what was asked for, the whole document is written again, with
 * its comments.
 */
function changeText(file: string, text: string, change: ConfigChange): string {
  const document = readDocument(file, text, EXACT_INTEGERS);
  const spliced = spliceChange(text, document, change);
  try {
    applyChange(document, change);
    const wanted = comparableDocument(document);
    if (spliced !== undefined && isDeepStrictEqual(comparableDocument(parseDocument(spliced, EXACT_INTEGERS)), wanted))
      return spliced;
    const written = document.toString({ lineWidth: 0 });
    return text.includes('\r\n') ? written.replace(/\r?\n/g, '\r\n') : written;
  } catch (thrown) {
    throw new ConfigurationError(`${file}: ${change.path.join('.')} cannot be changed: ${errorMessage(thrown)}.`, {
      hint: 'Edit the file by hand, because other parts of it refer to this key. Nothing was changed.',
      cause: thrown,
    });
  }
}

function applyChange(document: Document, change: ConfigChange): void {
  if ('add' in change) {
    addToList(document, change.path, change.add);
    return;
  }
  if ('remove' in change) {
    const list: unknown = document.getIn(change.path);
    const at = isSeq(list) ? list.toJSON().indexOf(change.remove) : -1;
    if (at >= 0) document.deleteIn([...change.path, at]);
    return;
  }
  if (change.value === undefined) {
    if (isCollection(document.getIn(change.path.slice(0, -1)))) document.deleteIn(change.path);
    return;
  }
  setValue(document, change.path, change.value);
}

function setValue(document: Document, path: ConfigPath, value: unknown): void {
  if (!isMap(document.contents)) document.contents = document.createNode({});
  createParents(document, path);
  document.setIn(path, document.createNode(value));
}

function addToList(document: Document, path: ConfigPath, entry: NewEntry): void {
  const list: unknown = document.getIn(path);
  if (!isSeq(list)) setValue(document, path, [entry]);
  else if (!list.toJSON().includes(entry)) list.add(document.createNode(entry, { flow: typeof entry === 'object' }));
}

/** Creates missing parents. `model: name` becomes a mapping that keeps the name as `default`. */
function createParents(document: Document, path: ConfigPath): void {
  for (let length = 1; length < path.length; length += 1) {
    const parent = path.slice(0, length);
    const present: unknown = document.getIn(parent);
    if (isMap(present) || (isSeq(present) && typeof path[length] === 'number')) continue;
    if (isAlias(present)) throw new Error(`${parent.join('.')} is a reference to another part of the file`);
    const isShortModel = length === 1 && path[0] === 'model' && typeof present === 'string' && present !== '';
    document.setIn(parent, document.createNode(isShortModel ? { default: present } : {}));
  }
}

/** The values that are set in a document: an empty mapping, a missing key and null are equivalent. */
function comparableDocument(document: Document): unknown {
  const broken = document.errors[0];
  return broken ?? comparableValue(document.toJS());
}

function comparableValue(value: unknown): unknown {
  if (typeof value === 'bigint' || typeof value === 'number') return `number ${value}`;
  if (Array.isArray(value)) return value.map(comparableValue);
  if (!isJsonObject(value)) return value ?? undefined;
  const entries = Object.entries(value)
    .map(([key, inner]): [string, unknown] => [key, comparableValue(inner)])
    .filter(([, inner]) => inner !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
