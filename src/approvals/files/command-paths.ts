import { join, resolve } from 'node:path';
import type { ShellCommand } from '../shell/shell-command.ts';
import { globSource, hasGlob, isComputed } from '../shell/words.ts';
import { commandsWithFoundNames } from './found-paths.ts';
import type { Disk } from './disk.ts';
import { guardedFiles } from './file-guard.ts';
import type { MachineFacts } from './machine-facts.ts';
import { type PathArgument, type PathUse, using } from './path-argument.ts';
import { isPattern, UNKNOWN_PART } from './path-pattern.ts';
import { readArguments } from './read-arguments.ts';
import { type ResolvedPath, resolveWord, withOwnPaths } from './resolve-path.ts';
import { splitCopy } from './copy-arguments.ts';
import { writeArguments } from './write-arguments.ts';

/** Longer glob patterns in paths are not evaluated. */
const MAX_PATTERN = 40;
/** At most this many names that match a glob are looked up on the disk. */
const MAX_MATCHES = 50;

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

const WRITING = new Set(['>', '>|', '&>', '<>', '>&']);
const APPENDING = new Set(['>>', '&>>']);

function redirected({ redirects }: ShellCommand): PathArgument[] {
  return redirects.flatMap(({ operator, target }): PathArgument[] => {
    if (operator === '<') return using('read', [target]);
    if (operator === '<>') return [...using('read', [target]), ...using('modify', [target])];
    if (APPENDING.has(operator)) return using('modify', [target]);
    return WRITING.has(operator) && !/^(?:\d+|-)$/.test(target) ? using('write', [target]) : [];
  });
}

/** The paths that a command names for writing, and all paths that it uses. Both are resolved when they are needed. */
export type CommandPaths = { written: string[]; used?: UsedPath[] };

function commandPaths(command: ShellCommand, facts: MachineFacts): CommandPaths {
  const known = facts.resolved?.get(command);
  if (known !== undefined) return known;
  const words = [...redirected(command).filter(({ use }) => use !== 'read'), ...writeArguments(command)];
  const found = { written: words.flatMap(({ word }) => targetPath(word, command) ?? []) };
  facts.resolved?.set(command, found);
  return found;
}

/** The files that a command writes, replaces or removes, as far as its arguments show. */
export function writtenPaths(command: ShellCommand, facts: MachineFacts): string[] {
  return commandPaths(command, facts).written;
}

/** A path that a command reads, writes or removes, under each name that it has on this machine. */
export type UsedPath = ResolvedPath & Pick<PathArgument, 'use' | 'tree'>;

/** All paths that a command uses, as far as its arguments, the links of its line and the disk show. */
export function pathsUsed(command: ShellCommand, facts: MachineFacts): UsedPath[] {
  const paths = commandPaths(command, facts);
  if (paths.used !== undefined) return paths.used;
  const used = [command, ...commandsWithFoundNames(command)]
    .flatMap((one) =>
      [...redirected(one), ...readArguments(one), ...writeArguments(one)].flatMap((argument) =>
        resolveArgument(argument, one, facts),
      ),
    )
    .filter((path) => path.certainty !== 'unknown' || !isExistingScript(command) || isInHiddenFolder(path));
  paths.used = [...used, ...linkedPaths(used, command, facts)];
  return paths.used;
}

/** In a script of the user, most paths depend on variables, so that an unknown path says nothing. */
function isExistingScript({ script, source }: ShellCommand): boolean {
  return script?.isNew(source) === false;
}

/** Whether the known beginning of a path is in a folder such as `~/.ssh`. */
function isInHiddenFolder({ path }: UsedPath): boolean {
  return /\/\.\w/.test(path.split(UNKNOWN_PART, 1)[0] ?? '');
}

/** Resolves a word, and follows links if the command runs on this machine. */
function resolveArgument(argument: PathArgument, command: ShellCommand, facts: MachineFacts): UsedPath[] {
  const { use, tree } = argument;
  // A command that creates a link replaces what is there, so it does not follow its own link.
  const links = facts.links !== undefined && use !== 'read' && linkWords(command).length > 0 ? undefined : facts.links;
  const resolved = resolveWord(argument.word, command.directory, { ...facts, links });
  const real = command.remote === undefined ? resolved.flatMap((path) => realPaths(path, use, facts)) : [];
  return withOwnPaths([...resolved, ...real], facts).map((path) => ({ ...path, use, tree }));
}

