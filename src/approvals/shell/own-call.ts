import { resolve } from 'node:path';
import { isStartingFile } from '../own-program/own-files.ts';
import { isOwnName, type OwnProgram } from '../own-program/own-program.ts';
import type { Reader, ReaderPosition } from './reader.ts';
import { executableName, type ShellCommand, splitArguments } from './shell-command.ts';
import { isComputed } from './words.ts';

/** Programs that run a JavaScript or Python file. */
const RUNTIMES = /^(?:node|nodejs|bun|deno|tsx|ts-node|jiti|esno|python[\d.]*)$/;
/** Package managers that run an installed program by its name. */
const PACKAGE_MANAGERS = new Set(['pnpm', 'yarn']);
/** Programs that give a file another name. */
const COPIERS = new Set(['ln', 'cp', 'mv', 'install', 'rsync']);

/** Options of runtimes that take the next word as their value. */
const TAKES_VALUE =
  /^(?:-[rCWXc]|--(?:require|import|loader|experimental-loader|conditions|env-file|config|import-map|preload|cwd|tsconfig|title))$/;
/** Longer words are not paths. */
const MAX_WORD = 500;

type Place = Pick<ReaderPosition, 'directory' | 'variables' | 'remote'>;

/** The arguments with which these words start Hermes itself; undefined if they start another program. */
export function ownArguments(
  reader: Reader,
  words: readonly string[],
  { statement }: Pick<ShellCommand, 'statement'>,
  place: Place,
): readonly string[] | undefined {
  const [word = '', ...args] = words;
  if (startsOwn(reader, word, place)) return args;
  const [first = '', ...rest] = args;
  if (PACKAGE_MANAGERS.has(executableName(word)) && isOwnName(first)) return rest;
  if (!RUNTIMES.test(executableName(word))) return undefined;
  // `find -name hermes.js -exec node {}`: the file that is found is run.
  if (args[0] === '{}' && /\bhermes(?:\.[cm]?js)?(?![\w/-])/.test(statement)) return args.slice(1);
  return runtimeArguments(reader, args, place);
}

function startsOwn(reader: Reader, word: string, place: Place): boolean {
  if (word === '' || isComputed(word)) return false;
  if (isOwnName(word)) return true;
  const program = localProgram(reader, place);
  if (word.includes('/')) return isOwnPath(reader, word, place);
  for (const path of reader.ownFiles) if (executableName(path) === word) return true;
  const { isDangerous, isHarmless } = reader.start;
  if (program === undefined || isHarmless(word) || isDangerous(word)) return false;
  return program.isOwnOnPath(word, place.variables.get('PATH') ?? process.env['PATH'] ?? '');
}

/** The paths of other machines say nothing about this one. */
function localProgram(reader: Reader, { remote }: Place): OwnProgram | undefined {
  return remote === undefined ? reader.start.program : undefined;
}

function isOwnPath(reader: Reader, word: string, place: Place): boolean {
  const path = resolve(place.directory, word);
  return reader.ownFiles.has(path) || localProgram(reader, place)?.isOwnFile(path) === true;
}

/** The arguments after the file that a runtime runs. Files that it loads before also count. */
function runtimeArguments(reader: Reader, args: readonly string[], place: Place): readonly string[] | undefined {
  for (const [index, arg] of args.entries()) {
    // Inline code is run instead of a file; it is judged as code.
    if (/^(?:-[a-z]*[epc]|-m|--eval|--print|eval)$/.test(arg)) return undefined;
    const loaded = /^--(?:import|require|loader|experimental-loader)=(.+)$/.exec(arg)?.[1];
    const file = loaded ?? arg;
    const isOption = loaded === undefined && arg.startsWith('-');
    if (!isOption && isOwnProgramFile(reader, file, place)) return args.slice(index + 1);
    if (!isOption && arg !== 'run' && !TAKES_VALUE.test(args[index - 1] ?? '')) return undefined;
  }
  return undefined;
}

function isOwnProgramFile(reader: Reader, file: string, place: Place): boolean {
  // The output of a substitution such as `$(readlink -f $(which hermes))` is unknown, but not what it is about.
  if (isComputed(file)) return file.length < MAX_WORD && /\bhermes(?![\w/])/.test(file);
  if (isOwnName(file.replace(/^npm:/, ''))) return true;
  return /[./]/.test(file) && (isStartingFile(resolve(place.directory, file)) || isOwnPath(reader, file, place));
}

/** Records the files that the command line turns into another name of Hermes. */
export function noteOwnFiles(reader: Reader, name: string, args: readonly string[], place: Place): void {
  if (name === 'hash' && args[0] === '-p' && isOwnSource(reader, args[1] ?? '', place))
    reader.ownFiles.add(resolve(place.directory, args[2] ?? ''));
  if (!COPIERS.has(name)) return;
  const { operands } = splitArguments(args);
  const sources = operands.length === 1 ? operands : operands.slice(0, -1);
  const target = operands.length === 1 ? '.' : (operands.at(-1) ?? '');
  for (const source of sources) {
    if (!isOwnSource(reader, source, place)) continue;
    reader.ownFiles.add(resolve(place.directory, target));
    reader.ownFiles.add(resolve(place.directory, target, executableName(source)));
  }
}

function isOwnSource(reader: Reader, source: string, place: Place): boolean {
  return isOwnProgramFile(reader, source, place) || (!isComputed(source) && isOwnPath(reader, source, place));
}
