import type { JsonObject, JsonValue } from '../base/index.ts';

/** What a plain file says, and where. */
export type PlainYaml = {
  values: JsonObject;
  /** The line of a key's value, or of the nearest thing above it that exists. */
  lineOf(path: readonly PropertyKey[]): number;
};

type Level = { indent: number; values: JsonObject; path: string };

const LINE = /^( *)([A-Za-z_][A-Za-z0-9_-]*):(?: +(\S.*?))? *$/;
const COMMENT = /^ *(?:#.*)?$/;
const COMMENT_BEHIND = / +#.*$/;
const WHOLE_NUMBER = /^(?:0|[1-9][0-9]{0,14})$/;
const WORDS = /^[A-Za-z][A-Za-z0-9_./-]*(?::[A-Za-z0-9_./-]+)*$/;
const QUOTED = /^(?:"([^"\\]*)"|'([^']*)')$/;
/** Words that mean a value, in some spelling and some version of YAML, and the one that no object may have as a key. */
const SPECIAL = /^(?:true|false|null|yes|no|on|off|y|n|__proto__)$/i;

/**
 * Reads files of keys, words and whole numbers, which most are. The parser for all of YAML takes longer to load than
 * such a file takes to be answered; whatever could mean anything else is left to it, by undefined.
 */
export function readPlainYaml(content: string): PlainYaml | undefined {
  if (!/^[\n\x20-\x7e]*$/.test(content)) return undefined;
  const lines = new Map<string, number>();
  const root: Level = { indent: 0, values: {}, path: '' };
  const levels = [root];
  // The key that has nothing behind it yet: what stands deeper belongs to it.
  let open: { key: string; indent: number } | undefined;
  for (const [index, line] of content.split('\n').entries()) {
    if (COMMENT.test(line)) continue;
    const [, blanks, key, written] = LINE.exec(line) ?? [];
    if (blanks === undefined || key === undefined || SPECIAL.test(key)) return undefined;
    const level = enter(levels, blanks.length, open);
    if (level === undefined || Object.hasOwn(level.values, key)) return undefined;
    const value = readValue(written);
    if (value === undefined) return undefined;
    level.values[key] = value;
    // A mapping stands where its first key does.
    if (!lines.has(level.path)) lines.set(level.path, index + 1);
    open = value === null ? { key, indent: blanks.length } : undefined;
    if (value !== null) lines.set(`${level.path}/${key}`, index + 1);
  }
  return { values: root.values, lineOf: (path) => findLine(lines, path) };
}

/** The mapping that a key of this indentation belongs to; undefined where that is not plain. */
function enter(levels: Level[], indent: number, open: { key: string; indent: number } | undefined): Level | undefined {
  while ((levels.at(-1)?.indent ?? 0) > indent) levels.pop();
  const level = levels.at(-1);
  if (level?.indent === indent) return level;
  if (level === undefined || open === undefined || open.indent !== level.indent) return undefined;
  const inner: Level = { indent, values: {}, path: `${level.path}/${open.key}` };
  level.values[open.key] = inner.values;
  levels.push(inner);
  return inner;
}

/** Null for nothing, undefined for what is not plain. */
function readValue(written: string | undefined): JsonValue | undefined {
  if (written === undefined || written.startsWith('#')) return null;
  const text = written.replace(COMMENT_BEHIND, '');
  if (WHOLE_NUMBER.test(text)) return Number(text);
  if (text === 'true' || text === 'false') return text === 'true';
  if (WORDS.test(text)) return SPECIAL.test(text) ? undefined : text;
  const quoted = QUOTED.exec(text);
  return quoted === null ? undefined : (quoted[1] ?? quoted[2]);
}

function findLine(lines: ReadonlyMap<string, number>, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const line = lines.get(
      path
        .slice(0, length)
        .map((key) => `/${String(key)}`)
        .join(''),
    );
    if (line !== undefined) return line;
  }
  return 1;
}
