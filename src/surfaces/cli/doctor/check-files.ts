import { accessSync, chmodSync, constants, type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorMessage, HermesError } from '../../../base/index.ts';
import { findStorage, homePaths, type StorageSettings } from '../../../config/index.ts';
import { checkIntegrity, chooseDatabaseFile, findOriginal, rebuildSearchIndex } from '../../../store/sqlite/index.ts';
import { ensurePrivateFolder, fileErrorReason, quoteShellWord } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { describeDatabase, importCommand } from '../original/start-notices.ts';
import { describeError } from '../report-error.ts';
import type { Finding, Fix } from './finding.ts';

/** Checks that the home directory is usable and that other users cannot read or change private files in it. */
export function checkHome(home: string): Finding[] {
  try {
    const stats = statSync(home, { throwIfNoEntry: false });
    if (stats === undefined)
      return [
        {
          check: 'home',
          status: 'ok',
          message: `The home directory ${home} does not exist yet; it is created when needed.`,
          fix: makeFolder(home),
        },
      ];
    if (!stats.isDirectory()) return [notUsable(home, 'it is not a directory')];
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
    const open = [findOpenFolder(home), ...privatePaths(home).map(findExposed)].filter((found) => found !== undefined);
    if (open.length > 0) return open.map(describeExposed);
    return [
      {
        check: 'home',
        status: 'ok',
        message: `The home directory ${home} is usable, and other users cannot read private files in it.`,
      },
    ];
  } catch (thrown) {
    return [notUsable(home, fileErrorReason(thrown))];
  }
}

function privatePaths(home: string): string[] {
  const { configFile, envFile, authFile, logFile, spillFolder } = homePaths(home);
  const databases = ['state.db', 'hermes.db'].flatMap((name) => ['', '-wal', '.blobs'].map((end) => `${name}${end}`));
  return [configFile, envFile, authFile, ...databases.map((name) => join(home, name)), dirname(logFile), spillFolder];
}

function describeExposed({ path, mode, can }: Exposed): Finding {
  const message = `Other users can ${can} ${path} (mode ${mode.toString(8)}).`;
  const fix = { action: 'make-private', path } as const;
  return {
    check: 'home',
    status: 'wrong',
    message,
    hint: `Make it private with: chmod go-rwx ${quoteShellWord(path)}`,
    fix,
  };
}

function makeFolder(path: string): Fix {
  return { action: 'make-folder', path };
}

function notUsable(home: string, reason: string): Finding {
  const hint = 'Check its owner and permissions, or select another home directory with HERMES_HOME.';
  return { check: 'home', status: 'wrong', message: `The home directory ${home} is not usable: ${reason}.`, hint };
}

/** A file or folder that other users can access, and how. */
type Exposed = { path: string; mode: number; can: 'read' | 'change' };

/** Whether the group and all others can enter a folder, given the modes of its parents. */
type Accessible = { group: boolean; others: boolean };

/**
 * Finds the first file or folder at a path that other users can really read or change. Open files inside a folder
 * that others cannot enter are not exposed, and neither is a listable folder if everything in it is closed.
 */
export function findExposed(path: string): Exposed | undefined {
  return search(path, accessTo(dirname(path)));
}

/** Whether other users can replace files in a folder. */
export function findOpenFolder(folder: string): Exposed | undefined {
  return checkEntry(folder, statSync(folder), accessTo(dirname(folder)));
}

function search(path: string, reach: Accessible): Exposed | undefined {
  const stats: Stats | undefined = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return (
    checkEntry(path, stats, reach) ??
    (stats.isDirectory() ? searchFolder(path, accessInside(reach, stats.mode)) : undefined)
  );
}

/** Checks a single file or folder. File names are not considered private, so a folder may be listable. */
function checkEntry(path: string, stats: Stats, reach: Accessible): Exposed | undefined {
  const mode = stats.mode & 0o7777;
  const { group, others } = stats.isDirectory() ? accessInside(reach, mode) : reach;
  const allows = (bit: number) => (group && (mode & (bit << 3)) > 0) || (others && (mode & bit) > 0);
  // With the sticky bit, users can only change their own files.
  if (allows(0o2) && (mode & 0o1000) === 0) return { path, mode, can: 'change' };
  return allows(0o4) && !stats.isDirectory() ? { path, mode, can: 'read' } : undefined;
}

