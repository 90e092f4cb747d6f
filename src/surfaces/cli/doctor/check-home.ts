import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorMessage } from '../../../base/index.ts';
import { homePaths } from '../../../config/index.ts';
import type { Finding } from './finding.ts';

const check = 'home';

/** The folder can be used, and what is in it is readable by its owner alone. */
export function checkHome(home: string): Finding[] {
  try {
    const stats = statSync(home, { throwIfNoEntry: false });
    if (stats === undefined)
      return [{ check, status: 'ok', message: `${home} is not there yet; it is made when needed.` }];
    if (!stats.isDirectory()) return [notUsable(home, 'it is not a folder')];
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
    const open = privatePaths(home, (stats.mode & 0o077) === 0).flatMap((path) => checkMode(path));
    return open.length > 0 ? open : [{ check, status: 'ok', message: `${home} can be used and is private.` }];
  } catch (thrown) {
    return [notUsable(home, errorMessage(thrown))];
  }
}

/** People write the configuration with an editor, which asks for no mode: a private folder is enough for it. */
function privatePaths(home: string, isPrivate: boolean): string[] {
  const { configFile, envFile, logFile, spillFolder } = homePaths(home);
  const databases = ['state.db', 'hermes.db'].map((name) => join(home, name));
  const blobs = databases.map((file) => `${file}.blobs`);
  return [home, ...(isPrivate ? [] : [configFile]), envFile, ...databases, ...blobs, dirname(logFile), spillFolder];
}

function checkMode(path: string): Finding[] {
  const stats: Stats | undefined = statSync(path, { throwIfNoEntry: false });
  // Windows has no such modes; what Node shows there says nothing.
  if (stats === undefined || (stats.mode & 0o077) === 0 || process.platform === 'win32') return [];
  const mode = stats.isDirectory() ? '700' : '600';
  const message = `Others can get at ${path} (mode ${(stats.mode & 0o777).toString(8)}).`;
  return [{ check, status: 'wrong', message, hint: `Make it private with: chmod ${mode} '${path}'` }];
}

function notUsable(home: string, reason: string): Finding {
  const hint = 'Check who owns it and whether you may write there, or choose another home with HERMES_HOME.';
  return { check, status: 'wrong', message: `${home} cannot be used: ${reason}.`, hint };
}
