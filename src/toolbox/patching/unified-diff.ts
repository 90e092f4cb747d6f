/** Lines of `git diff` that carry no change. */
const METADATA =
  /^(?:diff --git |index |(?:new|deleted) file mode |old mode |new mode |similarity index |\\ No newline)/;
const NO_FILE = '/dev/null';

/**
 * Converts a unified diff (`---`/`+++` headers) to the format of `patch`; every other text is returned unchanged. Line
 * numbers in the hunk headers are ignored, because models often get them wrong.
 */
export function fromUnifiedDiff(patch: string): string {
  const lines = patch.replaceAll('\r\n', '\n').split('\n');
  const isDiff = lines.some((_, index) => isHeader(lines, index));
  if (!isDiff || /^\*\*\* (?:Add|Update|Delete|Move) File: /m.test(patch)) return patch;
  const converted: string[] = [];
  let file: 'add' | 'delete' | 'update' = 'update';
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as string;
    if (isHeader(lines, index)) {
      const [from, to] = [pathOf(line), pathOf(lines[index + 1] as string)];
      file = from === NO_FILE ? 'add' : to === NO_FILE ? 'delete' : 'update';
      converted.push(...headerOf(from, to));
      index += 1;
    } else if (!METADATA.test(line) && file !== 'delete' && !(file === 'add' && !line.startsWith('+'))) {
      converted.push(line);
    }
  }
  return converted.join('\n');
}

function isHeader(lines: readonly string[], index: number): boolean {
  return /^--- \S/.test(lines[index] ?? '') && /^\+\+\+ \S/.test(lines[index + 1] ?? '');
}

/** `--- a/src/x.ts<TAB>date` → `src/x.ts`. */
function pathOf(header: string): string {
  const path = header.slice(4).split('\t')[0]?.trim() ?? '';
  return path === NO_FILE ? path : path.replace(/^[ab]\//, '');
}

function headerOf(from: string, to: string): string[] {
  if (from === NO_FILE) return [`*** Add File: ${to}`];
  if (to === NO_FILE) return [`*** Delete File: ${from}`];
  return [`*** Update File: ${from}`, ...(from === to ? [] : [`*** Move to: ${to}`])];
}