function searchFolder(folder: string, reach: Accessible): Exposed | undefined {
  if (!reach.group && !reach.others) return undefined;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const found = isRegular(entry) ? search(join(folder, entry.name), reach) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

// Symbolic links are skipped: their own mode means nothing, and the target is outside our responsibility.
function isRegular(entry: Dirent): boolean {
  return entry.isFile() || entry.isDirectory();
}

function accessTo(folder: string): Accessible {
  const above = dirname(folder);
  const reach = above === folder ? { group: true, others: true } : accessTo(above);
  return accessInside(reach, statSync(folder).mode);
}

function accessInside({ group, others }: Accessible, mode: number): Accessible {
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
    const unimported = await checkOriginal(home);
    const { file, state, problems } = await checkIntegrity(await chooseDatabaseFile(home), { signal });
    const [first] = problems;
    const found = first === undefined ? '' : ` (${first})`;
    switch (state) {
      case 'missing':
        return [
          { check: 'database', status: 'ok', message: `The session database ${file} does not exist yet.` },
          ...unimported,
        ];
      case 'sound':
        return [{ check: 'database', status: 'ok', message: `The session database ${file} is intact.` }, ...unimported];
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

/** Reports sessions of a later version of the original that are not imported. */
async function checkOriginal(home: string): Promise<Finding[]> {
  const original = await findOriginal(home);
  if (original === undefined || original.missing === 0) return [];
  const hint = `Import them with: ${importCommand(original)}`;
  return [{ check: 'database', status: 'warning', message: describeDatabase(original), hint }];
}

/** Connects to the server as a chat would, and reports its version, the number of sessions and the latency. */
async function checkServer(storage: StorageSettings): Promise<Finding[]> {
  const { inspectDatabase } = await import('../../../store/postgres/index.ts');
  const { location, server, sessions, milliseconds, isPooled } = await inspectDatabase(storage);
  const pooler = isPooled ? ' Hermes uses no prepared statements, because a connection pooler is in between.' : '';
  const message = `Sessions are stored in the ${location} (server ${server}): ${sessions} sessions, latency ${milliseconds} ms.${pooler}`;
  if (milliseconds <= SLOW_MS) return [{ check: 'database', status: 'ok', message }];
  return [
    {
      check: 'database',
      status: 'warning',
      message,
      hint: 'Each step of a turn needs several queries: a server with lower latency is faster.',
    },
  ];
}

export type AppliedFix = Fix & { done: boolean; message: string };

/** Applies the safe fixes one after the other. A failed fix is reported and does not prevent the others. */
export async function applyFixes(fixes: readonly Fix[], signal: AbortSignal): Promise<AppliedFix[]> {
  const applied: AppliedFix[] = [];
  for (const fix of fixes) {
    signal.throwIfAborted();
    try {
      applied.push({ ...fix, done: true, message: await ACTIONS[fix.action](fix.path, signal) });
    } catch (thrown) {
      signal.throwIfAborted();
      applied.push({ ...fix, done: false, message: `${describeFix(fix)}: ${errorMessage(thrown)}` });
    }
  }
  return applied;
}

/** Describes a fix that is about to be applied. */
export function describeFix({ action, path }: Fix): string {
  switch (action) {
    case 'make-private':
      return `remove the permissions of other users on ${path}`;
    case 'make-folder':
      return `create the folder ${path}`;
    case 'rebuild-search-index':
      return `rebuild the search index of ${path}`;
  }
}

const ACTIONS: Readonly<Record<Fix['action'], (path: string, signal: AbortSignal) => Promise<string>>> = {
  async 'make-private'(path) {
    chmodSync(path, statSync(path).mode & 0o700);
    return `Removed the permissions of other users on ${path}.`;
  },
  async 'make-folder'(path) {
    await ensurePrivateFolder(path);
    return `Created the folder ${path}.`;
  },
  'rebuild-search-index': async (path, signal) => (await rebuildSearchIndex(path, { signal })).note,
};
