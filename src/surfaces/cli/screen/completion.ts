import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Completion } from '../../slash/index.ts';
import { printable } from '../style.ts';
import type { Completions } from '../terminal/completions.ts';
import { type AutocompleteProvider, fuzzyFilter } from './pi-tui.ts';

type ProviderOptions = { workingDirectory: string; completions: Completions; now?(): number };

/** The completable text before the cursor. */
type Typed =
  | { kind: 'command'; prefix: string }
  | { kind: 'argument'; command: string; prefix: string }
  | { kind: 'file'; prefix: string; mark: '@' | '' };

const MAX_SHOWN = 50;
/** How long a file list is cached, so that not every key press reads the disk. */
const FILE_LIST_TTL_MS = 5_000;

/** Completes `/command`, its argument and `@path` while typing, and any path after Tab. */
export function createCompletionProvider(options: ProviderOptions): AutocompleteProvider {
  const files = createFileSource(options);
  /** The text before the cursor for which the current list was created. */
  let offeredFor: string | undefined;
  return {
    async getSuggestions(lines, cursorLine, cursorCol, { signal, force = false }) {
      const before = (lines[cursorLine] ?? '').slice(0, cursorCol);
      const typed = parseTyped(before, cursorLine === 0, force);
      if (typed === undefined) return null;
      // Errors are ignored, because completion must never get in the way of typing.
      const found = await findCompletions(typed, { ...options, files, signal }).catch(() => []);
      const items = found
        .filter(({ value }) => isTypable(value))
        .slice(0, MAX_SHOWN)
        .map(({ value, about }) => toItem(typed, value, about));
      if (items.length === 0) return null;
      offeredFor = before;
      return { items, prefix: typed.prefix };
    },
    applyCompletion(lines, cursorLine, cursorCol, item, prefix) {
      const line = lines[cursorLine] ?? '';
      // The user may have typed on since the list was created; then the item no longer fits the text.
      if (line.slice(0, cursorCol) !== offeredFor) return { lines, cursorLine, cursorCol };
      const before = line.slice(0, cursorCol - prefix.length) + item.value;
      const after = line.slice(cursorCol);
      return {
        lines: lines.with(cursorLine, before + after),
        cursorLine,
        cursorCol: before.length,
      };
    },
  };
}

/** Parses the end of a line up to the cursor; undefined if nothing can be completed. */
export function parseTyped(before: string, isFirstLine: boolean, force: boolean): Typed | undefined {
  const command = isFirstLine ? /^\s*(\/[^\s/]*)$/.exec(before)?.[1] : undefined;
  if (command !== undefined) return { kind: 'command', prefix: command };
  const file = /(?:^|\s)(@(?:"[^"]*|\S*))$/.exec(before)?.[1];
  if (file !== undefined) return { kind: 'file', prefix: file, mark: '@' };
  const [, name, argument] = (isFirstLine && /^\s*\/([^\s/]+)\s+(.*)$/.exec(before)) || [];
  if (name !== undefined) return { kind: 'argument', command: name, prefix: argument ?? '' };
  return force ? { kind: 'file', prefix: /\S*$/.exec(before)?.[0] ?? '', mark: '' } : undefined;
}

type Sources = ProviderOptions & { files(signal: AbortSignal): Promise<readonly string[]>; signal: AbortSignal };

