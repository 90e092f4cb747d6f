import type { Environment } from '../../contracts/index.ts';
import { ToolFailure, ToolInterrupted } from '../../tools/index.ts';
import { announcedEncoding } from '../text/encoding.ts';
import { linesOf } from '../text/text-lines.ts';
import type { FileMatches, SearchEngine, Take } from './engine.ts';
import { type LineMatcher, withLineMatcher } from './line-matcher.ts';
import { linesAround, searchNamedFile } from './named-file.ts';
import type { SearchPattern } from './search-pattern.ts';
import { MAX_FILE_SIZE, MAX_FILES, type SearchScope } from './search-scope.ts';
import { walkFiles } from './walk-files.ts';

/** Searches file by file through the environment: slower than ripgrep, and there everywhere. */
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
    if (scope.signal.aborted) throw new ToolInterrupted('Interrupted while searching.');
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
  take: Take<FileMatches>,
): Promise<boolean> {
  const lines = await readLines(path, environment);
  const matches = lines === undefined ? [] : await matcher(lines);
  return lines === undefined || matches.length === 0 || take({ path, lines: linesAround(lines, matches, around) });
}

/** A file that vanished, or may not be read, is passed over like one that is too large or no text. */
async function readLines(path: string, environment: Environment): Promise<string[] | undefined> {
  try {
    const found = await environment.stat(path);
    if (found?.kind !== 'file' || found.size > MAX_FILE_SIZE) return undefined;
    const bytes = await environment.readFile(path);
    const encoding = announcedEncoding(bytes);
    if (encoding === undefined && bytes.includes(0)) return undefined;
    return linesOf(new TextDecoder(encoding).decode(bytes)).map(({ text }) => text);
  } catch {
    return undefined;
  }
}
