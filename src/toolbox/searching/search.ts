import type { Environment, ToolContext } from '../../contracts/index.ts';
import { shorten } from '../../util/index.ts';
import type { SearchArguments } from '../search-files.ts';
import {
  createPathFilter,
  createPathNames,
  EngineUnavailable,
  type FileMatches,
  type FoundLine,
  MAX_CONTEXT,
  openScope,
  type SearchEngine,
  type SearchScope,
} from './search-scope.ts';
import { ownEngine } from './own-engine.ts';
import { createRipgrep } from './ripgrep.ts';
import { readPattern } from './search-pattern.ts';

/** The engines for an environment, best first. */
type FindEngines = (environment: Environment) => Promise<SearchEngine[]>;

/** Finds files by glob, newest first. A pattern without wildcards matches any part of the name. */
export async function findFiles(args: SearchArguments, context: ToolContext, engines: FindEngines): Promise<string> {
  const scope = await openScope(args, context);
  const glob = /[*?[{]/.test(args.pattern) ? args.pattern : `*${args.pattern}*`;
  const wanted = await createPathFilter(glob, scope.root, false);
  const { result: paths, complete } = await withEngine(await chosenEngines(scope, engines), async (engine) => {
    const found: string[] = [];
    const take = (path: string) => {
      if (wanted(path)) found.push(path);
      return true;
    };
    return { result: found, ...(await engine.findFiles(scope, take)) };
  });
  const entries = (await newestFirst(paths, scope)).map((path) => ({ path, text: '' }));
  return answer(entries, args, scope, complete);
}

async function newestFirst(paths: readonly string[], { environment }: SearchScope): Promise<string[]> {
  const dated: { path: string; modifiedMs: number }[] = [];
  for (const path of paths) {
    const found = await environment.stat(path).catch(() => undefined);
    if (found) dated.push({ path, modifiedMs: found.modifiedMs });
  }
  dated.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.path < b.path ? -1 : 1));
  return dated.map(({ path }) => path);
}

/** Finds lines that match a regular expression, in path and line order. */
export async function searchContents(
  args: SearchArguments,
  context: ToolContext,
  engines: FindEngines,
): Promise<string> {
  const pattern = readPattern(args.pattern);
  const scope = await openScope(args, context);
  const around = args.output_mode === 'content' ? Math.min(Math.max(args.context, 0), MAX_CONTEXT) : 0;
  const enough = Math.max(args.offset, 0) + clampLimit(args.limit);
  const chosen = pattern.ownOnly ? [ownEngine] : await chosenEngines(scope, engines);
  const { result: entries, complete } = await withEngine(chosen, async (engine) => {
    const found: Entry[] = [];
    const take = (file: FileMatches) => {
      found.push(...entriesOf(file, args.output_mode, around));
      // One more than requested, to know whether there are more.
      return found.length <= enough;
    };
    return { result: found, ...(await engine.findLines(scope, pattern, around, take)) };
  });
  return answer(args.output_mode === 'content' ? entries : joinParts(entries), args, scope, complete);
}

/** Joins the chunks of an explicitly named file. */
function joinParts(entries: readonly Entry[]): Entry[] {
  const joined = new Map<string, Entry>();
  for (const entry of entries) {
    const count = Number(joined.get(entry.path)?.text.slice(1) ?? 0) + Number(entry.text.slice(1));
    joined.set(entry.path, entry.text === '' ? entry : { path: entry.path, text: `:${count}` });
  }
  return [...joined.values()];
}

/** A single file is always searched by our own engine. */
async function chosenEngines(scope: SearchScope, engines: FindEngines): Promise<SearchEngine[]> {
  return scope.found.kind === 'file' ? [ownEngine] : [...(await engines(scope.environment)), ownEngine];
}

/** Tries the engines in order until one supports the search. */
async function withEngine<Result>(
  engines: readonly SearchEngine[],
  search: (engine: SearchEngine) => Promise<Result>,
): Promise<Result> {
  const [engine = ownEngine, ...others] = engines;
  try {
    return await search(engine);
  } catch (thrown) {
    if (!(thrown instanceof EngineUnavailable) || others.length === 0) throw thrown;
    return withEngine(others, search);
  }
}

