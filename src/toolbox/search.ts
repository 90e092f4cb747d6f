import { relative } from 'node:path';
import type { Environment, ToolContext } from '../contracts/index.ts';
import { ToolFailure, ToolInterrupted } from '../tools/index.ts';
import { shorten } from '../util/index.ts';
import { createLineMatcher } from './line-matcher.ts';
import type { SearchArguments } from './search-files.ts';
import { isBinary, refuseNul } from './text-file.ts';
import { createPathFilter, type PathFilter, walkFiles } from './walk-files.ts';

/** Limits that keep one search from filling the window, or from running for minutes. */
const MAX_LIMIT = 1000;
const MAX_FILES = 50_000;
const MAX_FILE_SIZE = 5 * 1024 * 1024;
const MAX_SHOWN_LINE = 400;
const MAX_CONTEXT = 20;
const TIME_LIMIT_MS = 20_000;

/** One entry of the answer; several in a row may stand under the same path. */
type Entry = { path: string; text: string };

/** Files whose name or path fits a glob, newest first. A pattern without wildcards may stand anywhere in the name. */
export async function findFiles(args: SearchArguments, context: ToolContext): Promise<string> {
  const { environment } = context;
  const glob = /[*?[{]/.test(args.pattern) ? args.pattern : `*${args.pattern}*`;
  const search = await startSearch(args, context);
  const wanted = await createPathFilter(glob, search.root);
  const found: { path: string; modifiedMs: number }[] = [];
  for await (const path of search.files()) {
    if (!wanted(path)) continue;
    found.push({ path, modifiedMs: (await environment.stat(path))?.modifiedMs ?? 0 });
  }
  found.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.path < b.path ? -1 : 1));
  const entries = found.map(({ path }) => ({ path, text: '' }));
  return present(entries, args, { environment, more: false, note: search.note() });
}

/** Lines that match a regular expression, in the order of paths and lines. */
export async function searchContents(args: SearchArguments, context: ToolContext): Promise<string> {
  const { environment } = context;
  const matcher = createLineMatcher(args.pattern);
  const search = await startSearch(args, context);
  const enough = Math.max(args.offset, 0) + clampLimit(args.limit);
  const entries: Entry[] = [];
  for await (const path of search.files()) {
    const lines = await readLines(path, environment);
    const matches = lines === undefined ? [] : matcher(lines);
    if (lines !== undefined && matches.length > 0) entries.push(...entriesOf(path, lines, matches, args));
    // One more than asked for is enough to know that there is more.
    if (entries.length > enough) break;
  }
  return present(entries, args, { environment, more: entries.length > enough, note: search.note() });
}

/** The files to look at, within the limits of one search. */
async function startSearch({ path, file_glob: glob }: SearchArguments, { environment, signal }: ToolContext) {
  refuseNul(path);
  const root = await environment.resolvePath(path);
  const found = await environment.stat(root);
  if (!found) throw new ToolFailure(`There is no file or folder ${path}.`);
  const filter: PathFilter = glob === undefined ? () => true : await createPathFilter(glob, root);
  const deadline = performance.now() + TIME_LIMIT_MS;
  let cutShort = '';

  async function* files(): AsyncGenerator<string> {
    if (found?.kind !== 'directory') {
      yield root;
      return;
    }
    let seen = 0;
    for await (const file of walkFiles(root, environment)) {
      if (signal.aborted) throw new ToolInterrupted('Interrupted while searching.');
      seen += 1;
      if (seen > MAX_FILES || performance.now() > deadline) {
        cutShort = 'the search was ended early; give a narrower path or file_glob';
        return;
      }
      if (filter(file)) yield file;
    }
  }

  return { root, files, note: () => cutShort };
}

async function readLines(path: string, environment: Environment): Promise<string[] | undefined> {
  // A file that vanished, or may not be read, is passed over like one that is too large.
  try {
    const found = await environment.stat(path);
    if (found?.kind !== 'file' || found.size > MAX_FILE_SIZE) return undefined;
    const bytes = await environment.readFile(path);
    return isBinary(bytes) ? undefined : new TextDecoder().decode(bytes).split(/\r?\n/);
  } catch {
    return undefined;
  }
}

/** What one file adds to the answer. */
function entriesOf(path: string, lines: readonly string[], matches: readonly number[], args: SearchArguments): Entry[] {
  if (args.output_mode === 'files_only') return [{ path, text: '' }];
  if (args.output_mode === 'count') return [{ path, text: `:${matches.length}` }];
  const around = Math.min(Math.max(args.context, 0), MAX_CONTEXT);
  return matches.map((at, index) => {
    // Context that the match before has shown already is not shown again.
    const from = Math.max(at - around, index > 0 ? (matches[index - 1] ?? 0) + around + 1 : 0);
    const to = Math.min(at + around, (matches[index + 1] ?? lines.length) - 1, lines.length - 1);
    const shown: string[] = [];
    for (let line = Math.min(from, at); line <= Math.max(to, at); line++) {
      shown.push(`${line + 1}${line === at ? ':' : '-'}${cut(lines[line] ?? '')}`);
    }
    return { path, text: shown.join('\n') };
  });
}

function cut(line: string): string {
  return line.length > MAX_SHOWN_LINE ? shorten(line, MAX_SHOWN_LINE) : line;
}

function clampLimit(limit: number): number {
  return Math.min(Math.max(limit, 1), MAX_LIMIT);
}

/** What the answer says beside its entries. */
type Presentation = { environment: Environment; more: boolean; note: string };

function present(entries: readonly Entry[], args: SearchArguments, { environment, more, note }: Presentation): string {
  const offset = Math.max(args.offset, 0);
  const limit = clampLimit(args.limit);
  const shown = entries.slice(offset, offset + limit);
  const notes = [note, more || entries.length > offset + limit ? `more with offset ${offset + limit}` : ''];
  const notice = notes.filter((text) => text !== '').join('; ');
  const end = notice === '' ? [] : [`[${notice}]`];
  if (shown.length === 0) return ['No matches.', ...end].join('\n');
  return [...grouped(shown, environment.workingDirectory), ...end].join('\n');
}

/** A path stands once above its lines. */
function grouped(entries: readonly Entry[], workingDirectory: string): string[] {
  const lines: string[] = [];
  let current = '';
  for (const { path, text } of entries) {
    const inside = relative(workingDirectory, path);
    const name = inside === '' || inside.startsWith('..') ? path : inside;
    if (text === '' || text.startsWith(':')) lines.push(name + text);
    else {
      if (path !== current) lines.push(name);
      lines.push(text);
      current = path;
    }
  }
  return lines;
}
