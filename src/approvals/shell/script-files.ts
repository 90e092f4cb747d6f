import { join, resolve } from 'node:path';
import { chosenSystems } from './chosen-system.ts';
import { filesFetchedBy, isUnpacked, NETWORK, noteFetched, runsFetched } from './fetched-files.ts';
import { noteOwnFiles } from './own-call.ts';
import { sedScripts } from './hidden-commands.ts';
import { isAwk } from './read-code.ts';
import { readSedScript } from './sed-script.ts';
import { staticOutput } from './static-output.ts';
import type { CommandContext } from './read-command.ts';
import type { ReaderPosition, Reader, WrittenFile } from './reader.ts';
import { executableName, optionValues, type Source, splitArguments } from './shell-command.ts';
import { SHELLS } from './wrappers.ts';

/** Programs that decode or decompress data. */
export const DECODERS: ReadonlySet<string> = new Set(
  [
    'base64 base32 basenc xxd openssl uudecode rev tr gunzip zcat gzip xz xzcat bzip2 bzcat zstd zstdcat gpg age',
    'od hexdump steghide',
  ].flatMap((line) => line.split(' ')),
);
/** Programs that print or assemble text, whose output is not meant to be executed. */
const TEXT_TOOLS: ReadonlySet<string> = new Set(
  [
    'cat head tail tac sed awk gawk cut grep sort strings jq dd printf echo paste tee xclip xsel pbpaste unzip',
    'tar git psql mysql sqlite3 python python3',
  ].flatMap((line) => line.split(' ')),
);
/** Interpreters and their options that take code as an argument. */
const INTERPRETERS: readonly { names: RegExp; option: RegExp }[] = [
  { names: /^(?:python[\d.]*|pypy\d?|ipython\d?|jython|micropython)$/, option: /^-[a-zA-Z]*c(.*)$/ },
  { names: /^(?:perl|ruby|irb|jruby)[\d.]*$/, option: /^-[a-zA-Z\d]*?[eE](.*)$/ },
  { names: /^(?:node|nodejs|tsx|ts-node|bun)$/, option: /^(?:-[a-z]*[ep]|--eval=?|--print=?)(.*)$/ },
  { names: /^deno$/, option: /^eval()$/ },
  { names: /^php[\d.]*$/, option: /^(?:-r|--(?:run|execute)=?)(.*)$/ },
  { names: /^mix$/, option: /^(?:-e|--eval=?)(.*)$/ },
  { names: /^(?:rails|spring)$/, option: /^(?:runner|r)()$/ },
  {
    names: /^(?:lua|luajit|julia|octave(?:-cli)?|R|Rscript|elixir|groovy|scala|racket|ghc|osascript|guile)[\d.]*$/,
    option: /^(?:-[eE]|-c|--eval=?|--expr=?)(.*)$/,
  },
  { names: /^(?:emacs|emacsclient|sbcl|clisp|ecl)$/, option: /^(?:-eval|--eval=?|-f)(.*)$/ },
  { names: /^erl$/, option: /^-eval()$/ },
  { names: /^(?:pwsh|powershell)(?:\.exe)?$/i, option: /^-(?:c|command|e|ec|enc|encodedcommand)()$/i },
  { names: /^(?:tclsh|wish)[\d.]*$/, option: /^-c(.*)$/ },
  {
    names:
      /^(?:runghc|runhaskell|ghci|kotlinc?|clojure|clj|bb|jshell|swift|gnuplot|qjs|csi|zx|scala-cli|amm|raku|janet|fennel|hy|gjs|d8|bpftrace|m4|jbang|dotnet-script|nix-instantiate)$/,
    option: /^(?:-[eEc]|--eval=?|--expr=?|eval)(.*)$/,
  },
  { names: /^nix$/, option: /^--expr=?(.*)$/ },
  { names: /^crystal$/, option: /^eval()$/ },
];

/**
 * The origin of code that a command executes and the same line produced: a file that the line wrote, or the output of
 * a substitution.
 */
