import { existsSync } from 'node:fs';
import { homePaths, resolveHome } from '../../../config/index.ts';
import { findStore } from '../../../runtime/open-store.ts';
import { redactSecrets } from '../../../util/index.ts';
import type { CliIo, OutputStream } from '../cli-io.ts';
import { jsonText } from '../output/json-lines.ts';
import { storeLocation, withStore } from '../sessions/with-store.ts';
import { createStyle, printable } from '../style.ts';
import { CAUGHT_UP, followLog, listLogFiles, readLastLines } from './log-files.ts';
import { formatEntry, type LogFilter, type LogLevel, matchesFilter, readLogLine } from './log-entry.ts';

export type LogsOptions = {
  lines: number;
  follow?: boolean;
  session?: string;
  level?: LogLevel;
  since?: number;
  json?: boolean;
};

/** Prints the newest lines of the log; with `--follow`, also new ones. */
export async function showLogs(options: LogsOptions, io: CliIo, signal: AbortSignal): Promise<number> {
  const home = resolveHome(io.env);
  const { logFile } = homePaths(home);
  const filter: LogFilter = { ...options, sessions: await findSessions(options.session, io) };
  const write = (line: string) => writeLine(line, options, io);
  if (options.follow) {
    await follow(logFile, filter, options.lines, write, signal);
    return 0;
  }
  if ((await listLogFiles(logFile)).length === 0) {
    io.stderr.write(`There is no log yet: ${printable(logFile)}\n`);
    return 0;
  }
  const { lines, left } = await readLastLines(logFile, options.lines, filter);
  for (const line of lines) write(line);
  if (lines.length === 0) io.stderr.write('No log entries match.\n');
  if (left > 0 && !options.json && io.stderr.isTTY) io.stderr.write(`${left} earlier lines; use -n to show more.\n`);
  return 0;
}

/** Existing lines are collected first, because only the last ones are printed. */
async function follow(
  file: string,
  filter: LogFilter,
  count: number,
  write: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let waiting: string[] | undefined = [];
  for await (const line of followLog(file, signal)) {
    if (line === CAUGHT_UP) {
      for (const one of waiting?.slice(-count) ?? []) write(one);
      waiting = undefined;
    } else if (matchesFilter(filter, readLogLine(line))) {
      if (waiting === undefined) write(line);
      else waiting = [...waiting, line].slice(-count);
    }
  }
}

function writeLine(
  line: string,
  { json }: LogsOptions,
  { stdout, env }: { stdout: OutputStream; env: CliIo['env'] },
): void {
  stdout.write(json ? `${toJson(line)}\n` : formatEntry(readLogLine(line), createStyle(stdout, env)));
}

/** Lines of other programs become JSON objects too. */
function toJson(line: string): string {
  const { at, level, message, sessionId, fields } = readLogLine(line);
  const time = at === undefined ? undefined : new Date(at).toISOString();
  return jsonText({ at: time, level, message, sessionId, ...fields }, undefined, (_, value) =>
    typeof value === 'string' ? redactSecrets(value) : value,
  );
}

/** A title selects its whole lineage; anything else is a prefix of a session id. */
async function findSessions(reference: string | undefined, io: CliIo): Promise<string[] | undefined> {
  if (reference === undefined) return undefined;
  try {
    const location = await findStore(await storeLocation(io));
    if ('file' in location && !existsSync(location.file)) return [reference];
    return await withStore(io, async (store) => {
      const session = await store.resolveSession(reference);
      if (session === undefined || session.id.startsWith(reference)) return [reference];
      return [...(await store.getAncestors(session.id)).map(({ id }) => id), session.id];
    });
  } catch {
    // The log must be readable when the store is not, because that is when it is needed most.
    return [reference];
  }
}
