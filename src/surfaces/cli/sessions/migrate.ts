import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigurationError, errorMessage, HermesError } from '../../../base/index.ts';
import type { StorageSettings } from '../../../config/index.ts';
import type { SessionStore } from '../../../contracts/index.ts';
import { type CopyProgress, copySessions, type CopyReport } from '../../../store/index.ts';
import { describePlace, isDatabaseUrl, openPostgresStore, parseDatabaseUrl } from '../../../store/postgres/index.ts';
import { chooseDatabaseFile, openSqliteStore } from '../../../store/sqlite/index.ts';
import { counted } from '../../text/counted.ts';
import { formatDuration } from '../../text/format-duration.ts';
import type { CliIo } from '../cli-io.ts';
import { createProgressLine, type ProgressText } from '../output/progress-line.ts';
import { showable } from '../style.ts';
import { placeOf } from './with-store.ts';
import { writeJson } from './write-json.ts';

export type MigrateOptions = { to?: string; from?: string; json?: boolean };

/** A store that is copied from or into, as it may be shown. */
type Side = { name: string; isDatabase: boolean; exists: boolean; open(): Promise<SessionStore> };

/** Copies all sessions from the file of the home into a database, or back. The source is never changed. */
export async function migrateSessions(options: MigrateOptions, io: CliIo, signal: AbortSignal): Promise<number> {
  // An address on the command line is seen by everyone who lists the processes, and so it is taken away from there.
  if ([options.to, options.from].some((side) => side !== undefined && isDatabaseUrl(side))) process.title = 'hermes';
  const { source, target } = await chooseSides(options, io);
  if (!source.exists) {
    throw new ConfigurationError(`There are no sessions to copy: ${source.name} is not there.`, {
      hint: 'Say where they are with --from.',
    });
  }
  const report = await copyBetween(source, target, { io, signal, json: options.json });
  if (options.json) writeJson(io.stdout, { from: source.name, to: target.name, ...report });
  else io.stdout.write(showable(formatReport(report, source, target)));
  return report.different.length === 0 ? 0 : 1;
}

async function copyBetween(
  source: Side,
  target: Side,
  { io, signal, json }: { io: CliIo; signal: AbortSignal; json: boolean | undefined },
): Promise<CopyReport> {
  const from = await source.open();
  try {
    const to = await target.open();
    const line = createProgressLine(io, { isWanted: !json });
    const startedAt = performance.now();
    let reached: CopyProgress | undefined;
    try {
      return await copySessions(from, to, {
        signal,
        onProgress(progress) {
          reached = progress;
          line.draw(() => describeProgress(progress, performance.now() - startedAt));
        },
      });
    } catch (thrown) {
      throw reached === undefined || signal.aborted ? thrown : cutShort(thrown, reached, target);
    } finally {
      line.clear();
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/** What failed last is one session; what was copied before stays copied. */
function cutShort(thrown: unknown, { done, total }: CopyProgress, target: Side): HermesError {
  const reason = errorMessage(thrown).replace('; nothing was done.', '.');
  const message = `Copying ended after ${done} of ${counted(total, 'session')}, which stay in the ${target.name}: ${reason}`;
  return new HermesError(message, { hint: 'Run the same command again: it goes on where it was.', cause: thrown });
}

function describeProgress({ done, total, messages }: CopyProgress, elapsedMs: number): ProgressText {
  const left = done === 0 ? '' : `, about ${formatDuration(((elapsedMs / done) * (total - done)) / 1000)} left`;
  const text = `${done} of ${counted(total, 'session')}, ${counted(messages, 'message')}${left}`;
  return { text, share: total === 0 ? 1 : done / total };
}

async function chooseSides(options: MigrateOptions, io: CliIo): Promise<{ source: Side; target: Side }> {
  const { home, storage } = await placeOf(io);
  const file = fileSide(await chooseDatabaseFile(home));
  const configured = storage && databaseSide(storage.url, storage);
  const read = (text: string) =>
    isDatabaseUrl(text) ? databaseSide(text, storage) : fileSide(resolve(io.workingDirectory, text));
  const target = options.to === undefined ? configured : read(options.to);
  if (target === undefined) {
    throw new ConfigurationError('It is not said where the sessions are to be copied to.', {
      hint: 'Set HERMES_DATABASE_URL in .env, or give --to with an address or a file.',
    });
  }
  const usual = configured === undefined || configured.name === target.name ? file : configured;
  const source = options.from === undefined ? usual : read(options.from);
  if (source.name !== target.name) return { source, target };
  throw new ConfigurationError(`Both are the same: ${source.name}.`, {
    hint: 'Give another place with --to or --from.',
  });
}

function fileSide(file: string): Side {
  return { name: file, isDatabase: false, exists: existsSync(file), open: () => openSqliteStore({ file }) };
}

function databaseSide(url: string, storage: StorageSettings | undefined): Side {
  const name = describePlace(parseDatabaseUrl(url));
  return { name, isDatabase: true, exists: true, open: () => openPostgresStore({ ...storage, url }) };
}

function formatReport(report: CopyReport, source: Side, target: Side): string {
  const { sessions, messages, copied, continued, present, removedCalls, different, notes } = report;
  const parts = [
    `${copied} copied`,
    ...(continued > 0 ? [`${continued} completed`] : []),
    ...(present > 0 ? [`${present} there already`] : []),
    ...(different.length > 0 ? [`${different.length} different`] : []),
  ];
  const lines = [
    `${counted(sessions, 'session')} with ${counted(messages, 'message')} of ${source.name}: ${parts.join(', ')}.`,
    ...(removedCalls > 0 ? [`What ${counted(removedCalls, 'call')} of deleted sessions cost was copied as well.`] : []),
    ...notes,
    ...different.map(({ id, reason }) => `Session ${id} was left as it is in the ${target.name}: ${reason}.`),
  ];
  if (different.length === 0)
    lines.push('Each was compared with its copy by all it holds, and all are the same.', next(target));
  else
    lines.push(
      'Nothing was lost: what is in the source is still there. End other hermes processes, then run it again.',
    );
  return `${lines.join('\n')}\n`;
}

function next(target: Side): string {
  return target.isDatabase
    ? 'From now on they are used from there where HERMES_DATABASE_URL (best in .env) or storage.url names it.'
    : 'They are used from there where neither HERMES_DATABASE_URL nor storage.url is set, and it is the file of the home.';
}