/** The other names of a path on this machine, if it is or contains a link. */
function realPaths({ path, certainty, spelled }: ResolvedPath, use: PathUse, facts: MachineFacts): ResolvedPath[] {
  const { disk } = facts;
  const moved = certainty === 'known' ? [] : realPattern({ path, certainty }, disk);
  if (certainty === 'unknown') return moved;
  // Removing or replacing a link does not affect its target.
  const real = (one: string) => disk.realPath(one, use !== 'remove');
  const named = spelled === undefined ? [path] : [path, spelled];
  const paths = certainty === 'known' ? named : matchesOnDisk(path, disk);
  const found = paths.flatMap((one) => {
    const other = real(one);
    const same = use === 'remove' ? [] : disk.sameFiles(other, () => guardedFiles(facts));
    return other === path ? same : [other, ...same];
  });
  return [...moved, ...found.map((one): ResolvedPath => ({ path: one, certainty: 'known' }))];
}

/** A pattern whose literal folder is or contains a link, with that folder resolved. */
function realPattern({ path, certainty }: ResolvedPath, disk: Disk): ResolvedPath[] {
  const start = path.split('/').findIndex(isPattern);
  const folder = path.split('/').slice(0, start).join('/');
  const real = folder === '' ? '' : disk.realPath(folder, true);
  return real === folder ? [] : [{ path: real + path.slice(folder.length), certainty }];
}

/** The files that match a path with globs in any of its parts. */
function matchesOnDisk(path: string, disk: Disk): string[] {
  const parts = path.split('/');
  const start = parts.findIndex(isPattern);
  if (start < 0) return [];
  try {
    let found = [parts.slice(0, start).join('/') || '/'];
    for (const part of parts.slice(start)) {
      if (part === '**' || part.length > MAX_PATTERN) return [];
      const pattern = isPattern(part) ? new RegExp(`^(?:${globSource(part)})$`) : undefined;
      const namesIn = (folder: string) =>
        pattern === undefined ? [part] : disk.names(folder).filter((name) => pattern.test(name));
      found = found.flatMap((folder) => namesIn(folder).map((name) => join(folder, name))).slice(0, MAX_MATCHES);
    }
    return found;
  } catch {
    return [];
  }
}

/** The paths, and their other names on this machine. */
export function withRealPaths(found: readonly ResolvedPath[], use: PathUse, facts: MachineFacts): ResolvedPath[] {
  return [...found, ...found.flatMap((path) => realPaths(path, use, facts))];
}

/** Programs that read what a link in a folder leads to, and the options that make them do so or prevent it. */
const FOLLOWS: readonly { programs: RegExp; with?: RegExp; without?: RegExp }[] = [
  { programs: /^[ef]?grep$/, with: /^(?:-[a-zA-Z]*R|--dereference-recursive)/ },
  { programs: /^(?:rg|ag)$/, with: /^(?:-[a-zA-Z]*[Lf]|--follow)$/ },
  { programs: /^(?:zip|7za?|7zz)$/, without: /^(?:-[a-zA-Z]*y|-snl|--symlinks)$/ },
  { programs: /^(?:cp|gcp)$/, with: /^(?:-[a-zA-Z]*L|--dereference)/ },
  { programs: /^rsync$/, with: /^(?:-[a-zA-Z]*[Lk]|--copy-(?:links|dirlinks|unsafe-links))/ },
  { programs: /^(?:tar|bsdtar|gtar)$/, with: /^(?:-?[a-zA-Z]*h[a-zA-Z]*|--dereference|-L)$/ },
  { programs: /^(?:scp|pscp|aws|gsutil|rclone|http-server|serve|caddy|miniserve|python[\d.]*|php|diff)$/ },
];
const MAX_ENTRIES = 500;

/** Where the links in a folder, and in its subfolders, lead to. */
function linksBelow(folder: string, disk: Disk): string[] {
  const found: string[] = [];
  let left = MAX_ENTRIES;
  const visit = (current: string, depth: number) => {
    for (const name of disk.names(current)) {
      if ((left -= 1) < 0 || name === 'node_modules' || name === '.git') continue;
      const path = join(current, name);
      const real = disk.realPath(path, true);
      if (real !== join(disk.realPath(current, true), name)) found.push(real);
      else if (depth > 0 && !disk.isFile(path)) visit(path, depth - 1);
    }
  };
  visit(folder, 1);
  return found;
}