export function findRun(
  reader: Reader,
  name: string,
  word: string,
  args: readonly string[],
  around: CommandContext,
): WrittenFile | undefined {
  const runs = SHELLS.has(name) || isInterpreter(name) || ['source', '.', 'eval', 'exec'].includes(name);
  const operand =
    name === 'direnv' ? '.envrc' : runs ? splitArguments(args).operands[0] : word.includes('/') ? word : undefined;
  const input = runs ? around.redirects.find(({ operator }) => operator === '<')?.target : undefined;
  const file = [operand, input].flatMap((path) =>
    path === undefined ? [] : (reader.files.get(resolve(around.directory, path)) ?? []),
  )[0];
  if (file !== undefined) return file;
  if (runsFetched(reader, name, args, around)) return { origin: 'network', text: undefined };
  // A script without a folder in its path probably existed before.
  if (operand?.includes('/') && isUnpacked(reader, resolve(around.directory, operand)))
    return { origin: 'network', text: undefined };
  const takes =
    (SHELLS.has(name) || name === 'source' || name === '.' || name === 'eval') && takesSubstitution(name, args, input);
  return takes ? { origin: originOf(around.fedBy), text: undefined } : undefined;
}

/** Whether the script to execute is a process or command substitution. */
function takesSubstitution(name: string, args: readonly string[], input: string | undefined): boolean {
  const given = [...args, input ?? ''];
  return (
    given.some((arg) => arg.startsWith('<(')) ||
    (name === 'eval' ? given : args.filter((_, index) => /^-[a-z]*c$/.test(args[index - 1] ?? ''))).some((arg) =>
      /^\s*(?:\$\(|`)/.test(arg),
    )
  );
}

function originOf(sources: readonly Source[]): WrittenFile['origin'] {
  const names = sources.map(({ name }) => name);
  if (names.some((name) => NETWORK.has(name))) return 'network';
  if (names.some((name) => DECODERS.has(name))) return 'decoder';
  const prints = sources.some(
    ({ name, args }) => TEXT_TOOLS.has(name) && !args.some((arg) => /^(?:completion|completions)$/.test(arg)),
  );
  return prints ? 'text-tool' : undefined;
}

/** Records how a command affects the following ones: directory, variables, aliases, and files it writes. */
export function noteEffects(
  reader: Reader,
  name: string,
  args: readonly string[],
  around: CommandContext,
  place: ReaderPosition,
): void {
  switch (name) {
    case 'cd':
    case 'pushd': {
      const named = args.find((arg) => !/^-./.test(arg)) ?? reader.start.home;
      const target = inSearchPath(named, around, place);
      if (!/[$`]/.test(target)) changeDirectory(place, target === '-' ? place.variables.get('OLDPWD') : target);
      break;
    }
    case 'popd':
      changeDirectory(place, place.variables.get('OLDPWD'));
      break;
    case 'set':
      if (args.includes('--')) setPositional(place, args.slice(args.indexOf('--') + 1));
      break;
    case 'alias':
      for (const arg of args) {
        const [, alias, value] = /^([^=]+)=(.*)$/s.exec(arg) ?? [];
        if (alias !== undefined && value !== undefined) reader.aliases.set(alias, value);
      }
      break;
    case 'read':
      readVariables(reader, args, around.input, place);
      noteInput(reader, args, around);
      break;
    case 'mapfile':
    case 'readarray':
      noteInput(reader, args, around);
      break;
    case 'printf':
      if (args[0] === '-v' && args[1] !== undefined) {
        reader.literals.delete(args[1]);
        place.variables.set(args[1], staticOutput('printf', args.slice(2), undefined) ?? '');
      }
      break;
  }
  for (const system of chosenSystems(name, args)) {
    const variable = system.slice(0, system.indexOf('=') + 1);
    reader.systems = [...reader.systems.filter((one) => !one.startsWith(variable)), system];
  }
  noteFiles(reader, name, args, around);
  noteOwnFiles(reader, name, args, place);
}

/** `read line < file`: the variables hold what the input contains. */
function noteInput(reader: Reader, args: readonly string[], { fedBy, redirects, directory }: CommandContext): void {
  const files = redirects.filter(({ operator }) => operator === '<').map(({ target }) => target);
  const sources = files.length > 0 ? [...fedBy, { name: 'cat', args: files, directory }] : fedBy;
  if (sources.length > 0) for (const name of args) if (/^[A-Za-z_]\w*$/.test(name)) reader.printed.set(name, sources);
}

