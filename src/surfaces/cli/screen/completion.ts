import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Completion } from '../../slash/index.ts';
import { showable } from '../style.ts';
import type { Completions } from '../terminal/completions.ts';
import { type AutocompleteProvider, fuzzyFilter } from './pi-tui.ts';

type ProviderOptions = { workingDirectory: string; completions: Completions; now?(): number };

/** What stands before the cursor and could be completed. */
type Typed =
  | { kind: 'command'; prefix: string }
  | { kind: 'argument'; command: string; prefix: string }
  | { kind: 'file'; prefix: string; mark: '@' | '' };

const MAX_SHOWN = 50;
/** So long a list of files is good enough, so that each letter does not read the disk. */
const FRESH_MS = 5_000;

/** Completion while typing: `/command`, its argument, `@path`; with Tab any path. */
export function createCompletionProvider(options: ProviderOptions): AutocompleteProvider {
  const files = createFileSource(options);
  /** What stood before the cursor when the list was made that is shown now. */
  let offeredFor: string | undefined;
  return {
    async getSuggestions(lines, cursorLine, cursorCol, { signal, force = false }) {
      const before = (lines[cursorLine] ?? '').slice(0, cursorCol);
      const typed = readTyped(before, cursorLine === 0, force);
      if (typed === undefined) return null;
      // Completion is a help and never in the way: what cannot be looked up is not offered.
      const found = await lookUp(typed, { ...options, files, signal }).catch(() => []);
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
      // Whoever types fast is ahead of the list: what it offers is not for what stands there now.
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

/** What a line up to the cursor ends with; undefined where nothing of it can be completed. */
export function readTyped(before: string, isFirstLine: boolean, force: boolean): Typed | undefined {
  const command = isFirstLine ? /^\s*(\/[^\s/]*)$/.exec(before)?.[1] : undefined;
  if (command !== undefined) return { kind: 'command', prefix: command };
  const file = /(?:^|\s)(@(?:"[^"]*|\S*))$/.exec(before)?.[1];
  if (file !== undefined) return { kind: 'file', prefix: file, mark: '@' };
  const [, name, argument] = (isFirstLine && /^\s*\/([^\s/]+)\s+(.*)$/.exec(before)) || [];
  if (name !== undefined) return { kind: 'argument', command: name, prefix: argument ?? '' };
  return force ? { kind: 'file', prefix: /\S*$/.exec(before)?.[0] ?? '', mark: '' } : undefined;
}

type Sources = ProviderOptions & { files(signal: AbortSignal): Promise<readonly string[]>; signal: AbortSignal };

async function lookUp(typed: Typed, { completions, files, signal }: Sources): Promise<readonly Completion[]> {
  switch (typed.kind) {
    case 'command':
      return nearest(await completions.commands(), typed.prefix.slice(1));
    case 'argument':
      return unlessExact(await completions.argumentsOf(typed.command, typed.prefix), typed.prefix);
    case 'file': {
      const wanted = typed.prefix.slice(typed.mark.length).replace(/^"/, '').replace(/^\.\//, '');
      const values = (await files(signal)).map((value) => ({ value }));
      return wanted === '' ? values : unlessExact(nearest(values, wanted), wanted);
    }
  }
}

/** What is typed in full is not offered, so that Enter sends it. */
function unlessExact(found: readonly Completion[], typed: string): readonly Completion[] {
  return found.some(({ value }) => value === typed) ? [] : found;
}

/** Those that begin with what was typed come first, then those that have its letters in this order. */
function nearest(all: readonly Completion[], typed: string): Completion[] {
  const beginning = new Set(all.filter(({ value }) => value.toLowerCase().startsWith(typed.toLowerCase())));
  const others = fuzzyFilter([...all], typed, ({ value }) => value).filter((one) => !beginning.has(one));
  return [...beginning, ...others];
}

function toItem(typed: Typed, value: string, about: string | undefined) {
  const description = about === undefined ? {} : { description: showable(about).replace(/\s+/g, ' ') };
  return { value: written(typed, value), label: showable(value), ...description };
}

/** What nobody could type has no place in the line: names of files may have line breaks and whole escape sequences. */
function isTypable(value: string): boolean {
  return showable(value) === value && !value.includes('\n');
}

/** As it stands in the line: with its mark, in quotes where it has spaces, and room for what follows. */
function written(typed: Typed, value: string): string {
  if (typed.kind === 'command') return `/${value} `;
  if (typed.kind === 'argument') return value;
  const path = /\s/.test(value) ? `"${value}"` : value;
  return `${typed.mark}${path}${value.endsWith('/') ? '' : ' '}`;
}

function createFileSource({ workingDirectory, now = Date.now }: ProviderOptions) {
  let last: { files: readonly string[]; at: number } | undefined;
  return async (signal: AbortSignal) => {
    if (last !== undefined && now() - last.at < FRESH_MS) return last.files;
    const files = await listFiles(workingDirectory, signal);
    if (!signal.aborted) last = { files, at: now() };
    return files;
  };
}

/** The maximum number of names to scan: a large home folder must not delay typing. */
const MAX_NAMES = 20_000;
/** Yields to key presses after this many names. */
const NAMES_IN_A_ROW = 500;
/** What is larger is no list of patterns that anybody wrote. */
const MAX_RULES_SIZE = 1_000_000;

type Rules = { ignores(path: string): boolean };
type Folder = { path: string; rules: readonly { base: string; rules: Rules }[] };

/** The files and folders below a folder, nearest first, without those that `.gitignore` names; folders end with a slash. */
export async function listFiles(root: string, signal?: AbortSignal, most = MAX_NAMES): Promise<string[]> {
  const { default: ignore } = await import('ignore');
  const found: string[] = [];
  let folders: Folder[] = [{ path: root, rules: [] }];
  while (folders.length > 0 && found.length < most && !signal?.aborted) {
    const next: Folder[] = [];
    for (const folder of folders) {
      if (found.length >= most || signal?.aborted) break;
      const entries = await entriesOf(folder.path);
      const own = await rulesIn(folder.path, entries);
      const rules =
        own === undefined ? folder.rules : [...folder.rules, { base: folder.path, rules: ignore().add(own) }];
      for (const [index, entry] of entries.entries()) {
        if (index % NAMES_IN_A_ROW === NAMES_IN_A_ROW - 1) await setImmediate();
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

/** As git does it, only from a plain file: a link could lead to a device that never ends. */
async function rulesIn(folder: string, entries: readonly Dirent[]): Promise<string | undefined> {
  if (!entries.some((entry) => entry.name === '.gitignore' && entry.isFile())) return undefined;
  const file = join(folder, '.gitignore');
  const size = await stat(file).then(
    (found) => found.size,
    () => Number.POSITIVE_INFINITY,
  );
  return size > MAX_RULES_SIZE ? undefined : readFile(file, 'utf8').catch(() => undefined);
}

/** A folder that cannot be read has nothing to offer. */
async function entriesOf(path: string): Promise<Dirent[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function isIgnored(path: string, isFolder: boolean, rules: Folder['rules']): boolean {
  return rules.some(({ base, rules: own }) => {
    const below = relative(base, path).replaceAll(sep, '/');
    return own.ignores(isFolder ? `${below}/` : below);
  });
}
