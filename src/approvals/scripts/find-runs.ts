import { dirname, join, resolve } from 'node:path';
import { codeGiven, isInterpreter } from '../shell/script-files.ts';
import { executableName, optionValues, type ShellRedirect, type Source } from '../shell/shell-command.ts';
import { globSource, hasGlob, isComputed } from '../shell/words.ts';
import { SHELLS } from '../shell/wrappers.ts';
import { gitHooks } from './git-hooks.ts';
import { importedRuns, sourceRuns } from './loaded-files.ts';
import { makeRuns } from './makefile.ts';
import { packageRuns } from './package-scripts.ts';
import type { ScriptDisk, ScriptFile } from './script-disk.ts';
import { addedText, isNewIn, type ScriptRun } from './script-run.ts';
import { taskRuns } from './task-files.ts';

/** A command as far as it decides which files it runs. */
export type RunningCommand = {
  word: string;
  name: string;
  args: readonly string[];
  redirects: readonly ShellRedirect[];
  fedBy: readonly Source[];
  directory: string;
  /** The known text on its input. */
  input: string | undefined;
  /** The file that contains the command. */
  program: string | undefined;
  /** All words of the statement, including those of `find` and other wrappers. */
  statement: string;
};

/** Installed programs and tool chains. Their scripts are read only if they were changed in this session. */
const INSTALLED =
  /^\/(?:usr|bin|sbin|lib|lib64|opt|nix|snap|etc|System|Library)\/|\/node_modules\/|\/(?:\.venv|venv|site-packages)\/|\/\.(?:nvm|pyenv|rbenv|sdkman|cargo|rustup|asdf|volta|bun|deno|nix-profile|local\/share|local\/pipx|oh-my-zsh)\//;
