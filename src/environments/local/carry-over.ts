import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markFolder, removeAbandonedFolders } from '../../util/index.ts';
import type { ExitTasks } from '../exit-tasks.ts';
import { commandScript, plainScript, shellFlags } from '../shell-script.ts';

/** Longer ones go through a file: the kernel takes no single argument of 128 KiB. */
const MAX_ARGUMENT_BYTES = 100_000;
/** A shell that leaves more behind than this has lost its way, and reading it back would hold up every call. */
const MAX_STATE_BYTES = 4 * 1024 * 1024;
const PREFIX = 'hermes-shell-';
/**
 * Words with which a command can change the shell that reads it, or that lead to other words that can. Any other first
 * word is a program, which cannot.
 */
const SHELL_WORDS: ReadonlySet<string> = new Set(
  [
    'alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown enable eval exec',
    'exit export fc fg getopts hash help history jobs let local logout mapfile popd printf pushd read readarray readonly',
    'return set shift shopt source suspend times trap typeset ulimit umask unalias unset wait . :',
    'case coproc do done elif else esac fi for function if in select then time until while',
  ]
    .join(' ')
    .split(' '),
);
/** Quoted text without expansions; it is replaced by one character. */
const QUOTED = /'[^']*'|"[^"$`\\!]*"/g;
/** What may follow a program's name: words, redirections, quotes, and variables that are only read. */
const ARGUMENTS = /^(?:[\w./:,@%+=~^?*[\]<> "-]|\$\w|>&)*$/;
const PROGRAM = /^[\w./+-]+(?= |$)/;
/**
 * Options that a command sets only for itself and that are not carried over. They would abort or flood the next
 * command: `set -euo pipefail` at the top of a script is not meant for the rest of the session.
 */
const OWN_OPTIONS: ReadonlySet<string> = new Set(
  'errexit errtrace functrace history monitor noexec notify nounset onecmd pipefail verbose xtrace'.split(' '),
);

/** How a shell is to be started so that it goes on where the last one ended. */
export type ShellCall = {
  /** Arguments of the shell. */
  args: string[];
  /** Its directory, and the variables that belong to this call; `whole` where they are to be the only ones. */
  directory: string;
  variables: { PWD: string; OLDPWD?: string };
  whole: boolean;
  /** Takes over what the shell left behind, unless it is not to count. Says where it was in the end, and if it told. */
  finish(counts: boolean): { directory: string; told: boolean };
};

/** What is carried from one shell to the next, in files that only the shells and we can see. */
export interface CarryOver {
  directory(): string;
  /** `keep: false` for one that only starts from here. */
  begin(command: string, options?: { directory?: string | undefined; keep?: boolean }): ShellCall;
  /** The folder of the files, made when it is first needed. */
  folder(): string;
  close(): void;
}

type Carried = {
  directory: string;
  previousDirectory: string;
  /** The state the first shell found, to which later ones are compared. */
  baseline: ShellState | undefined;
  /** Undefined as long as a new shell is just like it. */
  state: { file: string; text: Buffer; options: string } | undefined;
  shadowed: ReadonlySet<string>;
};

export type CarryOverOptions = {
  directory: string;
  shell: string;
  exitTasks: ExitTasks;
  /** Makes the folder, where it is to be in a certain place. */
  folder?: (() => string) | undefined;
};

export function createCarryOver(options: CarryOverOptions): CarryOver {
  const { shell } = options;
  const bash = shell.endsWith('bash');
  const flags = shellFlags(shell);
  const files = createFiles(options);
  const carried: Carried = {
    directory: options.directory,
    previousDirectory: '',
    baseline: undefined,
    state: undefined,
    shadowed: new Set(),
  };

  function shellArguments(command: string, plain: boolean, target?: string, baseline?: string): string[] {
    const { state } = carried;
    const parts = { bash, options: state?.options ?? '', source: state?.file, target, baseline };
    if (plain) return [...flags, '-c', plainScript(parts, command), shell];
    return [...flags, '-c', commandScript(parts, command), shell, files.asArgument(command)];
  }

  return {
    directory: () => carried.directory,
    begin(command, { directory, keep = true } = {}) {
      const start = directory ?? carried.directory;
      const plain = isPlainCommand(command, carried.shadowed);
      const target = keep && !plain ? files.next() : undefined;
      const baseline = target !== undefined && carried.baseline === undefined ? files.next() : undefined;
      const { previousDirectory } = carried;
      return {
        args: shellArguments(command, plain, target, baseline),
        directory: start,
        variables: { PWD: start, ...(previousDirectory !== '' && { OLDPWD: previousDirectory }) },
        whole: carried.state !== undefined,
        finish(counts) {
          if (baseline !== undefined) carried.baseline ??= files.take(baseline);
          const left = target === undefined ? undefined : files.take(target);
          if (left && counts) adopt(carried, left, directory === undefined, files.write);
          return { directory: left?.directory ?? start, told: left !== undefined };
        },
      };
    },
    folder: files.folder,
    close: files.close,
  };
}

/** The directory only where the command was not sent to another one by its caller. */
function adopt(carried: Carried, left: ShellState, withDirectory: boolean, write: (text: Buffer) => string): void {
  if (withDirectory) {
    carried.directory = left.directory;
    carried.previousDirectory = left.previousDirectory;
  }
  const { baseline } = carried;
  if (baseline === undefined) return;
  const options = optionCommands(baseline, left);
  if (options === '' && left.text.equals(baseline.text)) {
    carried.state = undefined;
    carried.shadowed = new Set();
  } else if (!carried.state?.text.equals(left.text) || carried.state.options !== options) {
    // A new file each time: a shell that runs beside this one may still be reading the former.
    carried.state = { file: write(left.text), text: left.text, options };
    carried.shadowed = shadowedNames(left);
  }
}

/** The files of the shells, in a private folder; in memory where the machine has such a place. */
function createFiles({ exitTasks, folder: place = makeFolder }: CarryOverOptions) {
  let made: string | undefined;
  let count = 0;
  const remove = () => {
    try {
      if (made !== undefined) rmSync(made, { recursive: true, force: true });
    } catch {
      // A command may have left a folder there that cannot be removed; that is no reason to fail at the end.
    }
  };
  const folder = () => {
    if (made === undefined) {
      made = place();
      exitTasks.add(remove);
    }
    return made;
  };
  const next = () => join(folder(), String(++count));
  const write = (content: Buffer | string) => {
    const file = next();
    writeFileSync(file, content, { mode: 0o600 });
    return file;
  };
  return {
    folder,
    next,
    write,
    /** What a shell wrote, which is then no longer needed. A shell that was stopped may have written nothing. */
    take(file: string): ShellState | undefined {
      try {
        const bytes = readFileSync(file);
        rmSync(file);
        return bytes.length > MAX_STATE_BYTES ? undefined : parseShellState(bytes);
      } catch {
        return undefined;
      }
    },
    asArgument(command: string): string {
      if (Buffer.byteLength(command) <= MAX_ARGUMENT_BYTES) return command;
      const file = write(command);
      return `eval "$(cat '${file}'; rm -f '${file}')"`;
    },
    close() {
      remove();
      exitTasks.remove(remove);
      made = undefined;
    },
  };
}

function makeFolder(): string {
  try {
    return makeFolderIn('/dev/shm');
  } catch {
    return makeFolderIn(tmpdir());
  }
}

/** A program that was killed leaves its folder behind, and what is in memory stays there until the machine is restarted. */
function makeFolderIn(place: string): string {
  removeAbandonedFolders(place, PREFIX);
  const folder = mkdtempSync(join(place, PREFIX));
  markFolder(folder);
  return folder;
}

/**
 * Whether a command certainly leaves its shell unchanged, so that no state has to be saved afterwards. Only plain
 * commands are recognized; anything unusual counts as a possible change. `shadowed` are names that a function or an
 * alias has redefined.
 */
export function isPlainCommand(command: string, shadowed: ReadonlySet<string>): boolean {
  // Longer commands count as not plain.
  if (command.length > 4096) return false;
  const parts = command
    .replace(QUOTED, '"')
    .trim()
    .split(/&&|\|\||[;|\n]|&$/);
  // A command that ends with `&` or a line break has nothing after it.
  if (parts.length > 1 && parts.at(-1)?.trim() === '') parts.pop();
  return parts.every((part) => isProgramCall(part.trim(), shadowed));
}

function isProgramCall(part: string, shadowed: ReadonlySet<string>): boolean {
  const [program] = PROGRAM.exec(part) ?? [];
  if (program === undefined || SHELL_WORDS.has(program) || shadowed.has(program)) return false;
  return ARGUMENTS.test(part.slice(program.length));
}

/** The state that a shell saved when it exited. */
type ShellState = {
  directory: string;
  previousDirectory: string;
  /** Names of the enabled `set` and `shopt` options. */
  shellOptions: readonly string[];
  setOptions: readonly string[];
  /** Variables, functions and aliases as shell code. */
  text: Buffer;
};

/** Undefined if the bytes are not a saved state, or if the directory's name is not valid text. */
function parseShellState(bytes: Buffer): ShellState | undefined {
  const fields: string[] = [];
  let at = 0;
  while (fields.length < 4) {
    const end = bytes.indexOf(0, at);
    if (end < 0) return undefined;
    fields.push(bytes.toString('utf8', at, end));
    at = end + 1;
  }
  const [directory = '', previousDirectory = '', shellOptions = '', setOptions = ''] = fields;
  if (!directory.startsWith('/') || directory.includes('\uFFFD')) return undefined;
  return {
    directory,
    previousDirectory,
    shellOptions: shellOptions.split(':'),
    setOptions: setOptions.split(':').filter((name) => !OWN_OPTIONS.has(name)),
    text: bytes.subarray(at),
  };
}

/** Names of functions and aliases. A false positive only costs time. */
function shadowedNames(state: ShellState): Set<string> {
  const names = new Set<string>();
  const text = state.text.toString('latin1');
  for (const [, name] of text.matchAll(/^(?:alias (?:-- )?)?([^\s()='"]+)(?:=| \(\)\s*$)/gm)) names.add(name as string);
  return names;
}

/** Shell commands that turn one set of options into another. */
function optionCommands(from: ShellState, to: ShellState): string {
  const commands = [
    ...changes(from.shellOptions, to.shellOptions).map(([name, on]) => `shopt -${on ? 's' : 'u'} ${name}`),
    ...changes(from.setOptions, to.setOptions).map(([name, on]) => `set ${on ? '-' : '+'}o ${name}`),
  ];
  // Without a terminal a shell knows aliases and does not use them.
  if (/^alias /m.test(to.text.toString('latin1'))) commands.push('shopt -s expand_aliases');
  return commands.join('; ');
}

function changes(from: readonly string[], to: readonly string[]): [name: string, on: boolean][] {
  const on = to.filter((name) => !from.includes(name)).map((name): [string, boolean] => [name, true]);
  const off = from.filter((name) => !to.includes(name)).map((name): [string, boolean] => [name, false]);
  return [...on, ...off].filter(([name]) => /^[\w-]+$/.test(name));
}
