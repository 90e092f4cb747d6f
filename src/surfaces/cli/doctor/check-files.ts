import { accessSync, chmodSync, constants, type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorMessage, HermesError } from '../../../base/index.ts';
import { findStorage, homePaths, type StorageSettings } from '../../../config/index.ts';
import { checkIntegrity, chooseDatabaseFile, rebuildSearchIndex } from '../../../store/sqlite/index.ts';
import { ensurePrivateFolder, quoteWord } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { describeError } from '../report-error.ts';
import type { Finding, Fix } from './finding.ts';

/** The folder can be used, and nothing private in it can be read or changed by others. */
export function checkHome(home: string): Finding[] {
  try {
    const stats = statSync(home, { throwIfNoEntry: false });
    if (stats === undefined)
      return [
        {
          check: 'home',
          status: 'ok',
          message: `${home} is not there yet; it is made when needed.`,
          fix: makeFolder(home),
        },
      ];
    if (!stats.isDirectory()) return [notUsable(home, 'it is not a folder')];
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
    const open = [findOpenFolder(home), ...privatePaths(home).map(findExposed)].filter((found) => found !== undefined);
    if (open.length > 0) return open.map(describeExposed);
    return [
      { check: 'home', status: 'ok', message: `${home} can be used, and others can read nothing private in it.` },
    ];
  } catch (thrown) {
    return [notUsable(home, errorMessage(thrown))];
  }
}

function privatePaths(home: string): string[] {
  const { configFile, envFile, authFile, logFile, spillFolder } = homePaths(home);
  const databases = ['state.db', 'hermes.db'].flatMap((name) => ['', '-wal', '.blobs'].map((end) => `${name}${end}`));
  return [configFile, envFile, authFile, ...databases.map((name) => join(home, name)), dirname(logFile), spillFolder];
}

function describeExposed({ path, mode, can }: Exposed): Finding {
  const message = `Others can ${can} ${path} (mode ${mode.toString(8)}).`;
  const fix = { action: 'make-private', path } as const;
  return {
    check: 'home',
    status: 'wrong',
    message,
    hint: `Make it private with: chmod go-rwx ${quoteWord(path)}`,
    fix,
  };
}

function makeFolder(path: string): Fix {
  return { action: 'make-folder', path };
}

function notUsable(home: string, reason: string): Finding {
  const hint = 'Check who owns it and whether you may write there, or choose another home with HERMES_HOME.';
  return { check: 'home', status: 'wrong', message: `${home} cannot be used: ${reason}.`, hint };
}

/** A file or folder that others can get at, and what they can do there. */
type Exposed = { path: string; mode: number; can: 'read' | 'change' };

/** Who besides the owner gets as far as a folder: its group, and all others. */
type Reach = { group: boolean; others: boolean };

/**
 * The first thing at a path that others can really read or change. What is open in a folder that lets nobody in is not
 * exposed, and neither is a folder that others can look at when all that is in it is closed to them.
 */
export function findExposed(path: string): Exposed | undefined {
  // Windows has no such modes; what Node shows there says nothing.
  if (process.platform === 'win32') return undefined;
  return search(path, reachOf(dirname(path)));
}

/** Whether others can put another file in the place of any that is in a folder. */
export function findOpenFolder(folder: string): Exposed | undefined {
  return process.platform === 'win32' ? undefined : judge(folder, statSync(folder), reachOf(dirname(folder)));
}

function search(path: string, reach: Reach): Exposed | undefined {
  const stats: Stats | undefined = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return judge(path, stats, reach) ?? (stats.isDirectory() ? searchFolder(path, into(reach, stats.mode)) : undefined);
}

/** A file or folder by itself. Which names are in a folder tells nothing worth keeping. */
function judge(path: string, stats: Stats, reach: Reach): Exposed | undefined {
  const mode = stats.mode & 0o7777;
  const { group, others } = stats.isDirectory() ? into(reach, mode) : reach;
  const allows = (bit: number) => (group && (mode & (bit << 3)) > 0) || (others && (mode & bit) > 0);
  // In a folder with the sticky bit everyone can change only what is their own.
  if (allows(0o2) && (mode & 0o1000) === 0) return { path, mode, can: 'change' };
  return allows(0o4) && !stats.isDirectory() ? { path, mode, can: 'read' } : undefined;
}

