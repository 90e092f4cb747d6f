import { readLogLine } from './log-entry.ts';
import { listLogFiles, openLines } from './log-files.ts';
import { type LogFilter, matchesFilter } from './log-filter.ts';

/** The newest lines that pass a filter, oldest first, and how many more there are. */
export async function readLastLines(
  file: string,
  count: number,
  filter: LogFilter,
): Promise<{ lines: string[]; left: number }> {
  let lines: string[] = [];
  let found = 0;
  for (const name of await listLogFiles(file)) {
    const opened = await openLines(name);
    if (opened === undefined) continue;
    try {
      for await (const line of opened.read()) {
        if (!matchesFilter(filter, readLogLine(line))) continue;
        found += 1;
        lines.push(line);
        // Not at every line, because moving them all each time would cost the square of them.
        if (lines.length > count * 2) lines = lines.slice(-count);
      }
    } finally {
      await opened.close();
    }
  }
  return { lines: lines.slice(-count), left: Math.max(0, found - count) };
}
