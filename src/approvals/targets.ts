import { resolve } from 'node:path';
import { hasAny, type ShellCommand, splitArguments } from './shell-command.ts';
import { isComputed } from './shell-words.ts';

/** What a judgement needs to know about the machine. */
export type Facts = {
  /** The user's home folder. */
  home: string;
  /** The agent's own home, `~/.hermes` by default. */
  hermesHome: string;
  workingDirectory: string;
};

/** The folder or file an operand means: `x/*`, `x/.` and `x/` are all x. Undefined where only the shell knows. */
export function targetPath(operand: string, command: ShellCommand): string | undefined {
  if (operand === '' || isComputed(operand)) return undefined;
  const folder = operand
    .replace(/(?:^|\/)(?:\*|\.\*|\.\[?!?\.\]?\*|\{\*,\.\*\})$/, '/')
    .replace(/^\/$/, operand.startsWith('/') ? '/' : '.');
  return resolve(command.directory, folder);
}

/** Programs all of whose operands are changed or removed. */
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
]);
/** Programs that write to their last operand. */
const LAST_IS_WRITTEN = new Set(['cp', 'install', 'ln', 'rsync', 'scp']);
const WRITING = new Set(['>', '>>', '>|', '&>', '&>>', '<>', '>&']);

/** The files a command writes, replaces or removes, as far as its words tell. */
export function writtenPaths(command: ShellCommand): string[] {
  const redirected = command.redirects.filter(({ operator }) => WRITING.has(operator)).map(({ target }) => target);
  return [...redirected, ...operandsWritten(command)]
    .map((operand) => targetPath(operand, command))
    .filter((path) => path !== undefined);
}

function operandsWritten(command: ShellCommand): string[] {
  const { name, args } = command;
  const { options, operands } = splitArguments(args);
  if (OPERANDS_ARE_WRITTEN.has(name)) return operands;
  if (name === 'mv') return operands;
  if (LAST_IS_WRITTEN.has(name)) return operands.slice(-1);
  if (name === 'dd') return args.filter((arg) => arg.startsWith('of=')).map((arg) => arg.slice(3));
  if ((name === 'sed' || name === 'perl') && hasAny(options, 'i', 'in-place')) return operands;
  if (name === 'curl' || name === 'wget') return optionValues(args, ['-o', '-O', '--output', '--output-document']);
  return [];
}

/** The words that follow one of these options. */
function optionValues(args: readonly string[], names: readonly string[]): string[] {
  return args.filter((_, index) => names.includes(args[index - 1] ?? ''));
}

/** Disks and their partitions, in the names of Linux, macOS and the BSDs. */
export function isBlockDevice(path: string): boolean {
  return /^\/dev\/(?:r?disk|[shv]d[a-z]|xvd[a-z]|nvme\d|mmcblk|md\d|dm-|mapper\/|loop\d|sr\d|zd\d|nbd\d|ada\d|da\d|disk\/by-)/.test(
    path,
  );
}

const TOP_LEVEL = new Set(
  ['', 'home', 'Users', 'root', 'etc', 'usr', 'bin', 'sbin', 'lib', 'lib64', 'boot', 'var', 'opt', 'dev', 'sys', 'proc']
    .concat(['System', 'Library', 'Applications', 'srv', 'private'])
    .map((name) => `/${name}`),
);

/** A folder whose loss is the loss of the machine or of all the user has. */
export function isRootOrHome(path: string, facts: Facts): boolean {
  return TOP_LEVEL.has(path) || path === facts.home || /^\/(?:home|Users)\/[^/]+$/.test(path);
}
