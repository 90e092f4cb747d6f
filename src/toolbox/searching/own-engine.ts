import { join } from 'node:path';
import type { Environment } from '../../contracts/index.ts';
import { ToolFailure, ToolInterrupted } from '../../tools/index.ts';
import { createExpressionMatcher } from '../../util/index.ts';
import { announcedEncoding, looksBinary } from '../text/encoding.ts';
import { linesOf } from '../text/text-lines.ts';
import {
  type FileMatches,
  type FoundLine,
  MAX_FILE_SIZE,
  MAX_FILES,
  type SearchEnd,
  type SearchEngine,
  type SearchScope,
  SKIPPED_FOLDERS,
  type ResultHandler,
} from './search-scope.ts';
import { createIgnoreScope, type IgnoreScope } from './ignore-rules.ts';
import type { SearchPattern } from './search-pattern.ts';

/** Searches file by file through the environment. Slower than ripgrep, but always available. */
export const ownEngine: SearchEngine = {
  findFiles: (scope, take) => eachFile(scope, async (path) => take(path)),
  async findLines(scope, pattern, around, take) {
    return withLineMatcher(requireExpression(pattern), async (matcher) => {
      if (scope.found.kind === 'file') return searchNamedFile(scope, matcher, around, take);
      return eachFile(scope, (path) => searchFile(path, scope.environment, matcher, around, take));
    });
  },
};

function requireExpression({ javascript }: SearchPattern): RegExp {
  if (typeof javascript === 'string') throw new ToolFailure(javascript);
  return javascript;
}

/** The files of a scope, within its limits. */
async function eachFile(scope: SearchScope, visit: (path: string) => Promise<boolean>) {
  if (scope.found.kind === 'file') {
    if (scope.accepts(scope.root)) await visit(scope.root);
    return { complete: true };
  }
  let seen = 0;
  for await (const path of walkFiles(scope)) {
    if (scope.signal.aborted) throw new ToolInterrupted('The search was interrupted.');
    seen += 1;
    if (seen > MAX_FILES || performance.now() > scope.deadline) return { complete: false };
    if (scope.accepts(path) && !(await visit(path))) break;
  }
  return { complete: true };
}

async function searchFile(
  path: string,
  environment: Environment,
  matcher: LineMatcher,
  around: number,
  take: ResultHandler<FileMatches>,
): Promise<boolean> {
  const lines = await readLines(path, environment);
  const matches = lines === undefined ? [] : await matcher(lines);
  return lines === undefined || matches.length === 0 || take({ path, lines: linesAround(lines, matches, around) });
}

/** Files that disappeared, cannot be read, are too large or are not text are skipped. */
async function readLines(path: string, environment: Environment): Promise<string[] | undefined> {
  try {
    const found = await environment.stat(path);
    if (found?.kind !== 'file' || found.size > MAX_FILE_SIZE) return undefined;
    const bytes = await (environment.saved ?? environment).readFile(path);
    const encoding = announcedEncoding(bytes);
    if (encoding === undefined && bytes.includes(0)) return undefined;
    return linesOf(new TextDecoder(encoding).decode(bytes)).map(({ text }) => text);
  } catch {
    return undefined;
  }
}

const CHUNK_SIZE = 4 * 1024 * 1024;

/** The matching lines and their context, each line once. */
function linesAround(lines: readonly string[], matches: readonly number[], around: number): FoundLine[] {
  const found = new Map<number, boolean>();
  for (const at of matches) {
    for (let near = Math.max(at - around, 0); near <= Math.min(at + around, lines.length - 1); near++) {
      if (near === at || !found.has(near)) found.set(near, near === at);
    }
  }
  return [...found]
    .sort(([a], [b]) => a - b)
    .map(([index, isMatch]) => ({ number: index + 1, text: lines[index] ?? '', isMatch }));
}

/** Searches an explicitly named file of any size in chunks. */
async function searchNamedFile(
  scope: SearchScope,
  matcher: LineMatcher,
  around: number,
  take: ResultHandler<FileMatches>,
): Promise<SearchEnd> {
  const { root: path, environment } = scope;
  if (!scope.accepts(path)) return { complete: true };
  const decoder = new TextDecoder();
  /** Buffered lines; the first is line `base + 1`, and those before `next` have been matched. */
  let [lines, base, next, open]: [string[], number, number, string] = [[], 0, 0, ''];
  for (let offset = 0; ; ) {
    if (scope.signal.aborted) throw new ToolInterrupted('The search was interrupted.');
    if (performance.now() > scope.deadline) return { complete: false };
    const part = await environment.readFile(path, { offset, length: CHUNK_SIZE });
    if (offset === 0 && looksBinary(part))
      throw new ToolFailure(`${path} is a binary file; only text files can be searched.`);
    offset += part.length;
    const isLast = part.length < CHUNK_SIZE;
    const pieces = (open + decoder.decode(part, { stream: !isLast })).split('\n');
    open = isLast ? '' : (pieces.pop() ?? '');
    // The newline at the end of a file does not begin another line.
    if (isLast && pieces.at(-1) === '') pieces.pop();
    lines = [...lines, ...pieces.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))];
    // The last lines of a chunk wait for the next one, which contains their context.
    const upTo = isLast ? lines.length : Math.max(lines.length - around, next);
    const matches = (await matcher(lines.slice(next, upTo))).map((at) => at + next);
    const found = linesAround(lines, matches, around).map((line) => ({ ...line, number: line.number + base }));
    if (found.length > 0 && !take({ path, lines: found })) return { complete: true };
    if (isLast) return { complete: true };
    const dropped = Math.max(upTo - around, 0);
    [lines, base, next] = [lines.slice(dropped), base + dropped, upTo - dropped];
  }
}

/** Walks the files of a scope in name order. Symbolic links are not followed, so there are no cycles. */
async function* walkFiles(scope: SearchScope): AsyncGenerator<string> {
  const { root, environment, parents } = scope;
  yield* walkFolder(root, await createIgnoreScope(root, environment, parents), scope);
}

async function* walkFolder(folder: string, outer: IgnoreScope, scope: SearchScope): AsyncGenerator<string> {
  // An unreadable folder is skipped.
  const entries = await scope.environment.list(folder).catch(() => []);
  const ignore = await outer.enter(folder, new Set(entries.map(({ name }) => name)));
  for (const { name, kind } of entries.toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))) {
    const isFolder = kind === 'directory';
    if (kind === 'other' || (!scope.hidden && name.startsWith('.'))) continue;
    if (isFolder && SKIPPED_FOLDERS.includes(name)) continue;
    const path = join(folder, name);
    if (ignore.ignores(path, isFolder)) continue;
    if (isFolder) yield* walkFolder(path, ignore, scope);
    else yield path;
  }
}

/** Returns the indexes of the matching lines. */
type LineMatcher = (lines: readonly string[]) => Promise<number[]>;

/** Passes a matcher for the model's regular expression to `search` and closes it afterwards. */
async function withLineMatcher<Result>(
  expression: RegExp,
  search: (matcher: LineMatcher) => Promise<Result>,
): Promise<Result> {
  const { match, close } = createExpressionMatcher([expression]);
  try {
    return await search(async (lines) => {
      const found = await match(lines);
      if (found !== undefined) return found;
      throw new ToolFailure('The pattern takes too long to match (nested quantifiers?). Use a simpler pattern.');
    });
  } finally {
    close();
  }
}
