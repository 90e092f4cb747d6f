import type { Environment } from '../../contracts/index.ts';
import { ToolFailure, ToolInterrupted } from '../../tools/index.ts';
import { announcedEncoding } from '../text/encoding.ts';
import { linesOf } from '../text/text-lines.ts';
import type { FoundFile } from '../text-file.ts';
import { createLineCollector } from './line-collector.ts';
import type { Page, PageRequest } from './page.ts';

/** How much is read at a time. */
const PART = 1024 * 1024;
/** Larger files are not read to their end only to count their lines. */
const COUNTED_SIZE = 64 * 1024 * 1024;
const MAX_UTF16_SIZE = 64 * 1024 * 1024;

/** Reads the wanted lines part by part, so that the size of a file does not matter. */
export async function readPage(
  path: string,
  { size }: FoundFile,
  environment: Environment,
  wanted: PageRequest,
  signal: AbortSignal,
): Promise<Page> {
  const collector = createLineCollector(wanted);
  for (let offset = 0; ; ) {
    if (signal.aborted) throw new ToolInterrupted('Interrupted while reading.');
    const part = await environment.readFile(path, { offset, length: PART });
    const encoding = offset === 0 ? announcedEncoding(part) : undefined;
    if (encoding !== undefined) return readUtf16(path, size, environment, wanted, encoding);
    collector.push(part);
    offset += part.length;
    if (part.length < PART) return collector.finish();
    if (collector.isFull() && size > COUNTED_SIZE) return { ...collector.finish(), total: undefined };
  }
}

async function readUtf16(
  path: string,
  size: number,
  environment: Environment,
  wanted: PageRequest,
  encoding: 'utf-16le' | 'utf-16be',
): Promise<Page> {
  if (size > MAX_UTF16_SIZE)
    throw new ToolFailure(
      `${path} is UTF-16 text of ${size} bytes; turn it into UTF-8 first (iconv, in the terminal).`,
    );
  return pageOfText(new TextDecoder(encoding).decode(await environment.readFile(path)), wanted);
}

/** The wanted lines of a text that is in memory. */
export function pageOfText(text: string, { first, count }: PageRequest): Page {
  const lines = linesOf(text);
  const wanted = lines.slice(first - 1, first - 1 + count);
  return { lines: wanted.map((line) => ({ text: line.text, open: false })), total: lines.length, valid: true };
}
