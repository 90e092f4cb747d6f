import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What the screen draws first: usually one line, the empty input line. */
export type FirstFrame = { lines: readonly string[]; cursor: { row: number; column: number } };

/** The first frame of the last chat, and what has to be the same for the next chat to begin with the same frame. */
export type StoredFrame = FirstFrame & { version: string; colours: string; columns: number; settings: string[] };

type Variables = Readonly<Record<string, string | undefined>>;

/** Lines up to this width do not depend on the width of the terminal. */
const NARROW = 20;

/** In the home directory that the environment selects, whatever profile the chat uses. */
export const frameFileOf = (home: string) => join(home, 'cache', 'first-frame.json');

/** The variables that decide about colours. */
export const colourVariables = (env: Variables) => JSON.stringify([env['NO_COLOR'], env['COLORFGBG'], env['TERM']]);

/** A file with its size and time, which tells whether it has changed since. */
export function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return `${stats?.size ?? ''} ${stats?.mtimeMs ?? ''} ${file}`;
}

const fileOf = (stamp: string) => stamp.split(' ').slice(2).join(' ');

/** The frame that the next chat most likely begins with; undefined if that is not certain enough to draw it early. */
export function readFirstFrame(
  home: string,
  { version, env, columns }: { version: string; env: Variables; columns: number },
): FirstFrame | undefined {
  try {
    const stored = JSON.parse(readFileSync(frameFileOf(home), 'utf8')) as StoredFrame;
    const { lines, cursor, settings } = stored;
    const isSame = stored.version === version && stored.colours === colourVariables(env);
    const fits = stored.columns === columns || lines.every((line) => widthOf(line) <= Math.min(NARROW, columns - 1));
    // Typed text is appended, so nothing may follow the cursor.
    const space = cursor.column - widthOf(lines[cursor.row] ?? '');
    const isCurrent = settings.every((stamp) => stampOf(fileOf(stamp)) === stamp);
    if (!isSame || !fits || !isCurrent || space < 0) return undefined;
    return { lines: lines.map((line, row) => (row === cursor.row ? line + ' '.repeat(space) : line)), cursor };
  } catch {
    // There was no chat yet, or the file is damaged.
    return undefined;
  }
}

/** An upper bound of the width that is exact for text without wide characters. */
function widthOf(line: string): number {
  // oxlint-disable-next-line no-control-regex
  return line.replace(/\u001b\[[\d;]*m/g, '').length;
}
