/** A line of a unified diff. Its number is that in the new file, or in the old one where it was removed. */
export type DiffLine = { kind: 'same' | 'added' | 'removed'; number: number; text: string } | { kind: 'gap' };

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Hunks as lines with numbers; between two of them there is a gap. */
export function parseDiff(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let [before, after] = [1, 1];
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const hunk = HUNK.exec(line);
    const text = line.slice(1);
    if (hunk !== null) {
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
      if (lines.length > 0) lines.push({ kind: 'gap' });
    } else if (line.startsWith('+')) lines.push({ kind: 'added', number: after++, text });
    else if (line.startsWith('-')) lines.push({ kind: 'removed', number: before++, text });
    else if (line.startsWith(' ')) {
      lines.push({ kind: 'same', number: after++, text });
      before += 1;
    }
  }
  return lines;
}
