import { dirname, join, resolve } from 'node:path';
import { splitGit } from '../shell/git-commands.ts';
import { optionValues } from '../shell/shell-command.ts';
import { SHELLS } from '../shell/wrappers.ts';
import { interpreterOf, type RunningCommand } from './find-runs.ts';
import type { ScriptDisk, ScriptFile } from './script-disk.ts';
import { isNewIn, type ScriptRun } from './script-run.ts';

const MAX_PARENTS = 8;
/** The hooks that each command of git runs. */
const HOOKS: Readonly<Record<string, readonly string[]>> = {
  commit: ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'post-rewrite'],
  merge: ['pre-merge-commit', 'prepare-commit-msg', 'commit-msg', 'post-merge'],
  pull: ['pre-merge-commit', 'post-merge', 'pre-rebase', 'post-checkout'],
  push: ['pre-push'],
  checkout: ['post-checkout'],
  switch: ['post-checkout'],
  rebase: ['pre-rebase', 'post-checkout', 'post-rewrite', 'pre-commit'],
  am: ['applypatch-msg', 'pre-applypatch', 'post-applypatch'],
  'cherry-pick': ['prepare-commit-msg', 'commit-msg', 'post-commit'],
  revert: ['prepare-commit-msg', 'commit-msg', 'post-commit'],
  worktree: ['post-checkout'],
  gc: ['pre-auto-gc'],
};
/** The hooks that `--no-verify` skips. */
const VERIFYING = /^(?:pre-commit|commit-msg|pre-push|pre-merge-commit|pre-rebase)$/;

/** The hooks that a git command would run. */
export function gitHooks(disk: ScriptDisk, { args, directory }: RunningCommand): ScriptRun[] {
  const { command, rest } = splitGit(args);
  const hooks = Object.hasOwn(HOOKS, command) ? (HOOKS[command] ?? []) : [];
  if (hooks.length === 0) return [];
  const skips = rest.some((arg) => arg === '--no-verify' || (command === 'commit' && /^-[a-z]*n[a-z]*$/.test(arg)));
  const folder = optionValues(args.slice(0, args.indexOf(command)), /^-C(.*)$/).reduce(
    (at, next) => resolve(at, next),
    directory,
  );
  const repository = findRepository(disk, folder);
  if (repository === undefined) return [];
  const given = optionValues(args, /^-c()$/).flatMap((one) => /^core\.hookspath=(.*)$/i.exec(one)?.[1] ?? []);
  return hooks
    .filter((hook) => !(skips && VERIFYING.test(hook)))
    .flatMap((hook) => hookFiles(disk, repository, given[0], hook))
    .flatMap((file) => runOf(file, repository.root));
}

function runOf(file: ScriptFile, directory: string): ScriptRun[] {
  const interpreter = interpreterOf(file.text) ?? 'sh';
  const isNew = isNewIn(file);
  const run = { file, key: file.path, directory };
  if (SHELLS.has(interpreter)) return [{ ...run, isNew, script: file.text }];
  const fresh = file.isChanged && file.before !== file.text;
  const option = interpreter.startsWith('py') ? '-c' : '-e';
  return [{ ...run, isNew: () => fresh, words: [interpreter, option, file.text] }];
}

/** The top folder of a working tree, and the folder of its repository. */
type Repository = { root: string; folder: string; hooksPath: string | undefined };

function findRepository(disk: ScriptDisk, start: string): Repository | undefined {
  let root = start;
  for (let level = 0; level <= MAX_PARENTS; level += 1) {
    const config = disk.read(join(root, '.git/config'));
    if (config !== undefined || disk.list(join(root, '.git')).length > 0)
      return { root, folder: join(root, '.git'), hooksPath: hooksPathIn(config?.text ?? '') };
    // In a linked worktree `.git` is a file that names the folder.
    const link = /^gitdir:\s*(.+?)\s*$/m.exec(disk.read(join(root, '.git'))?.text ?? '')?.[1];
    if (link !== undefined) {
      const folder = resolve(root, link).replace(/\/worktrees\/[^/]+$/, '');
      return { root, folder, hooksPath: hooksPathIn(disk.read(join(folder, 'config'))?.text ?? '') };
    }
    if (dirname(root) === root) break;
    root = dirname(root);
  }
  return undefined;
}

function hooksPathIn(config: string): string | undefined {
  const section = /^\s*\[core\]([^[]*)/im.exec(config)?.[1] ?? '';
  return /^\s*hookspath\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(section)?.[1];
}

/** Husky runs the file of the same name in the folder above its own. */
function hookFiles(
  disk: ScriptDisk,
  { root, folder, hooksPath }: Repository,
  given: string | undefined,
  hook: string,
): ScriptFile[] {
  const hooks = given ?? hooksPath;
  const paths = hooks === undefined ? [join(folder, 'hooks', hook)] : [resolve(root, hooks, hook)];
  if (hooks !== undefined && /(?:^|\/)\.husky(?:\/|$)/.test(hooks)) paths.push(join(root, '.husky', hook));
  const found = paths.map((path) => disk.read(path)).filter((file) => file !== undefined);
  return found.filter((file) => file.isExecutable || file.path.includes('/.husky/'));
}
