import { readFileSync, statSync } from 'node:fs';
import { ConfigurationError } from '../base/index.ts';
import { changeFile, fileErrorReason, rememberVariables, writeFileAtomic } from '../util/index.ts';
import { type EnvironmentVariables, homePaths } from './paths.ts';

/** Reads `$HERMES_HOME/.env`. The variables are returned and never added to `process.env`. */
export async function readEnvFile(home: string): Promise<Record<string, string>> {
  const variables = variablesIn((await readIfPresent(homePaths(home).envFile)) ?? '');
  rememberVariables(variables);
  return variables;
}

/** If a variable occurs more than once, the last line wins. */
function variablesIn(content: string): Record<string, string> {
  return Object.fromEntries(parseEnvText(content).map(({ name, value }) => [name, value]));
}

/**
 * `.env` takes precedence over the environment, so that a saved value wins over a forgotten export. An empty value in
 * the file does not hide a variable.
 */
export function mergeVariables(
  env: EnvironmentVariables,
  saved: Readonly<Record<string, string>>,
): EnvironmentVariables {
  const filled = Object.entries(saved).filter(([, value]) => value !== '');
  return { ...env, ...Object.fromEntries(filled) };
}

/**
 * Saves variables, or removes those with an undefined value, and keeps every other line, under the lock of the file.
 * The file is readable only by its owner.
 */
export async function updateEnvFile(
  home: string,
  changes: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const file = homePaths(home).envFile;
  await changeFile(file, async () => {
    const content = (await readIfPresent(file)) ?? '';
    await writeFileAtomic(file, changeVariables(file, content, changes), { mode: 0o600 });
  });
}

function changeVariables(file: string, before: string, changes: Readonly<Record<string, string | undefined>>): string {
  let content = before;
  for (const [name, value] of Object.entries(changes)) {
    content = value === undefined ? removeVariable(content, name) : setVariable(content, name, value);
  }
  const written = variablesIn(content);
  const lost = Object.keys(changes).find((name) => written[name] !== changes[name]);
  if (lost !== undefined) {
    throw new ConfigurationError(`${file}: ${lost} cannot be saved, because a quote above it is not closed.`, {
      hint: 'Close the quote. Nothing was changed.',
    });
  }
  rememberVariables(written);
  return content;
}

/**
 * The content of a file; undefined if it does not exist. Any other read error is thrown. Reads synchronously: the first
 * asynchronous operation on a file starts threads, and startup would wait longer for them than for these small files.
 */
export async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    // Reading a FIFO or a device could block forever.
    if (!statSync(file).isFile()) throw new Error('it is not a regular file');
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const isDenied = code === 'EACCES' || code === 'EPERM';
    throw new ConfigurationError(`Cannot read ${file}: ${fileErrorReason(thrown)}.`, {
      hint: isDenied
        ? 'Check the owner and the permissions of the file and its folder.'
        : 'Make it a regular file that you can read, or remove it.',
      cause: thrown,
    });
  }
}

function removeVariable(content: string, name: string): string {
  const lines = parseEnvText(content).filter((entry) => entry.name === name);
  return lines.reduceRight((text, { start, end }) => text.slice(0, start) + text.slice(end), content);
}

function setVariable(content: string, name: string, value: string): string {
  const line = `${name}=${quote(name, value)}`;
  const [first, ...others] = parseEnvText(content).filter((entry) => entry.name === name);
  if (first === undefined) {
    const lineBreak = content.includes('\r\n') ? '\r\n' : '\n';
    const separator = /(?:^\uFEFF?|[\r\n])$/.test(content) ? '' : lineBreak;
    return `${content}${separator}${line}${lineBreak}`;
  }
  // Duplicate lines are removed, because the last one would override the new value.
  let changed = content;
  for (const { start, end } of others.reverse()) changed = changed.slice(0, start) + changed.slice(end);
  const lineBreak = /[\r\n]*$/.exec(content.slice(first.start, first.end))?.[0] ?? '';
  return `${changed.slice(0, first.start)}${line}${lineBreak}${changed.slice(first.end)}`;
}

/** Quotes a value so that this parser, other .env parsers and shells read it back unchanged. */
function quote(name: string, value: string): string {
  if (/^[\w.:/+@%=-]*$/.test(value)) return value;
  const marker = ["'", '"'].find((candidate) => !value.includes(candidate));
  const isOneLine = !/[\r\n]/.test(value);
  if (marker !== undefined && isOneLine && !value.includes('\\')) return `${marker}${value}${marker}`;
  // A value that starts with a quote is not written unquoted, because a quote in a later line could close it.
  if (isOneLine && !/^['"]/.test(value) && parseEnvText(`${name}=${value}`)[0]?.value === value) return value;
  throw new ConfigurationError(
    `The value of ${name} cannot be saved: it contains line breaks, or both quotes and backslashes.`,
  );
}

/** One variable of an `.env` file and the range of its text, including the line break. */
type EnvEntry = { name: string; value: string; start: number; end: number };

const NAME = /[^\S\r\n]*(?:export[^\S\r\n]+)?([^=#\s]+)[^\S\r\n]*=/y;
const SINGLE_QUOTED = /[^\S\r\n]*'((?:\\'|[^'])*)'/y;
const DOUBLE_QUOTED = /[^\S\r\n]*"((?:\\"|[^"])*)"/y;
const REST_OF_LINE = /([^\r\n]*)(?:\r\n|\r|\n)?/y;
const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/**
 * Parses `.env` files as existing homes have them. `util.parseEnv` is not used: it treats any `#` as the start of a
 * comment, which truncates keys, and a byte order mark as part of the first name. Lines without an assignment are
 * skipped.
 */
export function parseEnvText(content: string): EnvEntry[] {
  const entries: EnvEntry[] = [];
  let at = content.startsWith('\uFEFF') ? 1 : 0;
  while (at < content.length) {
    const start = at;
    const name = matchToken(NAME, content, at);
    const quoted = name && readQuoted(content, name.end);
    const rest = matchToken(REST_OF_LINE, content, quoted?.end ?? name?.end ?? at);
    at = rest?.end ?? content.length;
    if (name !== undefined) {
      entries.push({ name: name.text, value: quoted?.text ?? withoutComment(rest?.text ?? ''), start, end: at });
    }
  }
  return entries;
}

type TokenMatch = { text: string; end: number };

/** A quoted value, which may span several lines. */
function readQuoted(content: string, at: number): TokenMatch | undefined {
  const single = matchToken(SINGLE_QUOTED, content, at);
  if (single !== undefined) return { ...single, text: single.text.replace(/\\([\\'])/g, '$1') };
  const double = matchToken(DOUBLE_QUOTED, content, at);
  if (double === undefined) return undefined;
  return {
    ...double,
    text: double.text.replace(/\\([\\'"abfnrtv])/g, (_, letter: string) => ESCAPES[letter] ?? letter),
  };
}

/** Only a `#` after whitespace starts a comment. */
function withoutComment(value: string): string {
  return value.replace(/\s+#.*$/, '').trim();
}

function matchToken(pattern: RegExp, content: string, at: number): TokenMatch | undefined {
  pattern.lastIndex = at;
  const found = pattern.exec(content);
  return found === null ? undefined : { text: found[1] ?? '', end: at + found[0].length };
}
