/** One variable of an `.env` file, and the text that sets it, with its line break. */
export type EnvEntry = { name: string; value: string; start: number; end: number };

const NAME = /[^\S\r\n]*(?:export[^\S\r\n]+)?([^=#\s]+)[^\S\r\n]*=/y;
const SINGLE_QUOTED = /[^\S\r\n]*'((?:\\'|[^'])*)'/y;
const DOUBLE_QUOTED = /[^\S\r\n]*"((?:\\"|[^"])*)"/y;
const REST_OF_LINE = /([^\r\n]*)(?:\r\n|\r|\n)?/y;
const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/**
 * Reads `.env` files as existing homes have them. Not `util.parseEnv`: that takes any `#` for the start of a comment,
 * which cuts keys in half, and a byte order mark for a part of the first name. Lines that set nothing are passed over.
 */
export function parseEnvText(content: string): EnvEntry[] {
  const entries: EnvEntry[] = [];
  let at = content.startsWith('\uFEFF') ? 1 : 0;
  while (at < content.length) {
    const start = at;
    const name = take(NAME, content, at);
    const quoted = name && readQuoted(content, name.end);
    const rest = take(REST_OF_LINE, content, quoted?.end ?? name?.end ?? at);
    at = rest?.end ?? content.length;
    if (name !== undefined) {
      entries.push({ name: name.text, value: quoted?.text ?? withoutComment(rest?.text ?? ''), start, end: at });
    }
  }
  return entries;
}

type Taken = { text: string; end: number };

/** A value in quotes, which may span lines. */
function readQuoted(content: string, at: number): Taken | undefined {
  const single = take(SINGLE_QUOTED, content, at);
  if (single !== undefined) return { ...single, text: single.text.replace(/\\([\\'])/g, '$1') };
  const double = take(DOUBLE_QUOTED, content, at);
  if (double === undefined) return undefined;
  return {
    ...double,
    text: double.text.replace(/\\([\\'"abfnrtv])/g, (_, letter: string) => ESCAPES[letter] ?? letter),
  };
}

/** A `#` inside a word belongs to it; only one after a blank starts a comment. */
function withoutComment(value: string): string {
  return value.replace(/\s+#.*$/, '').trim();
}

function take(pattern: RegExp, content: string, at: number): Taken | undefined {
  pattern.lastIndex = at;
  const found = pattern.exec(content);
  return found === null ? undefined : { text: found[1] ?? '', end: at + found[0].length };
}
