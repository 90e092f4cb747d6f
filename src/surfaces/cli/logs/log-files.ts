import { type FileHandle, open, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';

const CHUNK = 65_536;

/** The current log and what was rotated away, oldest first. */
export async function listLogFiles(file: string): Promise<string[]> {
  const prefix = `${basename(file)}.`;
  const names = await readdir(dirname(file)).catch((): string[] => []);
  const numbers = names
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)));
  const older = numbers.toSorted((a, b) => b - a).map((number) => join(dirname(file), `${prefix}${number}`));
  return names.includes(basename(file)) ? [...older, file] : older;
}

/** A file of which whole lines are read, from where the last read ended. */
export type LineFile = {
  /** Which file it is, whatever name it has by now. */
  readonly id: number;
  /** The lines that have come since; a line without an end waits for the rest of it. */
  read(): AsyncGenerator<string>;
  close(): Promise<void>;
};

export async function openLines(file: string): Promise<LineFile | undefined> {
  const handle = await open(file, 'r').catch((thrown: unknown) => {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  });
  if (handle === undefined) return undefined;
  const { ino } = await handle.stat();
  return { id: ino, read: createReader(handle), close: () => handle.close() };
}

function createReader(handle: FileHandle): () => AsyncGenerator<string> {
  const buffer = Buffer.alloc(CHUNK);
  let decoder = new StringDecoder('utf8');
  let position = 0;
  let rest = '';
  return async function* read() {
    // Someone emptied it: what is in it now is new.
    if ((await handle.stat()).size < position) [position, rest, decoder] = [0, '', new StringDecoder('utf8')];
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      const lines = (rest + decoder.write(buffer.subarray(0, bytesRead))).split('\n');
      rest = lines.pop() ?? '';
      yield* lines.filter((line) => line.trim() !== '');
    }
  };
}
