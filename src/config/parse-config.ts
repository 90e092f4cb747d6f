import { ConfigurationError, errorMessage } from '../base/index.ts';
import {
  type Document,
  isMap,
  isScalar,
  LineCounter,
  type ParseOptions,
  parseDocument,
  explainYamlError,
  visit,
  type YAMLError,
} from '../util/yaml.ts';
import { formatPath } from './format-path.ts';
import { showRejected } from './show-rejected.ts';
import { type ParsedConfig, toConfigValues } from './read-config.ts';
import { schemaFor } from './schema.ts';

const HINT = 'Correct that line, for example with `hermes config edit`.';

/** Existing files use YAML 1.1, which has merge keys (`<<: *name`). YAML warnings are ignored. */
export const YAML_OPTIONS = { merge: true, logLevel: 'error' } as const;

/** Parses and validates a config file. The first problem is thrown as an error with file, line and key. */
export function parseConfig(file: string, content: string): ParsedConfig {
  const { plain, line } = readYamlValues(file, content);
  const locate = (path: readonly PropertyKey[]) => `${file}, line ${line(path)}`;
  const checked = schemaFor(plain).safeParse(plain);
  if (checked.success) return { values: checked.data, location: locate };
  const [issue] = checked.error.issues;
  const path = issue?.path ?? [];
  throw new ConfigurationError(`${locate(path)}: ${describeIssue(path, plain, issue?.message)}`, { hint: HINT });
}

/** The values of a syntactically valid file, before validation. */
export type YamlValues = { document: Document; plain: unknown; line(path: readonly PropertyKey[]): number };

export function readYamlValues(file: string, content: string): YamlValues {
  const lines = new LineCounter();
  const document = readDocument(file, content, { lineCounter: lines });
  const plain = toConfigValues(toPlainValues(file, document, lines));
  return { document, plain, line: (path) => lineOf(document, lines, path) };
}

/** All validation errors with their paths. */
export function findIssues(plain: unknown): { path: readonly PropertyKey[]; message: string }[] {
  const { error } = schemaFor(plain).safeParse(plain);
  return (error?.issues ?? []).map(({ path, message }) => ({ path, message: describeIssue(path, plain, message) }));
}

function describeIssue(path: readonly PropertyKey[], plain: unknown, wanted = 'different'): string {
  const value = path.reduce<unknown>((at, part) => (at as Record<PropertyKey, unknown> | undefined)?.[part], plain);
  return `${path.length === 0 ? 'the file' : formatPath(path)} must be ${wanted}${showRejected(path, value)}.`;
}

/** Parses the YAML document; throws on syntax errors. */
export function readDocument(file: string, content: string, options: ParseOptions = {}): Document {
  const document = parseDocument(content, { prettyErrors: true, ...YAML_OPTIONS, ...options });
  const broken = document.errors[0];
  if (broken) throw new ConfigurationError(describeSyntaxError(file, content, broken), { hint: HINT });
  return document;
}

function toPlainValues(file: string, document: Document, lines: LineCounter): unknown {
  try {
    const values: unknown = document.toJS();
    const loop = findLoop(values);
    if (loop !== undefined) throw new Error(`${formatPath(loop)} contains itself`);
    return values ?? {};
  } catch (thrown) {
    // An alias without an anchor, an alias inside its own anchor, or aliases that expand to a huge document.
    const line = lineOfBadAlias(document, lines);
    const where = line === undefined ? file : `${file}, line ${line}`;
    throw new ConfigurationError(`${where}: the file cannot be read: ${errorMessage(thrown)}.`, {
      hint: HINT,
      cause: thrown,
    });
  }
}

/** The path of a value that contains itself, which an alias inside its own anchor can cause. */
function findLoop(
  value: unknown,
  above: readonly unknown[] = [],
  path: readonly string[] = [],
): readonly string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (above.includes(value)) return path;
  for (const [key, inner] of Object.entries(value)) {
    const loop = findLoop(inner, [...above, value], [...path, key]);
    if (loop !== undefined) return loop;
  }
  return undefined;
}

/** The line of the first alias without an anchor, or inside its own anchor. */
function lineOfBadAlias(document: Document, lines: LineCounter): number | undefined {
  let at: number | undefined;
  visit(document, {
    Alias(_, alias, path) {
      const source = alias.resolve(document);
      if (source !== undefined && !path.includes(source)) return undefined;
      at = alias.range?.[0];
      return visit.BREAK;
    },
  });
  return at === undefined ? undefined : lines.linePos(at).line;
}

function lineOf(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const parent: unknown = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    // A key, because its value may begin on a later line. The entries of a list have no keys.
    const pair = isMap(parent) ? parent.items.find(({ key }) => isNamed(key, path[length - 1])) : undefined;
    const node: unknown = pair === undefined ? document.getIn(path.slice(0, length), true) : pair.key;
    const range = (node as { range?: readonly number[] | null } | undefined)?.range;
    if (range?.[0] !== undefined) return lines.linePos(range[0]).line;
  }
  return 1;
}

function isNamed(key: unknown, name: PropertyKey | undefined): boolean {
  return String(isScalar(key) ? key.value : key) === String(name);
}

function describeSyntaxError(file: string, content: string, error: YAMLError): string {
  const line = lastWrittenLine(content, error.linePos?.[0].line ?? 1);
  const key = nearestKey(content, line);
  return `${file}, line ${line}${key ? `, near the key "${key}"` : ''}: invalid YAML: ${explainYamlError(error)}.`;
}

/** What is missing at the end of the file is missing on its last line that is not empty. */
function lastWrittenLine(content: string, line: number): number {
  const above = content.split('\n').slice(0, line);
  return Math.max(1, above.findLastIndex((text) => text.trim() !== '') + 1);
}

/** Syntax errors have no path, so the nearest key above the line is named instead. */
function nearestKey(content: string, line: number): string | undefined {
  const above = content.split('\n').slice(0, line).reverse();
  for (const text of above) {
    const match = /^[\s-]*([\w.-]+)\s*:/.exec(text);
    if (match) return match[1];
  }
  return undefined;
}
