import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigurationError, errorMessage, HermesError } from '../../../base/index.ts';
import type { StorageSettings } from '../../../config/index.ts';
import type { SessionStore } from '../../../contracts/index.ts';
import { assertNoTurns } from '../../../runtime/idle-stores.ts';
import { type CopyProgress, copySessions, type CopyReport } from '../../../store/index.ts';
import { describeLocation, isDatabaseUrl, openPostgresStore, parseDatabaseUrl } from '../../../store/postgres/index.ts';
import { chooseDatabaseFile, openSqliteStore } from '../../../store/sqlite/index.ts';
import { counted } from '../../text/counted.ts';
import { formatDuration } from '../../text/format-duration.ts';
import type { CliIo } from '../cli-io.ts';
import { createProgressLine, type ProgressText } from '../output/progress-line.ts';
import { printable } from '../style.ts';
import { storeLocation } from './with-store.ts';
import { writeJson } from './write-json.ts';

export type MigrateOptions = { to?: string; from?: string; json?: boolean };

/** One side of a migration; `name` contains no password. */
type MigrationStore = { name: string; isDatabase: boolean; exists: boolean; open(): Promise<SessionStore> };

/** Copies all sessions from the SQLite file to a database, or back. The source is never changed. */
export async function migrateSessions(options: MigrateOptions, io: CliIo, signal: AbortSignal): Promise<number> {
  // A URL on the command line is visible in the process list, so the process title is overwritten.
  if ([options.to, options.from].some((side) => side !== undefined && isDatabaseUrl(side))) process.title = 'hermes';
  const { source, target } = await chooseSides(options, io);
  if (!source.exists) {
    throw new ConfigurationError(`There are no sessions to copy: ${source.name} does not exist.`, {
      hint:
        options.from === undefined ? 'Pass another source with --from.' : 'Check the path that was passed with --from.',
    });
  }
  const report = await copyBetween(source, target, { io, signal, json: options.json });
  if (options.json) writeJson(io.stdout, { from: source.name, to: target.name, ...report });
  else io.stdout.write(printable(formatReport(report, source, target)));
  return report.different.length === 0 ? 0 : 1;
}

async function copyBetween(
  source: MigrationStore,
  target: MigrationStore,
  { io, signal, json }: { io: CliIo; signal: AbortSignal; json: boolean | undefined },
): Promise<CopyReport> {
  const from = await source.open();
  try {
    const to = await target.open();
    const line = createProgressLine(io, { isWanted: !json });
    const startedAt = performance.now();
    let reached: CopyProgress | undefined;
    try {
      assertNoTurns(await to.listRunningTurns());
      return await copySessions(from, to, {
        signal,
        onProgress(progress) {
          reached = progress;
          line.draw(() => describeProgress(progress, performance.now() - startedAt));
        },
      });
    } catch (thrown) {
      throw reached === undefined || signal.aborted ? thrown : copyFailed(thrown, reached, target);
    } finally {
      line.clear();
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/** Only the last session failed; the sessions copied before it are kept. */
function copyFailed(thrown: unknown, { done, total }: CopyProgress, target: MigrationStore): HermesError {
  const reason = errorMessage(thrown).replace(/; nothing was (?:done|changed)\.$/, '.');
  const message = `Copying failed after ${done} of ${counted(total, 'session')}, which are kept in the ${target.name}: ${reason}`;
  return new HermesError(message, { hint: 'Run the same command again to continue.', cause: thrown });
}

function describeProgress({ done, total, messages }: CopyProgress, elapsedMs: number): ProgressText {
  const left = done === 0 ? '' : `, about ${formatDuration(((elapsedMs / done) * (total - done)) / 1000)} left`;
  const text = `${done} of ${counted(total, 'session')}, ${counted(messages, 'message')}${left}`;
  return { text, share: total === 0 ? 1 : done / total };
}

async function chooseSides(
  options: MigrateOptions,
  io: CliIo,
): Promise<{ source: MigrationStore; target: MigrationStore }> {
  const { home, storage } = await storeLocation(io);
  const file = fileSide(await chooseDatabaseFile(home));
  const configured = storage && databaseSide(storage.url, storage);
  const read = (text: string) => {
    if (isDatabaseUrl(text)) return databaseSide(text, storage);
    // `parseDatabaseUrl` rejects every other kind of URL.
    if (text.includes('://')) parseDatabaseUrl(text);
    return fileSide(resolve(io.workingDirectory, text));
  };
  const target = options.to === undefined ? configured : read(options.to);
  if (target === undefined) {
    throw new ConfigurationError('`hermes sessions migrate` requires a target.', {
      hint: 'Set HERMES_DATABASE_URL in .env, or pass a URL or a file with --to.',
    });
  }
  const usual = configured === undefined || configured.name === target.name ? file : configured;
  const source = options.from === undefined ? usual : read(options.from);
  if (source.name !== target.name) return { source, target };
  throw new ConfigurationError(`Source and target are the same: ${source.name}.`, {
    hint: 'Choose another one with --to or --from.',
  });
}

function fileSide(file: string): MigrationStore {
  return { name: file, isDatabase: false, exists: existsSync(file), open: () => openSqliteStore({ file }) };
}

function databaseSide(url: string, storage: StorageSettings | undefined): MigrationStore {
  const name = describeLocation(parseDatabaseUrl(url));
  return { name, isDatabase: true, exists: true, open: () => openPostgresStore({ ...storage, url }) };
}

function formatReport(report: CopyReport, source: MigrationStore, target: MigrationStore): string {
  const { sessions, messages, copied, continued, present, removedCalls, different, notes } = report;
  const parts = [
    `${copied} copied`,
    ...(continued > 0 ? [`${continued} completed`] : []),
    ...(present > 0 ? [`${present} already there`] : []),
    ...(different.length > 0 ? [`${different.length} different`] : []),
  ];
  const lines = [
    `${counted(sessions, 'session')} with ${counted(messages, 'message')} in ${source.name}: ${parts.join(', ')}.`,
    ...(removedCalls > 0 ? [`The cost of ${counted(removedCalls, 'call')} of deleted sessions was copied too.`] : []),
    ...notes,
    ...different.map(({ id, reason }) => `Session ${id} was not changed in the ${target.name}: ${reason}.`),
  ];
  if (different.length === 0)
    lines.push('All copies were compared with their originals and are identical.', next(target));
  else lines.push('The source was not changed. Exit other hermes processes, then run this command again.');
  return `${lines.join('\n')}\n`;
}

function next(target: MigrationStore): string {
  return target.isDatabase
    ? 'To use it, set HERMES_DATABASE_URL (preferably in .env) or storage.url to this database.'
    : 'It is used if neither HERMES_DATABASE_URL nor storage.url is set and it is the database file of the home directory.';
}
