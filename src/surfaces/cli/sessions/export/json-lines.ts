import type { SessionExport } from '../../../../contracts/index.ts';

/** One session per line. */
export async function* renderJsonLines(records: AsyncIterable<SessionExport>): AsyncGenerator<string> {
  for await (const record of records) yield `${toLine(record)}\n`;
}

// Many programs end a line at these two, which JSON allows inside a text.
function toLine(record: SessionExport): string {
  return JSON.stringify(record).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}
