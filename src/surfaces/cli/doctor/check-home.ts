import { accessSync, constants, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorMessage } from '../../../base/index.ts';
import { homePaths } from '../../../config/index.ts';
import { quoteWord } from '../../../util/index.ts';
import { type Exposed, findExposed, findOpenFolder } from './find-exposed.ts';
import type { Finding, Fix } from './finding.ts';

const check = 'home';

/** The folder can be used, and nothing private in it can be read or changed by others. */
export function checkHome(home: string): Finding[] {
  try {
    const stats = statSync(home, { throwIfNoEntry: false });
    if (stats === undefined)
      return [
        { check, status: 'ok', message: `${home} is not there yet; it is made when needed.`, fix: makeFolder(home) },
      ];
    if (!stats.isDirectory()) return [notUsable(home, 'it is not a folder')];
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
    const open = [findOpenFolder(home), ...privatePaths(home).map(findExposed)].filter((found) => found !== undefined);
    if (open.length > 0) return open.map(describeExposed);
    return [{ check, status: 'ok', message: `${home} can be used, and others can read nothing private in it.` }];
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
  return { check, status: 'wrong', message, hint: `Make it private with: chmod go-rwx ${quoteWord(path)}`, fix };
}

function makeFolder(path: string): Fix {
  return { action: 'make-folder', path };
}

function notUsable(home: string, reason: string): Finding {
  const hint = 'Check who owns it and whether you may write there, or choose another home with HERMES_HOME.';
  return { check, status: 'wrong', message: `${home} cannot be used: ${reason}.`, hint };
}
