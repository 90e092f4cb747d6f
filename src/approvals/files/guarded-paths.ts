import { dirname } from 'node:path';
import type { ShellCommand } from '../shell/shell-command.ts';
import { pathsUsed, type UsedPath, withRealPaths } from './command-paths.ts';
import {
  GIT_RULE,
  isBlockDevice,
  isOwnProgram,
  OWN_RULE,
  protectionOf,
  protectionsInside,
  PYTHON_START_NAME,
  START_RULE,
  SYSTEM_RULE,
} from './file-guard.ts';
import { isWithin, type MachineFacts } from './machine-facts.ts';
import { isForeignEnvFile } from './env-files.ts';
import { createPathPattern, isPattern, UNKNOWN_PART } from './path-pattern.ts';
import { mayWriteArguments, printsFiles, readArguments } from './read-arguments.ts';
import { resolveWord, withOwnPaths } from './resolve-path.ts';
import {
  ANY_HERMES_HOME,
  ENV_RULE,
  isEnvFile,
  judgeSecret,
  SECRET_FILE_VARIABLE,
  SECRET_NAME,
  SECRET_RULE,
} from './secrets.ts';

const SYSTEM_FOLDERS = '/etc /boot /usr /bin /sbin /lib /lib64 /System /Library /sys'.split(' ');

/** Whether a command reads files that contain secrets. */
export function readsSecrets(command: ShellCommand, facts: MachineFacts): boolean {
  return (
    readsNamedSecret(command) ||
    pathsUsed(command, facts).some(
      (used) =>
        used.use === 'read' && (isSecret(used, facts) || (isBlockDevice(used.path) && printsFiles(command.name))),
    )
  );
}

/** `cat $VAULT_TOKEN_FILE`: the path is not known, but the name of the variable says what the file contains. */
function readsNamedSecret(command: ShellCommand): boolean {
  const isNamed = (word: string) => SECRET_FILE_VARIABLE.test(word);
  if (command.redirects.some(({ operator, target }) => operator === '<' && isNamed(target)))
    return printsFiles(command.name) && !command.args.some((arg) => /^--(?:password-stdin|with-token)$/.test(arg));
  return command.args.some(isNamed) && readArguments(command).some(({ word }) => word === UNKNOWN_PART);
}

/** Whether a path that is read is a secret, may be one, or is a folder that contains one and is read whole. */
export function isSecret({ path, certainty, tree }: Omit<UsedPath, 'use'>, facts: MachineFacts): boolean {
  const { own, inHome, folders, examples } = facts.secretPaths;
  if (judgeSecret(path, facts)?.rule === SECRET_RULE || folders.includes(path)) return true;
  if (isForeignEnvFile(path, facts)) return true;
  if (certainty === 'known') {
    const whole =
      tree === true &&
      (/^\/(?:home|Users|root)$/.test(path) ||
        [own, inHome, folders].some((list) => list.some((one) => isWithin(one, path))));
    return whole || (tree === true && isProfileHome(path, facts));
  }
  if (findsSecrets(path, facts)) return true;
  const patterns = withoutProfile(path).map(createPathPattern);
  return [own, inHome, folders, examples].some((list) =>
    list.some((one) => {
      const relations = patterns.map((pattern) => pattern.relationTo(one));
      return (relations.includes('inside') && !isPublic(path)) || (relations.includes('above') && tree === true);
    }),
  );
}

/** Extensions of private keys; certificates without a key have the first one, too. */
const KEY_FILES = /\/\*\*\/[^/]*\.(?:pem|key|p12|pfx|kdbx|ppk|jks)\*?$/;

/** A search below the root or the home directory for files that are named like stores of credentials or keys. */
function findsSecrets(pattern: string, { homes, workingDirectory }: MachineFacts): boolean {
  const start = pattern.slice(0, pattern.indexOf('/**'));
  if (!pattern.includes('/**') || (isWithin(start, workingDirectory) && !homes.includes(start))) return false;
  const above = start === '' || start === '/home' || start === '/Users' || homes.some((home) => isWithin(start, home));
  const name = pattern.slice(pattern.lastIndexOf('/') + 1).replace(/[*?]/g, '');
  return above && (KEY_FILES.test(pattern) || (name.length > 5 && SECRET_NAME.test(name)));
}

