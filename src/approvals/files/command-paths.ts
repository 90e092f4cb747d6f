import { basename, resolve } from 'node:path';
import { splitGit } from '../shell/git-commands.ts';
import { sedScripts } from '../shell/hidden-commands.ts';
import { isAwk, readAwk } from '../shell/read-code.ts';
import { readSedScript } from '../shell/sed-script.ts';
import { hasAny, optionValues, type ShellCommand, splitArguments } from '../shell/shell-command.ts';
import { globSource, isComputed } from '../shell/words.ts';

/** The paths of the machine that a judgement depends on. */
export type MachineFacts = {
  /** The user's home directory as given and resolved, the usual path first. */
  homes: readonly string[];
  /** Paths that are never changed without approval. */
  protectedPaths: readonly ProtectedPath[];
  /** Paths that contain secrets. */
  secretPaths: SecretPaths;
  workingDirectory: string;
};

/** The credentials of Hermes, files of the user that contain only secrets, and folders that contain some. */
export type SecretPaths = Record<'own' | 'inHome' | 'folders', readonly string[]>;
export type ProtectedPath = { rule: string; path: string };

/** Longer glob patterns in paths are not evaluated. */
const MAX_PATTERN = 40;

/** A last path component that matches everything in a folder. */
const EVERYTHING = /^(?:|\.|\*+|\?+\*+|\.\*|\.\[?!?\.\]?\*|\.\?\?\*|\[[^\]]*\]\*|\{\*,\.\*\})$/;

/**
 * The folder or file that an operand refers to: `x/*`, `x/.` and `x/` are all x. Undefined if it depends on an
 * unknown expansion.
 */
export function targetPath(operand: string, command: Pick<ShellCommand, 'directory'>): string | undefined {
  if (operand === '' || isComputed(operand)) return undefined;
  const parts = operand.split('/');
  while (parts.length > 0 && EVERYTHING.test(parts.at(-1) ?? '')) parts.pop();
  if (parts.length === 0 && operand.startsWith('/')) return '/';
  return resolve(command.directory, parts.join('/'));
}

/** Programs that change or remove all of their operands. */
const OPERANDS_ARE_WRITTEN = new Set([
  'tee',
  'truncate',
  'shred',
  'rm',
  'unlink',
  'chmod',
  'chown',
  'chattr',
  'sponge',
  'nano',
  'vi',
  'vim',
  'nvim',
  'ed',
  'ex',
  'rmdir',
  'srm',
  'visudo',
]);
/** Programs that write to their last operand, or into it if it is a folder. */
const LAST_IS_WRITTEN = new Set(['cp', 'mv', 'install', 'ln', 'rsync', 'scp']);
/** Programs of `LAST_IS_WRITTEN` that accept the target folder with `-t`. */
const FOLDER_OPTION = new Set(['cp', 'mv', 'install', 'ln']);
const FOLDER = /^(?:-[a-zA-Z]*?t|--t[a-z-]*=?)(.*)$/;
const WRITING = new Set(['>', '>>', '>|', '&>', '&>>', '<>', '>&']);

/**
 * Programs whose purpose is to write files. `install` is excluded, because many programs have a subcommand of that
 * name.
 */
export function writesFiles(name: string): boolean {
  return OPERANDS_ARE_WRITTEN.has(name) || name === 'dd' || name === 'cp' || name === 'mv';
}

/** The files that a command writes, replaces or removes, as far as its arguments show. */
export function writtenPaths(command: ShellCommand): string[] {
  const redirected = command.redirects.filter(({ operator }) => WRITING.has(operator)).map(({ target }) => target);
  return [...redirected, ...operandsWritten(command)]
    .map((operand) => targetPath(operand, command))
    .filter((path) => path !== undefined);
}

function operandsWritten(command: ShellCommand): string[] {
  const { name, args } = command;
  const { options, operands } = splitArguments(args);
  if (name === 'chmod' && isTightening(operands[0] ?? '')) return [];
  if (OPERANDS_ARE_WRITTEN.has(name)) return operands;
  if (name === 'mv') return [...splitCopy(command).sources, ...copiesWritten(splitCopy(command))];
  if (LAST_IS_WRITTEN.has(name)) return copiesWritten(splitCopy(command));
  if (name === 'dd') return args.filter((arg) => arg.startsWith('of=')).map((arg) => arg.slice(3));
  if ((name === 'perl' || name === 'ruby') && hasAny(options, 'i', 'in-place')) return operands;
  if (name === 'sed' || name === 'gsed') return sedWrites(command);
  if (isAwk(name)) return args.flatMap((arg) => readAwk(arg).written);
  return optionsWritten(command);
}

/** Whether a mode only removes permissions from others, which is harmless even for a key file. */
function isTightening(mode: string): boolean {
  return /^0?[0-7]00$|^(?:[ugoa]*-[rwxXst]+,?)+$/.test(mode);
}

/** Files that sed edits in place, and those that its script writes. */
function sedWrites({ args }: ShellCommand): string[] {
  const { options, operands } = splitArguments(args);
  const scripts = sedScripts(args);
  const changed = hasAny(options, 'i', 'in-place') ? operands.filter((operand) => operand !== scripts[0]) : [];
  return [...changed, ...scripts.flatMap((script) => readSedScript(script).written)];
}

