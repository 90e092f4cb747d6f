/** A line of a file without its line end: its number, from 1, and its byte offset and length. */
export type RawLine = { number: number; start: number; length: number } & (
  | { bytes: Buffer; hasEnd: boolean }
  /** Longer than the limit, so its content was discarded. */
  | { bytes: undefined }
);

const LINE_END = 10;

/** Splits streamed bytes into lines. Holds at most one line in memory, whatever the file size. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, longest: number): AsyncGenerator<RawLine> {
  let [number, start, length] = [1, 0, 0];
  let held: Uint8Array[] = [];
  const finish = (hasEnd: boolean): RawLine => {
    const position = { number, start, length };
    const line =
      length > longest ? { ...position, bytes: undefined } : { ...position, bytes: Buffer.concat(held), hasEnd };
    [held, number, start, length] = [[], number + 1, start + length + 1, 0];
    return line;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); ; end = chunk.indexOf(LINE_END, from)) {
      const piece = chunk.subarray(from, end < 0 ? undefined : end);
      length += piece.length;
      if (length <= longest) held.push(piece);
      else held = [];
      if (end < 0) break;
      yield finish(true);
      from = end + 1;
    }
  }
  if (length > 0) yield finish(false);
}