/** The path, and the path without the folder of a profile, so that patterns match the credentials of every profile. */
function withoutProfile(path: string): string[] {
  return path.includes('/profiles/') ? [path, path.replace(/\/profiles\/[^/]+\//, '/')] : [path];
}

/** The home of a profile, which contains the keys of that profile. */
function isProfileHome(path: string, { hermesHomes }: MachineFacts): boolean {
  return hermesHomes.some((home) => isWithin(path, home) && /^profiles\/[^/]+$/.test(path.slice(home.length + 1)));
}

/** Whether a path in code is a secret or, if the code writes, protected. The code may compute the folder before it. */
export function touchesGuardedPath(word: string, directory: string, writes: boolean, facts: MachineFacts): boolean {
  const named = withRealPaths(resolveWord(word, directory, facts), writes ? 'write' : 'read', facts);
  const found = [...named, ...resolveWord(`$_/${word}`, directory, facts)];
  return withOwnPaths(found, facts).some(
    (path) => isSecret(path, facts) || (writes && protectionsOf({ ...path, use: 'modify' }, facts).length > 0),
  );
}

/** `~/.ssh/*.pub`: a pattern that matches only files without secrets. */
const isPublic = (path: string) =>
  /\.pub$|\/(?:known_hosts|config|authorized_keys)[*?]*$/.test(path) && /\/\.ssh\//.test(path);

/** The rules of the protected paths that a command writes, moves or removes. */
export function protectionsTouched(command: ShellCommand, facts: MachineFacts): string[] {
  // A container has its own file system, so its paths are not protected.
  if (command.remote === 'container') return [];
  return pathsUsed(command, facts).flatMap((used) => {
    if (used.use !== 'read') {
      const copies = /^(?:cp|install|rsync|ln)$/.test(command.name) && !replacesByForce(command);
      const rules = protectionsOf(used, facts, copies).filter(
        (rule) => rule !== ENV_RULE || facts.creates?.has(command.source) !== true,
      );
      // New folders are harmless except where Hermes looks for skills and plugins.
      return command.name === 'mkdir' ? rules.filter((rule) => rule === OWN_RULE) : rules;
    }
    return inHermesHome(used, facts) && mayWriteArguments(command.name) ? [OWN_RULE] : [];
  });
}

/** `cp -f` is meant to replace a file that may exist. */
function replacesByForce({ args }: ShellCommand): boolean {
  return args.some((arg) => /^(?:-[a-zA-Z]*f[a-zA-Z]*|--(?:force|remove-destination))$/.test(arg));
}

function inHermesHome({ path }: UsedPath, { hermesHomes }: MachineFacts): boolean {
  return ANY_HERMES_HOME.test(path) || hermesHomes.some((home) => isWithin(path, home));
}

function protectionsOf(used: UsedPath, facts: MachineFacts, copies = false): string[] {
  const env = changesEnvFile(used, facts, copies) ? [ENV_RULE] : [];
  return [...env, ...(used.certainty === 'known' ? knownProtections(used, facts) : patternProtections(used, facts))];
}

function knownProtections({ path, tree }: UsedPath, facts: MachineFacts): string[] {
  const rule = protectionOf(path, facts);
  if (rule !== undefined) return [rule];
  if (tree !== true) return [];
  return path.endsWith('/.git') ? [GIT_RULE] : protectionsInside(path, facts);
}

/** The rules of all protected paths that a pattern may match. */
function patternProtections({ path, tree }: UsedPath, facts: MachineFacts): string[] {
  const pattern = createPathPattern(path);
  const touches = (location: string) => {
    const relation = pattern.relationTo(location);
    return relation === 'inside' || (relation === 'above' && tree === true);
  };
  if (PYTHON_START_NAME.test(path)) return [START_RULE];
  const found = facts.protectedPaths.filter((one) => touches(one.path)).map(({ rule }) => rule);
  const git = path.indexOf('/.git/');
  const project = git < 0 ? facts.workingDirectory : path.slice(0, git);
  // What `find .` selects in a project is not meant to include the files of git.
  const ownGit = path.includes('**') ? [] : ['hooks', 'config'].map((name) => `${project}/.git/${name}`);
  const rules = [
    ...found,
    ...(ownGit.some(touches) ? [GIT_RULE] : []),
    ...(isOwnProgram(path, facts) ? [OWN_RULE] : []),
  ];
  const literal = path.startsWith('/') ? protectionOf(path, facts) : undefined;
  if (literal !== undefined) rules.push(literal);
  else if (isPattern(path.split('/')[1] ?? '') && path.startsWith('/') && SYSTEM_FOLDERS.some(touches))
    rules.push(SYSTEM_RULE);
  return [...new Set(rules)];
}

/** Environment files that programs prefer to `.env`, usually with the settings of one machine or of a deployment. */
const PREFERRED_ENV_FILE = /\/\.env\.(?:local|production|prod|staging|live|[\w-]+\.local)$/;

/**
 * Whether the command replaces an existing environment file, or removes one. In a folder that does not exist yet, it is
 * not known whether the file will exist. A copy of a template only creates one.
 */
function changesEnvFile({ path, use, certainty }: UsedPath, facts: MachineFacts, copies: boolean): boolean {
  if (use === 'read' || use === 'modify' || !isEnvFile(path)) return false;
  if (use === 'remove' || certainty !== 'known') return use === 'remove';
  if (facts.disk.exists(path)) return true;
  const folder = dirname(path);
  const isMissing = folder !== facts.workingDirectory && !facts.disk.exists(folder);
  return !copies && (PREFERRED_ENV_FILE.test(path) || isMissing);
}