function searchFolder(folder: string, reach: Reach): Exposed | undefined {
  if (!reach.group && !reach.others) return undefined;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const found = isOwn(entry) ? search(join(folder, entry.name), reach) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

// A link says nothing about what it leads to, and that is not ours to judge.
function isOwn(entry: Dirent): boolean {
  return entry.isFile() || entry.isDirectory();
}

function reachOf(folder: string): Reach {
  const above = dirname(folder);
  const reach = above === folder ? { group: true, others: true } : reachOf(above);
  return into(reach, statSync(folder).mode);
}

function into({ group, others }: Reach, mode: number): Reach {
  return { group: group && (mode & 0o010) > 0, others: others && (mode & 0o001) > 0 };
}

const REPAIR = 'Run: hermes sessions repair';
const SLOW_MS = 100;

export async function checkDatabase(
  { home, env }: { home: string; env: CliIo['env'] },
  signal: AbortSignal,
): Promise<Finding[]> {
  try {
    const storage = await findStorage({ home, env });
    if (storage !== undefined) return await checkServer(storage);
    const { file, state, problems } = await checkIntegrity(await chooseDatabaseFile(home), { signal });
    const [first] = problems;
    const found = first === undefined ? '' : ` (${first})`;
    switch (state) {
      case 'missing':
        return [{ check: 'database', status: 'ok', message: `There is no session database ${file} yet.` }];
      case 'sound':
        return [{ check: 'database', status: 'ok', message: `The session database ${file} is sound.` }];
      case 'search':
        return [
          {
            check: 'database',
            status: 'wrong',
            message: `The search index of ${file} is damaged${found}.`,
            hint: REPAIR,
            fix: { action: 'rebuild-search-index', path: file },
          },
        ];
      case 'damaged':
        return [
          {
            check: 'database',
            status: 'wrong',
            message: `The session database ${file} is damaged${found}.`,
            hint: REPAIR,
          },
        ];
    }
  } catch (thrown) {
    if (signal.aborted || !(thrown instanceof HermesError)) throw thrown;
    return [{ check: 'database', status: 'wrong', ...describeError(thrown) }];
  }
}

/** What a chat would find: the server, its version, the tables, and how long an answer takes. */
async function checkServer(storage: StorageSettings): Promise<Finding[]> {
  const { inspectDatabase } = await import('../../../store/postgres/index.ts');
  const { place, server, sessions, milliseconds } = await inspectDatabase(storage);
  const message = `Sessions are in the ${place} (server ${server}): ${sessions} of them, an answer takes ${milliseconds} ms.`;
  if (milliseconds <= SLOW_MS) return [{ check: 'database', status: 'ok', message }];
  return [
    {
      check: 'database',
      status: 'warning',
      message,
      hint: 'Each step of a turn waits for several answers: a server nearby is faster.',
    },
  ];
}

export type Mended = Fix & { done: boolean; message: string };

/** Applies the safe fixes one after the other. A failed fix is reported and does not prevent the others. */
export async function mend(fixes: readonly Fix[], signal: AbortSignal): Promise<Mended[]> {
  const mended: Mended[] = [];
  for (const fix of fixes) {
    signal.throwIfAborted();
    try {
      mended.push({ ...fix, done: true, message: await ACTIONS[fix.action](fix.path, signal) });
    } catch (thrown) {
      signal.throwIfAborted();
      mended.push({ ...fix, done: false, message: `${describeFix(fix)}: ${errorMessage(thrown)}` });
    }
  }
  return mended;
}

/** As something that is about to be done. */
export function describeFix({ action, path }: Fix): string {
  switch (action) {
    case 'make-private':
      return `take the rights of others at ${path}`;
    case 'make-folder':
      return `make the folder ${path}`;
    case 'rebuild-search-index':
      return `build the search index of ${path} anew`;
  }
}

const ACTIONS: Readonly<Record<Fix['action'], (path: string, signal: AbortSignal) => Promise<string>>> = {
  async 'make-private'(path) {
    chmodSync(path, statSync(path).mode & 0o700);
    return `Others have no rights at ${path} any more.`;
  },
  async 'make-folder'(path) {
    await ensurePrivateFolder(path);
    return `Made the folder ${path}.`;
  },
  'rebuild-search-index': async (path, signal) => (await rebuildSearchIndex(path, { signal })).note,
};
