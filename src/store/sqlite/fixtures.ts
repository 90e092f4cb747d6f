import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { SessionStore } from '../../contracts/index.ts';
import { openDatabase, type SqliteDatabase } from './driver.ts';
import { openSqliteStore, type SqliteStoreOptions } from './index.ts';

/** A path for a database in a folder that is deleted after the test. */
export function temporaryFile(name = 'state.db'): string {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

export async function openForTest(options: SqliteStoreOptions): Promise<SessionStore> {
  const store = await openSqliteStore(options);
  onTestFinished(() => store.close());
  return store;
}

/** Opens the file with plain SQL, as another program would. */
export function withDatabase<T>(file: string, use: (database: SqliteDatabase) => T): T {
  const database = openDatabase(file);
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** Changes internal tables that SQLite protects, to simulate corruption. */
export function tamper(file: string, sql: string): void {
  withDatabase(file, (database) => {
    // Not every release has this protection.
    (database as SqliteDatabase & { enableDefensive?(active: boolean): void }).enableDefensive?.(false);
    database.exec(sql);
  });
}

/** Starts a process that works on a store; see `store-child.ts` for its commands. */
export function startChild(...args: string[]): Child {
  const script = fileURLToPath(new URL('./store-child.ts', import.meta.url));
  // Node 22 warns about type stripping; nothing else may be written to stderr.
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...args]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const reader = createInterface(child.stdout).on('line', (line) => lines.push(line));
  const ended = Promise.all([once(child, 'close'), once(reader, 'close')]).then(() => ({ lines, errors }));
  return { process: child, lines, ended, line: (number) => untilLine(reader, lines, number) };
}

export type Child = {
  process: ChildProcess;
  lines: string[];
  /** Waits for the nth line of output. */
  line(number: number): Promise<void>;
  ended: Promise<{ lines: string[]; errors: string }>;
};

/** Resolves when enough lines have arrived; rejects when the output ends before. */
function untilLine(reader: Interface, lines: string[], number: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (lines.length >= number) resolve();
    };
    reader.on('line', look).once('close', () => reject(new Error(`the child exited after ${lines.length} lines`)));
    look();
  });
}