async function answer(entries: readonly Entry[], args: SearchArguments, scope: SearchScope, complete: boolean) {
  const nameOf = createPathNames(await scope.environment.resolvePath('.'));
  const withheld = scope.skippedSecretFiles();
  const literal = entries.length === 0 && args.target === 'content' && /(?:^|[^\\])\((?!\?)/.test(args.pattern);
  const notes = [
    literal ? 'the pattern is a regular expression: to match a literal `(`, write `\\(`' : '',
    complete ? '' : 'incomplete: the search reached its time or file limit; narrow the search with path or file_glob',
    withheld === 0 ? '' : `skipped ${withheld} file${withheld === 1 ? '' : 's'} with credentials`,
  ];
  // The total is known only for file searches; a content search stops when the page is full.
  const total = args.target === 'files' && complete ? entries.length : undefined;
  return present(entries, args, nameOf, notes, total);
}

/** The bundled ripgrep for local searches, otherwise the one installed in the environment. */
export async function findRipgrep(environment: Environment): Promise<SearchEngine[]> {
  const installed = createRipgrep('rg');
  if (environment.name !== 'local') return [installed];
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return [createRipgrep(rgPath), installed];
  } catch {
    // The optional package is not installed for this platform.
    return [installed];
  }
}

const MAX_LIMIT = 1000;
const MAX_SHOWN_LINE = 400;

/** One result; consecutive results may share a path. */
type Entry = { path: string; text: string };

function clampLimit(limit: number): number {
  return Math.min(Math.max(limit, 1), MAX_LIMIT);
}

/** The results of one file. */
function entriesOf({ path, lines }: FileMatches, mode: SearchArguments['output_mode'], around: number): Entry[] {
  if (mode === 'files_only') return [{ path, text: '' }];
  const matches = lines.filter(({ isMatch }) => isMatch);
  if (mode === 'count') return [{ path, text: `:${matches.length}` }];
  return matchGroups(lines, around).map((group) => ({ path, text: group.map(showLine).join('\n') }));
}

/** Groups matches with their context; a shared context line belongs to the first match. */
function matchGroups(lines: readonly FoundLine[], around: number): FoundLine[][] {
  const groups: FoundLine[][] = [];
  let waiting: FoundLine[] = [];
  let last: number | undefined;
  for (const line of lines) {
    if (line.isMatch) {
      groups.push([...waiting, line]);
      waiting = [];
      last = line.number;
    } else if (last !== undefined && line.number <= last + around) groups.at(-1)?.push(line);
    else waiting.push(line);
  }
  return groups;
}

function showLine({ number, text, isMatch }: FoundLine): string {
  return `${number}${isMatch ? ':' : '-'}${text.length > MAX_SHOWN_LINE ? shorten(text, MAX_SHOWN_LINE) : text}`;
}

/** Formats the requested page of results and its notices. */
function present(
  entries: readonly Entry[],
  args: SearchArguments,
  nameOf: (path: string) => string,
  notes: readonly string[],
  total: number | undefined,
): string {
  const offset = Math.max(args.offset, 0);
  const limit = clampLimit(args.limit);
  const shown = entries.slice(offset, offset + limit);
  const more = entries.length > offset + limit ? describeExtent(offset, shown.length, total) : '';
  const notice = [...notes, more].filter((text) => text !== '').join('; ');
  const end = notice === '' ? [] : [`[${notice}]`];
  if (shown.length > 0) return [...grouped(shown, nameOf), ...end].join('\n');
  const nothing = entries.length > 0 ? `No more results: the search found ${entries.length} in total.` : 'No matches.';
  return [nothing, ...end].join('\n');
}

/** Which results are shown, and how to get the next ones. */
function describeExtent(offset: number, count: number, total: number | undefined): string {
  const all = total === undefined ? '' : ` of ${total}`;
  const next = offset + count;
  const several = offset === 0 ? `first ${count}${all} results` : `results ${offset + 1}–${next}${all}`;
  const range = count === 1 ? `result ${next}${all}` : several;
  return `${range} shown; ${total === undefined ? 'there are more: ' : ''}continue with offset: ${next}`;
}

/** Prints each path once above its lines. */
function grouped(entries: readonly Entry[], nameOf: (path: string) => string): string[] {
  const lines: string[] = [];
  let current = '';
  for (const { path, text } of entries) {
    if (text === '' || text.startsWith(':')) lines.push(nameOf(path) + text);
    else {
      if (path !== current) lines.push(nameOf(path));
      lines.push(text);
      current = path;
    }
  }
  return lines;
}