async function findCompletions(typed: Typed, { completions, files, signal }: Sources): Promise<readonly Completion[]> {
  switch (typed.kind) {
    case 'command':
      return rankMatches(await completions.commands(), typed.prefix.slice(1));
    case 'argument':
      return omitIfExact(await completions.completeArgument(typed.command, typed.prefix), typed.prefix);
    case 'file': {
      const wanted = typed.prefix.slice(typed.mark.length).replace(/^"/, '').replace(/^\.\//, '');
      const values = (await files(signal)).map((value) => ({ value }));
      return wanted === '' ? values : omitIfExact(rankMatches(values, wanted), wanted);
    }
  }
}

/** An exact match is not listed, so that Enter sends the line. */
function omitIfExact(found: readonly Completion[], typed: string): readonly Completion[] {
  return found.some(({ value }) => value === typed) ? [] : found;
}

/** Ranks values that start with the typed text first, then those that contain its letters in this order. */
function rankMatches(all: readonly Completion[], typed: string): Completion[] {
  const beginning = new Set(all.filter(({ value }) => value.toLowerCase().startsWith(typed.toLowerCase())));
  const others = fuzzyFilter([...all], typed, ({ value }) => value).filter((one) => !beginning.has(one));
  return [...beginning, ...others];
}

function toItem(typed: Typed, value: string, about: string | undefined) {
  const description = about === undefined ? {} : { description: printable(about).replace(/\s+/g, ' ') };
  return { value: toInputText(typed, value), label: printable(value), ...description };
}

/** File names may contain line breaks and escape sequences, which must not get into the input line. */
function isTypable(value: string): boolean {
  return printable(value) === value && !value.includes('\n');
}

/** Returns the text to insert: with its prefix, quoted if it contains spaces, and followed by a space. */
function toInputText(typed: Typed, value: string): string {
  if (typed.kind === 'command') return `/${value} `;
  if (typed.kind === 'argument') return value;
  const path = /\s/.test(value) ? `"${value}"` : value;
  return `${typed.mark}${path}${value.endsWith('/') ? '' : ' '}`;
}

function createFileSource({ workingDirectory, now = Date.now }: ProviderOptions) {
  let last: { files: readonly string[]; at: number } | undefined;
  return async (signal: AbortSignal) => {
    if (last !== undefined && now() - last.at < FILE_LIST_TTL_MS) return last.files;
    const files = await listFiles(workingDirectory, signal);
    if (!signal.aborted) last = { files, at: now() };
    return files;
  };
}

/** The maximum number of names to scan, so that a large home directory does not delay typing. */
const MAX_NAMES = 20_000;
/** After this many names the scan yields to key presses. */
const NAMES_PER_YIELD = 500;
/** Nobody writes a larger `.gitignore` by hand; such a file is ignored. */
const MAX_RULES_SIZE = 1_000_000;

type Rules = { ignores(path: string): boolean };
type Folder = { path: string; rules: readonly { base: string; rules: Rules }[] };

/**
 * Lists files and folders below a folder, breadth first, without those that `.gitignore` excludes. Folders end with a
 * slash.
 */
export async function listFiles(root: string, signal?: AbortSignal, most = MAX_NAMES): Promise<string[]> {
  const { default: ignore } = await import('ignore');
  const found: string[] = [];
  let folders: Folder[] = [{ path: root, rules: [] }];
  while (folders.length > 0 && found.length < most && !signal?.aborted) {
    const next: Folder[] = [];
    for (const folder of folders) {
      if (found.length >= most || signal?.aborted) break;
      const entries = await readEntries(folder.path);
      const own = await readGitignore(folder.path, entries);
      const rules =
        own === undefined ? folder.rules : [...folder.rules, { base: folder.path, rules: ignore().add(own) }];
      for (const [index, entry] of entries.entries()) {
        if (index % NAMES_PER_YIELD === NAMES_PER_YIELD - 1) await setImmediate();
        if (found.length >= most || signal?.aborted) break;
        const path = join(folder.path, entry.name);
        const isFolder = entry.isDirectory();
        if (entry.name === '.git' || isIgnored(path, isFolder, rules)) continue;
        found.push(relative(root, path).replaceAll(sep, '/') + (isFolder ? '/' : ''));
        if (isFolder) next.push({ path, rules });
      }
    }
    folders = next;
  }
  return found;
}

/** Reads `.gitignore` only if it is a regular file, as git does: a symbolic link could lead to an endless device. */
async function readGitignore(folder: string, entries: readonly Dirent[]): Promise<string | undefined> {
  if (!entries.some((entry) => entry.name === '.gitignore' && entry.isFile())) return undefined;
  const file = join(folder, '.gitignore');
  const size = await stat(file).then(
    (found) => found.size,
    () => Number.POSITIVE_INFINITY,
  );
  return size > MAX_RULES_SIZE ? undefined : readFile(file, 'utf8').catch(() => undefined);
}

/** An unreadable folder counts as empty. */
async function readEntries(path: string): Promise<Dirent[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function isIgnored(path: string, isFolder: boolean, rules: Folder['rules']): boolean {
  return rules.some(({ base, rules: own }) => {
    const below = relative(base, path).replaceAll(sep, '/');
    return own.ignores(isFolder ? `${below}/` : below);
  });
}
