/** A line of a file, as bytes and without its end. */
export type RawLine =
  | { number: number; bytes: Uint8Array; hasEnd: boolean }
  /** So long that it was not kept. */
  | { number: number; tooLong: number };

/** Longer than any conversation that fits a model; a file without line ends must not fill the memory. */
export const LONGEST_LINE = 256 * 1024 * 1024;
const LINE_END = 10;

/** The lines of a file one after another: there is never more than one in memory. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  longest: number = LONGEST_LINE,
): AsyncGenerator<RawLine> {
  let [number, length] = [1, 0];
  let held: Uint8Array[] = [];
  const finish = (hasEnd: boolean): RawLine => {
    const line: RawLine =
      length > longest ? { number, tooLong: length } : { number, bytes: Buffer.concat(held), hasEnd };
    [held, length, number] = [[], 0, number + 1];
    return line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_END); ; end = chunk.indexOf(LINE_END, start)) {
      const piece = chunk.subarray(start, end < 0 ? undefined : end);
      length += piece.length;
      if (length <= longest) held.push(piece);
      else held = [];
      if (end < 0) break;
      yield finish(true);
      start = end + 1;
    }
  }
  if (length > 0) yield finish(false);
}