/** `CDPATH=~ cd .ssh`: the folder in which the shell looks for a relative one. */
function inSearchPath(target: string, { variables }: CommandContext, place: ReaderPosition): string {
  const own = variables.find((one) => one.startsWith('CDPATH='))?.slice('CDPATH='.length);
  const [first = ''] = (own ?? place.variables.get('CDPATH') ?? '').split(':');
  return first === '' || /^(?:[~/]|\.{1,2}(?:\/|$)|-$)/.test(target) ? target : `${first}/${target}`;
}

function changeDirectory(place: ReaderPosition, target: string | undefined): void {
  if (target === undefined) return;
  const before = place.directory;
  place.directory = resolve(before, target);
  place.variables.set('OLDPWD', before);
}

function setPositional(place: ReaderPosition, values: readonly string[]): void {
  for (const [index, value] of values.entries()) place.variables.set(String(index + 1), value);
  place.variables.set('@', values.join(' '));
  place.variables.set('*', values.join(' '));
}

function readVariables(
  reader: Reader,
  args: readonly string[],
  input: string | undefined,
  place: ReaderPosition,
): void {
  const names = args.filter((arg) => /^[A-Za-z_]\w*$/.test(arg));
  const fields = (input ?? '').trim().split(/\s+/);
  for (const [index, name] of names.entries()) {
    reader.assigned.add(name);
    reader.literals.delete(name);
    // A value read from unknown input is unknown.
    if (input === undefined) place.variables.delete(name);
    else place.variables.set(name, index === names.length - 1 ? fields.slice(index).join(' ') : (fields[index] ?? ''));
  }
}

/** Records what the line writes into files, so that executing one of them later can be judged. */
function noteFiles(reader: Reader, name: string, args: readonly string[], around: CommandContext): void {
  const origin = originOf([...around.fedBy, { name, args, directory: around.directory }]);
  const text = staticOutput(name, args, around.input) ?? (name === 'tee' || name === 'cat' ? around.input : undefined);
  const fetched = filesFetchedBy(name, args);
  const redirects = around.redirects.filter(({ operator }) => /^(?:>|>>|>\||&>)$/.test(operator));
  const redirected = redirects.map(({ target }) => target);
  const appends =
    redirects.some(({ operator }) => operator === '>>') ||
    (name === 'tee' && /^(?:-\w*a|--append)/.test(args[0] ?? ''));
  const written = name === 'tee' || name === 'sponge' ? splitArguments(args).operands : [];
  const decoded = DECODERS.has(name) ? optionValues(args, /^(?:-o|-out|--output=?)(.*)$/) : [];
  for (const target of [...redirected, ...written, ...fetched, ...decoded]) {
    const path = resolve(around.directory, target);
    if (origin !== undefined || text !== undefined)
      reader.files.set(path, {
        origin: text === undefined ? origin : originOf(around.fedBy) === 'network' ? 'network' : undefined,
        text: appends && text !== undefined ? textBefore(reader, path) + text : text,
      });
  }
  for (const [target, content] of filesWrittenBy(name, args, around))
    reader.files.set(resolve(around.directory, target), { origin: undefined, text: content });
  noteFetched(reader, name, args, around);
  if (COPIERS.has(name)) copyFileInfo(reader, args, around.directory);
}

/** Files that a program writes without a redirect, with their text as far as it is in the line. */
function filesWrittenBy(name: string, args: readonly string[], { input }: CommandContext): [string, string][] {
  if (isInterpreter(name) || isAwk(name))
    return filesWrittenByCode(isAwk(name) ? args.join('\n') : codeGiven(name, args, input));
  const [, hooks] =
    /^config (?:--\S+ )*(?:set )?core\.hookspath (\S+)$/i.exec(name === 'git' ? args.join(' ') : '') ?? [];
  if (hooks !== undefined) return [['.git/config', `[core]\n\thooksPath = ${hooks}`]];
  if (input === undefined) return [];
  const { operands } = splitArguments(args);
  const targets =
    name === 'dd'
      ? args.flatMap((arg) => /^of=(.+)$/.exec(arg)?.[1] ?? [])
      : /^(?:cp|install)$/.test(name) && operands.some(isInput)
        ? operands.slice(-1)
        : name === 'sed' || name === 'gsed'
          ? sedScripts(args).flatMap((script) => readSedScript(script).written)
          : [];
  return targets.map((target) => [target, input]);
}