/** Programs that run SQL, and their options that name a file. */
const SQL_FILE: Readonly<Record<string, RegExp>> = {
  psql: /^(?:-f|--file=?)(.*)$/,
  sqlite3: /^-init()$/,
  sqlcmd: /^-i(.*)$/,
  'clickhouse-client': /^--queries-file=?(.*)$/,
  duckdb: /^(?:-f|-init)()$/,
  mysql: /^--init-file=?(.*)$/,
  mariadb: /^--init-file=?(.*)$/,
  cockroach: /^(?:-f|--file=?)(.*)$/,
  mysqlsh: /^(?:-f|--file=?)(.*)$/,
  mongosh: /^(?:-f|--file=?)(.*)$/,
};
/** Commands of SQL clients that run another file. */
const SQL_INCLUDE = /(?:^|[;\n])\s*(?:\.read|\\ir?|\\include(?:_relative)?|\\\.|source)\s+['"]?([^\s'";]+)/gi;

/** The files that a command runs, with their text. */
export function findRuns(disk: ScriptDisk, command: RunningCommand): ScriptRun[] {
  const { name, args } = command;
  if (SHELLS.has(name)) return [...shellRuns(disk, command), ...inputRuns(disk, command)];
  if (name === 'source' || name === '.') return sourcedRun(disk, command);
  if (Object.hasOwn(SQL_FILE, name)) return sqlRuns(disk, command);
  if (isInterpreter(name)) {
    const scripts = /^(?:node|bun|deno)$/.test(name) ? packageRuns(disk, command) : [];
    return [...interpreterRuns(disk, command), ...scripts, ...inputRuns(disk, command)];
  }
  switch (name) {
    case 'git':
      return gitHooks(disk, command);
    case 'make':
    case 'gmake':
      return makeRuns(disk, command);
    case 'just':
    case 'task':
    case 'go-task':
      return taskRuns(disk, command);
    case 'npm':
    case 'pnpm':
    case 'yarn':
    case 'composer':
    case 'run-s':
    case 'run-p':
    case 'npm-run-all':
    case 'concurrently':
      return packageRuns(disk, command);
    case 'eval':
    case 'parallel':
      return inputRuns(disk, command);
    case 'run-parts':
      return filesOf(disk, command, [`${args.findLast((arg) => !arg.startsWith('-')) ?? ''}/*`]).map((file) =>
        scriptOf(file),
      );
    case 'direnv':
      return /^(?:allow|permit|grant|reload|exec)$/.test(args[0] ?? '')
        ? sourcedRun(disk, { ...command, args: ['.envrc'] })
        : [];
    case 'crontab':
      return crontabRuns(disk, command);
    case 'at':
    case 'batch':
      return [
        ...filesOf(disk, command, optionValues(args, /^-f(.*)$/)).map((file) => scriptOf(file)),
        ...inputRuns(disk, command),
      ];
    case 'awk':
    case 'gawk':
    case 'mawk':
    case 'sed':
      return filesOf(disk, command, optionValues(args, /^(?:-f|--file=?)(.*)$/)).flatMap((file) =>
        codeOf(file, [name, '-e']),
      );
    default:
      if (RUNNERS.has(name) || /^[\w.-]+\.py$/.test(command.word)) return namedRuns(disk, command);
      return command.word.includes('/') ? executedRun(disk, command) : sourceRuns(disk, command);
  }
}

/** Programs that print files or parts of them. */
const PRINTERS = new Set('cat head tail tac sed grep awk tee'.split(' '));
/** Programs that start a file of a language again and again, or in the background. */
const RUNNERS = new Set(['nodemon', 'pm2', 'forever', 'ts-node-dev']);
const MAX_FILES = 20;

/** The files that a pattern in the last part of a path matches. */
function expandPattern(disk: ScriptDisk, directory: string, name: string): string[] {
  if (!hasGlob(name) || isComputed(name)) return [name];
  const path = resolve(directory, name);
  const last = executableName(path);
  if (hasGlob(dirname(path)) || last.length > 40) return [];
  const matches = new RegExp(`^(?:${globSource(last)})$`);
  return disk
    .list(dirname(path))
    .filter((one) => matches.test(one) && (!one.startsWith('.') || last.startsWith('.')))
    .slice(0, MAX_FILES)
    .map((one) => join(dirname(path), one));
}

/** Reads files by the names that the command uses for them. */
function filesOf(
  disk: ScriptDisk,
  { directory }: Pick<RunningCommand, 'directory'>,
  names: readonly string[],
): ScriptFile[] {
  return names
    .flatMap((name) => expandPattern(disk, directory, name))
    .flatMap((name) => readScript(disk, directory, name) ?? []);
}

function readScript(disk: ScriptDisk, directory: string, name: string): ScriptFile | undefined {
  if (name === '' || name === '-' || isComputed(name) || name.startsWith('<(') || /^\/dev\/(?!shm\/)/.test(name))
    return undefined;
  const file = disk.read(resolve(directory, name));
  return file !== undefined && INSTALLED.test(file.path) && !file.isChanged ? undefined : file;
}

function scriptOf(file: ScriptFile, parameters: readonly string[] = []): ScriptRun {
  return { file, key: `${file.path} ${parameters.join(' ')}`, isNew: isNewIn(file), script: file.text, parameters };
}

/** Options of shells that take the next word as their value. */
const SHELL_VALUES = new Set(['-o', '+o', '-O', '+O', '--rcfile', '--init-file']);

function shellRuns(disk: ScriptDisk, command: RunningCommand): ScriptRun[] {
  const { args } = command;
  const startup = filesOf(disk, command, optionValues(args, /^--(?:rcfile|init-file)=?(.*)$/)).map((file) =>
    scriptOf(file),
  );
  let at = 0;
  while (/^[-+]./.test(args[at] ?? '')) {
    const arg = args[at] ?? '';
    if (/^-[a-zA-Z]*[cs][a-zA-Z]*$/.test(arg)) return startup;
    at += SHELL_VALUES.has(arg) ? 2 : 1;
    if (arg === '--') break;
  }
  const named = args[at] === undefined || args[at] === '{}' ? listedFiles(command) : args.slice(at, at + 1);
  const files = filesOf(disk, command, named);
  return [...startup, ...files.map((file) => scriptOf(file, args.slice(at + 1)))];
}

/** The files in `ls *.sh | xargs bash` and `find scripts -name '*.sh' -exec bash {}`, without subfolders. */
function listedFiles({ statement, fedBy }: RunningCommand): string[] {
  const words = statement.split(' ').map((word) => word.replace(/^'(.*)'$/, '$1'));
  const searches = [...fedBy.map(({ name, args }) => [name, ...args]), words].filter(([name]) => name === 'find');
  const found = searches.flatMap((search) => {
    const pattern = search[search.findIndex((word) => /^-i?name$/.test(word)) + 1];
    return pattern === undefined || pattern === 'find'
      ? []
      : [join((search[1] ?? '-').startsWith('-') ? '.' : (search[1] ?? '.'), pattern)];
  });
  const listed = fedBy
    .filter(({ name }) => name === 'ls' || name === 'echo')
    .flatMap(({ args }) => args.filter((arg) => !arg.startsWith('-')));
  return words.includes('xargs') || words.includes('{}') ? [...found, ...listed] : [];
}

function sourcedRun(disk: ScriptDisk, { args, directory }: RunningCommand): ScriptRun[] {
  const file = readScript(disk, directory, args[0] ?? '');
  return file === undefined ? [] : [{ ...scriptOf(file, args.slice(1)), isSourced: true }];
}

/** A file that is run by its path. Its first line names the interpreter; without one a shell runs it. */
function executedRun(disk: ScriptDisk, { word, args, directory }: RunningCommand): ScriptRun[] {
  const file = readScript(disk, directory, word);
  if (file === undefined) return [];
  const interpreter = interpreterOf(file.text);
  if (interpreter === undefined || SHELLS.has(interpreter)) return [scriptOf(file, args)];
  return isInterpreter(interpreter) ? codeRuns(file, interpreter) : [];
}

/** The interpreter in `#!/usr/bin/env -S python3 -u`. */
export function interpreterOf(text: string): string | undefined {
  const [first = '', ...words] = (/^#!\s*(\S.*)/.exec(text)?.[1] ?? '').split(/\s+/);
  if (executableName(first) !== 'env') return first === '' ? undefined : executableName(first);
  return executableName(words.find((word) => !word.startsWith('-') && !word.includes('=')) ?? '');
}

/** `nodemon x.js`, `uv run x.py`: the extension tells the language. */
function namedRuns(disk: ScriptDisk, command: RunningCommand): ScriptRun[] {
  const names = [command.word, ...command.args].filter((word) => /\.(?:[cm]?[jt]s|py)$/.test(word)).slice(0, 1);
  return filesOf(disk, command, names).flatMap((file) =>
    codeRuns(file, file.path.endsWith('.py') ? 'python3' : 'node'),
  );
}

/** Modules that are loaded before the program: `node -r ./x.js`, `ruby -r./x`, and `python -m x`. */
function moduleRuns(disk: ScriptDisk, command: RunningCommand): ScriptRun[] {
  const { name, args } = command;
  if (name.startsWith('py')) {
    const modules = optionValues(args, /^-m(.*)$/).map((one) => one.replaceAll('.', '/'));
    const files = filesOf(
      disk,
      command,
      modules.flatMap((one) => [`${one}.py`, `${one}/__main__.py`, `${one}/__init__.py`]),
    );
    const tests = /^(?:pytest|unittest)$/.test(modules[0] ?? '')
      ? sourceRuns(disk, { ...command, name: 'pytest', args: args.slice(args.indexOf('-m') + 2) })
      : [];
    return [...files.flatMap((file) => codeRuns(file, name)), ...tests];
  }
  if (!/^(?:node|nodejs|bun|tsx|ts-node|ruby)$/.test(name)) return [];
  const loaded = optionValues(args, /^(?:-r|--(?:require|import|preload)=?)(.*)$/).filter((one) => one.includes('/'));
  return filesOf(
    disk,
    command,
    loaded.flatMap((one) => [one, `${one}.${name === 'ruby' ? 'rb' : 'js'}`]),
  ).flatMap((file) => codeRuns(file, name));
}

function interpreterRuns(disk: ScriptDisk, command: RunningCommand): ScriptRun[] {
  const { name, args, input } = command;
  const code = codeGiven(name, args, input);
  const imported = code === undefined ? [] : importedRuns(disk, command, code, [name, codeOption(name)]);
  return [...imported, ...moduleRuns(disk, command), ...programRuns(disk, command)];
}

function programRuns(disk: ScriptDisk, { name, args, directory }: RunningCommand): ScriptRun[] {
  for (const [index, arg] of args.entries()) {
    // Inline code and modules are run instead of a file.
    if (/^(?:-c|-e|-m|-E|--eval|-p|--print|-r)$/.test(arg) && !(arg === '-r' && /^(?:node|bun|tsx|ruby)/.test(name)))
      return [];
    if (arg.startsWith('-') || (index === 0 && /^(?:run|eval)$/.test(arg))) continue;
    const file = readScript(disk, directory, arg);
    // A word that is not a file may be the value of an option.
    if (file !== undefined) return codeRuns(file, name);
    if (!(args[index - 1] ?? '-').startsWith('-')) return [];
  }
  return [];
}

/** The option with which an interpreter takes code as an argument. */
function codeOption(name: string): string {
  if (/^py|^ipython|^jython|^tcl|^wish/.test(name)) return '-c';
  if (name === 'deno') return 'eval';
  return name.startsWith('php') ? '-r' : '-e';
}

function codeRuns(file: ScriptFile, name: string): ScriptRun[] {
  return codeOf(file, [name, codeOption(name)]);
}

/** The whole code of a file, and separately what was added in this session, which is judged more strictly. */
function codeOf(file: ScriptFile, words: readonly string[]): ScriptRun[] {
  const added = addedText(file);
  const run = (text: string, isNew: boolean): ScriptRun => ({
    file,
    key: `${file.path} ${isNew ? 'added' : 'whole'}`,
    isNew: () => isNew,
    words: [...words, withoutComments(text)],
  });
  if (added === '') return [run(file.text, false)];
  return added === file.text ? [run(added, true)] : [run(file.text, false), run(added, true)];
}

/** Comments are not executed, and mention what the code is about. Only whole lines are removed. */
function withoutComments(text: string): string {
  return text.replace(/^\s*(?:#(?!!).*|\/\/.*)$/gm, '').replace(/^\s*\/\*[\s\S]*?\*\//gm, '');
}

/** Programs besides shells that run their input, or their arguments, as a script. */
const RUNS_INPUT = new Set(['at', 'batch', 'eval', 'parallel']);

/** A file on stdin: `bash < x`, `mysql db < x.sql`. */
function inputRuns(disk: ScriptDisk, command: RunningCommand): ScriptRun[] {
  return inputFiles(disk, command).flatMap((file): ScriptRun[] => {
    if (SHELLS.has(command.name) || RUNS_INPUT.has(command.name)) return [scriptOf(file)];
    const hasCode = command.args.some((arg) => !arg.startsWith('-') || /^-[a-zA-Z]*[ceEm]$/.test(arg));
    return hasCode ? [] : codeRuns(file, command.name);
  });
}

/** Files that a redirect or `cat FILE |` passes to the command. */
function inputFiles(disk: ScriptDisk, command: RunningCommand): ScriptFile[] {
  const redirected = command.redirects.filter(({ operator }) => operator === '<').map(({ target }) => target);
  const piped = command.fedBy
    .filter(({ name }) => PRINTERS.has(name))
    .flatMap(({ args, directory }) => args.filter((arg) => !arg.startsWith('-')).map((arg) => resolve(directory, arg)));
  return filesOf(disk, command, [...redirected, ...piped]);
}

function sqlRuns(disk: ScriptDisk, command: RunningCommand): ScriptRun[] {
  const { name, args } = command;
  const named = optionValues(args, SQL_FILE[name] ?? /^$/);
  const included = args.flatMap((arg) => [...arg.matchAll(SQL_INCLUDE)].map((found) => found[1] ?? ''));
  const operands = name === 'mongosh' ? args.filter((arg) => /\.[cm]?js$/.test(arg)) : [];
  return [...filesOf(disk, command, [...named, ...included, ...operands]), ...inputFiles(disk, command)].map((file) => {
    const others = [...file.text.matchAll(SQL_INCLUDE)].map((found) => `.read ${found[1] ?? ''}`);
    return {
      file,
      key: `${file.path} sql`,
      isNew: isNewIn(file),
      words: [name, ...args.filter((arg) => !named.includes(arg) && !/^[-.\\]/.test(arg)).slice(0, 1), ...others],
      input: file.text,
    };
  });
}

/** The commands of a crontab file, without the fields for the time. */
function crontabRuns(disk: ScriptDisk, command: RunningCommand): ScriptRun[] {
  const names = command.args.filter((arg, index) => !arg.startsWith('-') && command.args[index - 1] !== '-u');
  return [...filesOf(disk, command, names), ...inputFiles(disk, command)].map((file) => ({
    ...scriptOf(file),
    script: file.text
      .split('\n')
      .filter((line) => !/^\s*(?:#|$|\w+\s*=)/.test(line))
      .map((line) => line.replace(/^\s*(?:@\w+|(?:\S+\s+){4}\S+)\s+/, ''))
      .join('\n'),
  }));
}
