/**
 * Run by tests as a separate process: `append FILE SESSION COUNT`, `hold FILE`, `optimize FILE`, `open-as-nobody
 * FILE`, `read-as-nobody FILE…`.
 */
import { once } from 'node:events';
import { readFileSync, writeSync } from 'node:fs';
import { errorMessage, type HermesError } from '../../base/index.ts';
import { openDatabase } from './driver.ts';
import { openSqliteStore, optimizeDatabase } from './index.ts';

const NOBODY = 65_534;

// Written synchronously, so that no report is lost after a kill.
function report(line: string): void {
  writeSync(1, `${line}\n`);
}

async function append(file: string, id: string, count: number): Promise<void> {
  const store = await openSqliteStore({ file });
  await store.createSession({ id, source: 'cli', startedAt: Date.now() });
  for (let number = 0; number < count; number += 1) {
    await store.appendMessages(id, [{ role: 'user', content: `${id} ${number}` }]);
    report(`${number}`);
  }
  await store.close();
}

/** Holds the write lock until there is input on stdin. */
async function hold(file: string): Promise<void> {
  const database = openDatabase(file);
  database.exec('BEGIN IMMEDIATE');
  report('held');
  await once(process.stdin, 'data');
  database.exec('ROLLBACK');
  database.close();
  process.stdin.destroy();
}

/** Runs until it is done or a signal arrives. */
async function optimize(file: string): Promise<void> {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort(new Error('interrupted')));
  const optimised = optimizeDatabase(file, { signal: stop.signal });
  report('begun');
  report(
    await optimised.then(
      () => 'done',
      (thrown: unknown) => errorMessage(thrown),
    ),
  );
}

async function openAsNobody(file: string): Promise<void> {
  // All modules have been loaded, so the user `nobody` need not be able to read the sources.
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
  try {
    await openSqliteStore({ file });
    report('opened');
  } catch (thrown) {
    report(errorMessage(thrown));
    report((thrown as HermesError).hint ?? '');
  }
}

/** Reports for each file whether another user can read it. */
function readAsNobody(files: readonly string[]): void {
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
  for (const path of files) {
    try {
      readFileSync(path);
      report('readable');
    } catch (thrown) {
      report(String((thrown as NodeJS.ErrnoException).code));
    }
  }
}

const [mode, file = '', id = '', count = ''] = process.argv.slice(2);
if (mode === 'append') await append(file, id, Number(count));
if (mode === 'hold') await hold(file);
if (mode === 'optimize') await optimize(file);
if (mode === 'open-as-nobody') await openAsNobody(file);
if (mode === 'read-as-nobody') readAsNobody(process.argv.slice(3));
