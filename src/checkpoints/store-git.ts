import { HermesError } from '../base/index.ts';
import { type GitResult, runGit } from '../util/index.ts';
import type { StorePlace } from './store-place.ts';

/** Runs git on the store of a directory, and on nothing else. */
export interface StoreGit {
  /** The output; what git complains about is thrown. */
  ask(args: readonly string[], options?: AskOptions): Promise<Buffer>;
  run(args: readonly string[], options?: AskOptions): Promise<GitResult>;
}

export type AskOptions = {
  input?: string | Uint8Array;
  indexFile?: string;
  /** Another folder whose files are looked at. */
  workTree?: string;
  enough?(output: Buffer): boolean;
};

/** Whatever a person's own configuration says: none of it is read, and these are the values that could do harm. */
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
  // Names as they are on the disk, whatever the system thinks of them.
  'core.precomposeUnicode=false',
  'core.ignoreCase=false',
  'pack.threads=1',
  'pack.windowMemory=100m',
].flatMap((setting) => ['-c', setting]);

/** What git needs of the person's variables; those of a surrounding hook would lead it into their repository. */
const PASSED = ['PATH', 'SystemRoot', 'TMPDIR', 'TEMP', 'TMP'];

export function createStoreGit(place: StorePlace, signal?: AbortSignal): StoreGit {
  const run: StoreGit['run'] = (args, { input, indexFile, workTree = place.directory, enough } = {}) =>
    runGit([...SETTINGS, ...args], {
      directory: workTree,
      input,
      signal,
      env: environmentOf(place, workTree, indexFile),
      ...(enough && { enough }),
    });
  return {
    run,
    async ask(args, options) {
      const { code, output, errors } = await run(args, options);
      if (code !== 0) throw new GitFailure(args[0] ?? '', errors, place);
      return output;
    },
  };
}

/** Git could not do its work on a store. */
class GitFailure extends HermesError {
  constructor(command: string, errors: string, place: StorePlace) {
    super(`git ${command} failed in ${place.store}: ${errors || 'it was ended'}`, {
      hint: `\`hermes checkpoints clear\` in ${place.directory} begins anew, without the checkpoints there are.`,
    });
  }
}

function environmentOf(place: StorePlace, workTree: string, indexFile?: string): Record<string, string> {
  const passed = PASSED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  const name = { NAME: 'Hermes', EMAIL: 'hermes@localhost' };
  const who = ['AUTHOR', 'COMMITTER'].flatMap((role) =>
    Object.entries(name).map(([key, value]) => [`GIT_${role}_${key}`, value]),
  );
  return {
    ...(Object.fromEntries([...passed, ...who]) as Record<string, string>),
    // A folder without settings, in which git finds none.
    HOME: place.folder,
    XDG_CONFIG_HOME: place.folder,
    LC_ALL: 'C',
    GIT_DIR: place.store,
    GIT_WORK_TREE: workTree,
    GIT_INDEX_FILE: indexFile ?? `${place.folder}/no-index`,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ATTR_NOSYSTEM: '1',
  };
}