/** The output files of programs that name them with an option. */
function optionsWritten(command: ShellCommand): string[] {
  const { name, args } = command;
  const { options, operands } = splitArguments(args);
  switch (name) {
    case 'curl':
    case 'wget':
      return optionValues(args, /^(?:-[a-zA-Z#]*?[oOP]|--(?:o|directory-prefix)[a-z-]*=?)(.*)$/);
    case 'gpg':
    case 'sort':
    case 'gcc':
    case 'go':
      return optionValues(args, /^(?:-o|--output=?)(.*)$/);
    case 'openssl':
      return optionValues(args, /^-out()$/);
    case 'yq':
    case 'crudini':
      return hasAny(options, 'i', 'inplace', 'set', 'del') ? operands : [];
    case 'patch':
      return [...operands, ...optionValues(args, /^(?:-[a-zA-Z\d]*d|--directory=?)(.*)$/)];
    case 'git':
      return splitGit(args).command === 'apply' ? optionValues(args, /^--directory=?(.*)$/) : [];
    case '7z':
      return args.some((arg) => /^[xe]$/.test(arg)) ? optionValues(args, /^-o(.+)$/) : [];
    case 'qemu-img':
      return /^(?:create|convert|resize|dd)$/.test(operands[0] ?? '') ? operands.filter(isPath).slice(-1) : [];
    case 'cpio':
      return optionValues(args, /^(?:-D|--directory=?)(.*)$/);
    case 'find':
      return optionValues(args, /^-f(?:printf?|print0|ls)()$/);
    case 'sqlite3':
      return hasAny(options, 'readonly') ? [] : operands.slice(0, 1);
    default:
      return name === 'unzip' || isUnpacking(command) ? unpackedTo(command) : [];
  }
}

const isPath = (operand: string) => operand.includes('/') || operand.includes('.');

function unpackedTo({ args }: ShellCommand): string[] {
  return optionValues(args, /^(?:-[a-zA-Z]*?[Cd]|--[cd][a-z-]*=?)(.*)$/);
}

/** Whether the command is `tar -x`, including the form without a dash in the first argument. */
function isUnpacking({ name, args }: ShellCommand): boolean {
  if (name !== 'tar' && name !== 'bsdtar') return false;
  return args.some(
    (arg, index) => /^(?:-[a-zA-Z]*x|--(?:ex|get))/.test(arg) || (index === 0 && /^[a-zA-Z]*x/.test(arg)),
  );
}

type Copy = { sources: string[]; target: string | undefined };

/** Splits the arguments of a copy or move into sources and target. */
function splitCopy({ name, args }: ShellCommand): Copy {
  const { operands } = splitArguments(args);
  const at = FOLDER_OPTION.has(name) ? args.findIndex((arg) => FOLDER.test(arg)) : -1;
  if (at < 0) return { sources: operands.slice(0, -1), target: operands.at(-1) };
  const attached = FOLDER.exec(args[at] ?? '')?.[1] ?? '';
  const target = attached === '' ? args[at + 1] : attached;
  return { sources: operands.filter((operand) => operand !== target), target };
}

/** The paths that a copy writes. It is unknown whether the target is a folder, so both possibilities are returned. */
function copiesWritten({ sources, target }: Copy): string[] {
  if (target === undefined) return [];
  const names = sources.map((source) => basename(source)).filter((name) => name !== '..');
  return [target, ...names.map((name) => `${target}/${name}`)];
}

/** The paths that `mv` moves by name. Paths that match a glob are not included, because they can be moved back. */
export function movedPaths(command: ShellCommand): string[] {
  const named = splitCopy(command).sources.flatMap((source) => targetPath(source, command) ?? []);
  return named.filter((path, index) => path === '/' || !/[*?[]/.test(splitCopy(command).sources[index] ?? ''));
}

/** The paths that no longer exist after the command, including everything inside them. */
export function removedPaths(command: ShellCommand): string[] {
  const removed = command.name === 'mv' ? splitCopy(command).sources : [];
  const deleted = command.name === 'rm' ? splitArguments(command.args).operands : [];
  return [...removed, ...deleted].flatMap((operand) => targetPath(operand, command) ?? []);
}

/** Top-level folders that the system needs or that contain the users' files. */
const TOP_LEVEL =
  ' home Users root etc usr bin sbin lib lib64 boot var opt dev sys proc System Library Applications srv private'
    .split(' ')
    .map((name) => `/${name}`);
/** Top-level folders that a deployment can fill again. */
const REPLACEABLE = new Set(['/srv', '/opt']);

/** Whether losing this folder would destroy the system or all files of a user. */
export function isRootOrHome(path: string, facts: MachineFacts): boolean {
  if (TOP_LEVEL.includes(path) || facts.homes.includes(path) || /^\/(?:home|Users)\/[^/]+$/.test(path)) return true;
  return /[*?[]/.test(path) && globMatchesRootOrHome(path, facts);
}

/** Whether a glob such as `/h*` or `/home/a*` matches a top-level folder or a home directory. */
function globMatchesRootOrHome(path: string, facts: MachineFacts): boolean {
  if (path.length > MAX_PATTERN || path.split('/').length > 4) return false;
  try {
    const pattern = new RegExp(`^(?:${globSource(path)})$`);
    return [...TOP_LEVEL.slice(1), ...facts.homes].some((folder) => pattern.test(folder));
  } catch {
    // A reversed range is not a valid glob in a shell either.
    return false;
  }
}

/** Like `isRootOrHome`, but without folders that a deployment can fill again. */
export function isIrreplaceable(path: string, facts: MachineFacts): boolean {
  return isRootOrHome(path, facts) && !REPLACEABLE.has(path);
}