/** What a program reads of a whole folder through the links in it. */
function linkedPaths(
  paths: readonly UsedPath[],
  { name, args, remote }: ShellCommand,
  { disk }: MachineFacts,
): UsedPath[] {
  const program = FOLLOWS.find(({ programs }) => programs.test(name));
  if (program === undefined || remote !== undefined) return [];
  if (program.with !== undefined && !args.some((arg) => program.with?.test(arg))) return [];
  if (program.without !== undefined && args.some((arg) => program.without?.test(arg))) return [];
  return paths
    .filter(({ use, tree, certainty }) => use === 'read' && tree === true && certainty === 'known')
    .flatMap(({ path }) => linksBelow(path, disk))
    .map((path) => ({ path, certainty: 'known', use: 'read', tree: true }));
}

/** The links that the commands of a line create. It is unknown whether a target is a folder, so both are recorded. */
export function linksMade(commands: readonly ShellCommand[], facts: MachineFacts): Map<string, string> | undefined {
  const links = new Map<string, string>();
  for (const command of commands) {
    const made = linkWords(command);
    for (const { from, to } of made) {
      const [link] = resolveWord(to, command.directory, facts);
      if (link?.certainty !== 'known') continue;
      // A relative symbolic link is relative to its own folder.
      const base = command.name === 'ln' && isSymbolic(command.args) ? join(link.path, '..') : command.directory;
      const [target] = resolveWord(from, base, facts);
      if (target?.certainty === 'known' && target.path !== link.path) links.set(link.path, target.path);
    }
  }
  return links.size === 0 ? undefined : links;
}

const isSymbolic = (args: readonly string[]) => args.some((arg) => /^(?:-[a-zA-Z]*s|--symbolic)/.test(arg));

type LinkWords = { from: string; to: string };

/** Source and target of `ln`, `cp -l`, `cp -s` and `mount --bind`. */
function linkWords(command: ShellCommand): LinkWords[] {
  const { name, args } = command;
  const copies = name === 'cp' && args.some((arg) => /^(?:-[a-zA-Z]*[ls]|--(?:link|symbolic-link))/.test(arg));
  const mounts = name === 'bindfs' || (name === 'mount' && args.some((arg) => /^(?:--r?bind|-o.*bind|bind)/.test(arg)));
  if (name !== 'ln' && !copies && !mounts) return [];
  const { sources, target = '.' } = splitCopy(command);
  // `ln -s TARGET` creates a link in the current folder.
  if (sources.length === 0) return [{ from: target, to: nameOf(target) }];
  return sources.flatMap((from) => [
    { from, to: target },
    { from, to: `${target}/${nameOf(from)}` },
  ]);
}

const nameOf = (path: string) => path.replace(/\/+$/, '').split('/').at(-1) ?? '';

/** The paths that `mv` moves by name. Paths that match a glob are not included, because they can be moved back. */
export function movedPaths(command: ShellCommand): string[] {
  const { sources } = splitCopy(command);
  const named = sources.flatMap((source) => targetPath(source, command) ?? []);
  return named.filter((path, index) => path === '/' || !hasGlob(sources[index] ?? ''));
}

/** Top-level folders that the system needs or that contain the users' files. */
const TOP_LEVEL =
  ' home Users root etc usr bin sbin lib lib64 boot var opt dev sys proc System Library Applications srv private'
    .split(' ')
    .map((name) => `/${name}`);
/** Top-level folders that a deployment can fill again. */
const REPLACEABLE = new Set(['/srv', '/opt']);

/** Whether losing this folder would destroy the system or all files of a user. */
export function isRootOrHome(path: string, facts: Pick<MachineFacts, 'homes'>): boolean {
  if (TOP_LEVEL.includes(path) || facts.homes.includes(path) || /^\/(?:home|Users)\/[^/]+$/.test(path)) return true;
  return /[*?[]/.test(path) && globMatchesRootOrHome(path, facts);
}

/** Whether a glob such as `/h*` or `/home/a*` matches a top-level folder or a home directory. */
function globMatchesRootOrHome(path: string, facts: Pick<MachineFacts, 'homes'>): boolean {
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
export function isIrreplaceable(path: string, facts: Pick<MachineFacts, 'homes'>): boolean {
  return isRootOrHome(path, facts) && !REPLACEABLE.has(path);
}
