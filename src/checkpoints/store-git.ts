import { HermesError } from '../base/index.ts';
import { type GitResult, runGit } from '../util/index.ts';
import type { StorePaths } from './store-paths.ts';

/** Runs git on the store of one directory, isolated from any other repository. */
export interface StoreGit {
  /** Returns the output; throws if git fails. */
  runOrThrow(args: readonly string[], options?: GitRunOptions): Promise<Buffer>;
  run(args: readonly string[], options?: GitRunOptions): Promise<GitResult>;
}

export type GitRunOptions = {
  input?: string | Uint8Array;
  indexFile?: string;
  /** A working tree other than the directory. */
  workTree?: string;
  shouldStop?(output: Buffer): boolean;
};

/**
 * The user's git configuration is not read. In addition, these settings are overridden, because a wrong value could
 * do harm.
 */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.autocrlf=false',
  'core.excludesFile=/dev/null',
  'core.attributesFile=/dev/null',
  'core.quotePath=false',
  'core.symlinks=true',
  'commit.gpgSign=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'safe.directory=*',
  'core.looseCompression=1',
  // Use file names exactly as they are on disk.
  'core.precomposeUnicode=false',
  'core.ignoreCase=false',
  'pack.threads=1',
  'pack.windowMemory=100m',
].flatMap((setting) => ['-c', setting]);

/** The only inherited variables; those of a surrounding git hook would redirect git to the repository of that hook. */
const INHERITED_VARIABLES = ['PATH', 'SystemRoot', 'TMPDIR', 'TEMP', 'TMP'];

export function createStoreGit(paths: StorePaths, signal?: AbortSignal): StoreGit {
  const run: StoreGit['run'] = (args, { input, indexFile, workTree = paths.directory, shouldStop } = {}) =>
    runGit([...SETTINGS, ...args], {
      directory: workTree,
      input,
      signal,
      env: environmentOf(paths, workTree, indexFile),
      ...(shouldStop && { shouldStop }),
    });
  return {
    run,
    async runOrThrow(args, options) {
      const { code, output, errors } = await run(args, options);
      if (code !== 0) throw new GitFailure(args[0] ?? '', errors, paths);
      return output;
    },
  };
}

class GitFailure extends HermesError {
  constructor(command: string, errors: string, paths: StorePaths) {
    super(`git ${command} failed in ${paths.store}: ${errors || 'it was killed'}`, {
      hint: `Run \`hermes checkpoints clear\` in ${paths.directory} to delete all its checkpoints and start over.`,
    });
  }
}

function environmentOf(paths: StorePaths, workTree: string, indexFile?: string): Record<string, string> {
  const passed = INHERITED_VARIABLES.flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  );
  const name = { NAME: 'Hermes', EMAIL: 'hermes@localhost' };
  const who = ['AUTHOR', 'COMMITTER'].flatMap((role) =>
    Object.entries(name).map(([key, value]) => [`GIT_${role}_${key}`, value]),
  );
  return {
    ...(Object.fromEntries([...passed, ...who]) as Record<string, string>),
    // A folder without git configuration files.
    HOME: paths.folder,
    XDG_CONFIG_HOME: paths.folder,
    LC_ALL: 'C',
    GIT_DIR: paths.store,
    GIT_WORK_TREE: workTree,
    GIT_INDEX_FILE: indexFile ?? `${paths.folder}/no-index`,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ATTR_NOSYSTEM: '1',
  };
}
