import { createReadStream } from 'node:fs';

/** A line of a file, counted from 1, and its place in bytes; one that is longer than the limit has no text. */
export type FileLine = { number: number; start: number; end: number; text: string | undefined };

const LINE_END = 10;

/** The lines of a file as bytes come in: whatever its size, no more than one line is held. */
export async function* readLines(file: string, longestBytes: number): AsyncGenerator<FileLine> {
  const line = createLine(longestBytes);
  let [number, start] = [0, 0];
  const take = (): FileLine => {
    const end = start + line.length();
    const taken = { number: (number += 1), start, end, text: line.take() };
    start = end + 1;
    return taken;
  };
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, from)) {
      line.add(chunk.subarray(from, end));
      yield take();
      from = end + 1;
    }
    line.add(chunk.subarray(from));
  }
  if (line.length() > 0) yield take();
}

/** What came of the line so far; of one that is too long nothing is kept. */
function createLine(longestBytes: number) {
  let parts: Buffer[] = [];
  let length = 0;
  return {
    length: () => length,
    add(part: Buffer) {
      length += part.length;
      if (length > longestBytes) parts = [];
      // A copy where the rest of the chunk would be kept alive by it.
      else if (part.length > 0) parts.push(Buffer.from(part));
    },
    take(): string | undefined {
      const text = length > longestBytes ? undefined : Buffer.concat(parts).toString('utf8');
      parts = [];
      length = 0;
      return text;
    },
  };
}
