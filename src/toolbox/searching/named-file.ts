import { ToolFailure, ToolInterrupted } from '../../tools/index.ts';
import { looksBinary } from '../text/encoding.ts';
import type { FileMatches, FoundLine, SearchEnd, Take } from './engine.ts';
import type { LineMatcher } from './line-matcher.ts';
import type { SearchScope } from './search-scope.ts';

const PART = 4 * 1024 * 1024;

/** The matching lines and those around them, each once. */
export function linesAround(lines: readonly string[], matches: readonly number[], around: number): FoundLine[] {
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

/** A file that was named is searched whatever its size, part by part. */
export async function searchNamedFile(
  scope: SearchScope,
  matcher: LineMatcher,
  around: number,
  take: Take<FileMatches>,
): Promise<SearchEnd> {
  const { root: path, environment } = scope;
  if (!scope.accepts(path)) return { complete: true };
  const decoder = new TextDecoder();
  /** Lines that are still needed, the first of which is line `base + 1`; those before `next` were looked at. */
  let [lines, base, next, open]: [string[], number, number, string] = [[], 0, 0, ''];
  for (let offset = 0; ; ) {
    if (scope.signal.aborted) throw new ToolInterrupted('Interrupted while searching.');
    if (performance.now() > scope.deadline) return { complete: false };
    const part = await environment.readFile(path, { offset, length: PART });
    if (offset === 0 && looksBinary(part)) throw new ToolFailure(`${path} is a binary file; only text is searched.`);
    offset += part.length;
    const isLast = part.length < PART;
    const pieces = (open + decoder.decode(part, { stream: !isLast })).split('\n');
    open = isLast ? '' : (pieces.pop() ?? '');
    // The newline at the end of a file does not begin another line.
    if (isLast && pieces.at(-1) === '') pieces.pop();
    lines = [...lines, ...pieces.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))];
    // What comes behind the last lines is not known yet, and may have to be shown.
    const upTo = isLast ? lines.length : Math.max(lines.length - around, next);
    const matches = (await matcher(lines.slice(next, upTo))).map((at) => at + next);
    const found = linesAround(lines, matches, around).map((line) => ({ ...line, number: line.number + base }));
    if (found.length > 0 && !take({ path, lines: found })) return { complete: true };
    if (isLast) return { complete: true };
    const dropped = Math.max(upTo - around, 0);
    [lines, base, next] = [lines.slice(dropped), base + dropped, upTo - dropped];
  }
}