const WRITES = /\b(?:write\w*|print|puts|dump|copy\w*|rename\w*|spit)\b|>/;
const LITERAL = /(["'`])((?:\\[\s\S]|(?!\1)[^\\]){1,2000})\1/g;

/** The texts in code that writes a file: each of its file names may get any of its other strings. */
function filesWrittenByCode(code: string | undefined): [string, string][] {
  if (code === undefined || code.length > 20_000 || !WRITES.test(code)) return [];
  const texts = [...code.matchAll(LITERAL)].map((found) =>
    // Perl writes the mode in front of the name.
    unescaped(found[2] ?? '').replace(/^\+?>>?\s*(?=[\w./~-]+$)/, ''),
  );
  const isFile = (text: string) => /^[\w./~-]{2,200}$/.test(text) && /[./]/.test(text);
  const content = texts.filter((text) => !isFile(text) && /\s/.test(text.trim())).join('\n');
  return content === '' ? [] : texts.filter(isFile).map((file) => [file, content]);
}

const unescaped = (text: string) =>
  text.replace(/\\([\s\S])/g, (_, letter: string) => ({ n: '\n', t: '\t' })[letter] ?? letter);

/** What a file contains before the line appends to it. */
function textBefore(reader: Reader, path: string): string {
  const text = (reader.files.get(path) ?? reader.start.scripts?.read(path))?.text ?? '';
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

const COPIERS = new Set(['cp', 'mv', 'ln', 'install']);
function copyFileInfo(reader: Reader, args: readonly string[], directory: string): void {
  const [from = '', to = ''] = splitArguments(args).operands;
  const known = reader.files.get(resolve(directory, from));
  const target = resolve(directory, to);
  if (known !== undefined) reader.files.set(target, known);
  else
    for (const path of [target, join(target, executableName(from))]) reader.copied.set(path, resolve(directory, from));
}

export function isInterpreter(name: string): boolean {
  return INTERPRETERS.some(({ names }) => names.test(name));
}

/** `rails console`, `manage.py shell`, `artisan tinker`: they run the code on their stdin. */
function isConsole(name: string, args: readonly string[]): boolean {
  if (name === 'rails') return /^(?:console|c)$/.test(args[0] ?? '');
  return args.some((arg, index) => index > 0 && /^(?:shell|shell_plus|tinker|console)$/.test(arg));
}

/** Programs that compile and run, or only compile, what they are given. */
const COMPILERS = /^(?:go|gcc|g\+\+|cc|c\+\+|clang(?:\+\+)?|tcc|zig|rustc|rust-script|dmd|ldc2|nim|crystal|v)$/;
const isInput = (arg: string) => /^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/.test(arg);

/** The code in the arguments, or on stdin if no file is named. */
export function codeGiven(name: string, args: readonly string[], input: string | undefined): string | undefined {
  const language = INTERPRETERS.find(({ names }) => names.test(name));
  if (language === undefined) return COMPILERS.test(name) && args.some(isInput) ? input : undefined;
  const at = args.findIndex((arg) => language.option.test(arg) && !/^-(?!Command$)[MImrxCFl].{4,}/.test(arg));
  if (at >= 0) {
    const attached = language.option.exec(args[at] ?? '')?.[1] ?? '';
    return [attached, ...args.slice(at + 1)].join('\n');
  }
  const timed = args.indexOf('timeit');
  if (timed > 0 && args[timed - 1] === '-m') return args.slice(timed + 1).join('\n');
  const file = args.find((arg) => !arg.startsWith('-'));
  const readsInput = file === undefined || args.some(isInput) || file.startsWith('<(') || isConsole(name, args);
  return readsInput ? input : undefined;
}
