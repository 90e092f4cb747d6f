import type { Environment, ToolContext } from '../../contracts/index.ts';
import type { SearchArguments } from '../search-files.ts';
import { EngineUnavailable, type FileMatches, type SearchEngine } from './engine.ts';
import { ownEngine } from './own-engine.ts';
import { createPathFilter } from './path-filter.ts';
import { clampLimit, type Entry, entriesOf, present } from './present.ts';
import { createRipgrep } from './ripgrep.ts';
import { readPattern } from './search-pattern.ts';
import { createPathNames, MAX_CONTEXT, openScope, type SearchScope } from './search-scope.ts';

/** The engines for an environment, best first. */
export type FindEngines = (environment: Environment) => Promise<SearchEngine[]>;

/** Files whose name or path fits a glob, newest first. A pattern without wildcards may stand anywhere in the name. */
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

/** Lines that match a regular expression, in the order of paths and lines. */
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
      // One more than asked for is enough to know that there is more.
      return found.length <= enough;
    };
    return { result: found, ...(await engine.findLines(scope, pattern, around, take)) };
  });
  return answer(args.output_mode === 'content' ? entries : joinParts(entries), args, scope, complete);
}

/** A named file comes in parts, which count together. */
function joinParts(entries: readonly Entry[]): Entry[] {
  const joined = new Map<string, Entry>();
  for (const entry of entries) {
    const count = Number(joined.get(entry.path)?.text.slice(1) ?? 0) + Number(entry.text.slice(1));
    joined.set(entry.path, entry.text === '' ? entry : { path: entry.path, text: `:${count}` });
  }
  return [...joined.values()];
}

/** A single file needs no engine but our own. */
async function chosenEngines(scope: SearchScope, engines: FindEngines): Promise<SearchEngine[]> {
  return scope.found.kind === 'file' ? [ownEngine] : [...(await engines(scope.environment)), ownEngine];
}

/** The first engine that is able to do it; each begins anew. */
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
  const withheld = scope.withheld();
  const literal = entries.length === 0 && args.target === 'content' && /(?:^|[^\\])\((?!\?)/.test(args.pattern);
  const notes = [
    literal ? 'the pattern is a regular expression: a bracket in the text is written \\(' : '',
    complete ? '' : 'the search was ended early; give a narrower path or file_glob',
    withheld === 0 ? '' : `left out because they hold credentials: ${withheld} files`,
  ];
  return present(entries, args, nameOf, notes);
}

/** The ripgrep that came with this program for its own machine, else the one that is installed where the search is. */
export async function findRipgrep(environment: Environment): Promise<SearchEngine[]> {
  const installed = createRipgrep('rg');
  if (environment.name !== 'local') return [installed];
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return [createRipgrep(rgPath), installed];
  } catch {
    // Left out at the installation, or not made for this machine.
    return [installed];
  }
}
