import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markFolderOwner, memoryFolder, removeAbandonedFolders } from '../../util/index.ts';
import type { ExitTasks } from '../exit-tasks.ts';
import { commandScript, statelessScript, shellFlags } from '../shell-script.ts';

/** Longer commands are passed in a file: the kernel limits a single argument to 128 KiB. */
const MAX_ARGUMENT_BYTES = 100_000;
/** A larger state is not restored, because reading it would slow down every command. */
const MAX_STATE_BYTES = 4 * 1024 * 1024;
const PREFIX = 'hermes-shell-';
/**
 * Built-ins and keywords with which a command can change its shell, directly or through other words. Any other first
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
 * Options that apply to one command and are not part of the shell state. They would abort or flood the next command:
 * `set -euo pipefail` at the top of a script is not meant for the rest of the session.
 */
const COMMAND_ONLY_OPTIONS: ReadonlySet<string> = new Set(
  'errexit errtrace functrace history monitor noexec notify nounset onecmd pipefail verbose xtrace'.split(' '),
);

/** How to start a shell with the state of the previous one. */
export type ShellCall = {
  args: string[];
  /**
   * The directory of the shell and the variables of this call. If `whole` is set, the shell gets no other variables.
   */
  directory: string;
  variables: { PWD: string; OLDPWD?: string };
  whole: boolean;
  /**
   * Takes over the state of the shell if `counts` is set. Returns its final directory, and whether it saved its
   * state.
   */
  finish(counts: boolean): { directory: string; saved: boolean };
};

/** The shell state, in private files. */
export interface ShellStateStore {
  directory(): string;
  /** `keep: false` restores the state but does not save it. */
  prepare(command: string, options?: { directory?: string | undefined; keep?: boolean }): ShellCall;
  /** The folders of the files, created on demand. */
  folders(): ShellFolders;
  close(): void;
}

/**
 * The folder that Hermes removes at the end, that of the files which it writes for shells, and that of the files which
 * shells write. The last one can be another one, because commands in a sandbox can put anything there.
 */
export type ShellFolders = { whole: string; given: string; left: string };

type CurrentState = {
  directory: string;
  previousDirectory: string;
  /** The initial state of the first shell, to which later states are compared. */
  baseline: ShellState | undefined;
  /** Undefined while the state equals that of a new shell. */
  state: { file: string; text: Buffer; options: string } | undefined;
  shadowed: ReadonlySet<string>;
};

export type ShellStateOptions = {
  directory: string;
  shell: string;
  exitTasks: ExitTasks;
  /** Creates the folders, if they must be in a particular location. */
  folders?: (() => ShellFolders) | undefined;
};

export function createShellStateStore(options: ShellStateOptions): ShellStateStore {
  const { shell } = options;
  const bash = shell.endsWith('bash');
  const flags = shellFlags(shell);
  const files = createFiles(options);
  const carried: CurrentState = {
    directory: options.directory,
    previousDirectory: '',
    baseline: undefined,
    state: undefined,
    shadowed: new Set(),
  };

  function shellArguments(command: string, plain: boolean, target?: string, baseline?: string): string[] {
    const { state } = carried;
    const parts = { bash, options: state?.options ?? '', source: state?.file, target, baseline };
    if (plain) return [...flags, '-c', statelessScript(parts, command), shell];
    return [...flags, '-c', commandScript(parts, command), shell, files.asArgument(command)];
  }

  return {
    directory: () => carried.directory,
    prepare(command, { directory, keep = true } = {}) {
      const start = directory ?? carried.directory;
      const plain = isStatelessCommand(command, carried.shadowed);
      const target = keep && !plain ? files.nextLeft() : undefined;
      const baseline = target !== undefined && carried.baseline === undefined ? files.nextLeft() : undefined;
      const { previousDirectory } = carried;
      return {
        args: shellArguments(command, plain, target, baseline),
        directory: start,
        variables: { PWD: start, ...(previousDirectory !== '' && { OLDPWD: previousDirectory }) },
        whole: carried.state !== undefined,
        finish(counts) {
          if (baseline !== undefined) carried.baseline ??= files.take(baseline);
          const left = target === undefined ? undefined : files.take(target);
          if (left && counts) takeOverState(carried, left, directory === undefined, files.write);
          return { directory: left?.directory ?? start, saved: left !== undefined };
        },
      };
    },
    folders: files.folders,
    close: files.close,
  };
}

/** Takes over the directory only if the caller did not choose one for this command. */
function takeOverState(
  carried: CurrentState,
  left: ShellState,
  withDirectory: boolean,
  write: (text: Buffer) => string,
): void {
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
    // A new file each time, because a concurrent shell may still be reading the previous one.
    carried.state = { file: write(left.text), text: left.text, options };
    carried.shadowed = shadowedNames(left);
  }
}

/** The files of the shells, in a private folder; in memory if the system has a folder for that. */
function createFiles({ exitTasks, folders: make = makeFolders }: ShellStateOptions) {
  let made: ShellFolders | undefined;
  let count = 0;
  const remove = () => {
    try {
      if (made !== undefined) rmSync(made.whole, { recursive: true, force: true });
    } catch {
      // A command may have created a folder there that cannot be removed.
    }
  };
  const folders = () => {
    if (made === undefined) {
      made = make();
      exitTasks.add(remove);
    }
    return made;
  };
  const write = (content: Buffer | string) => {
    const file = join(folders().given, String(++count));
    writeFileSync(file, content, { mode: 0o600 });
    return file;
  };
  return {
    folders,
    nextLeft: () => join(folders().left, String(++count)),
    write,
    /** Reads and removes a saved state. A shell that was killed may not have written one. */
    take(file: string): ShellState | undefined {
      try {
        const bytes = readLeft(file);
        rmSync(file);
        return bytes.length > MAX_STATE_BYTES ? undefined : parseShellState(bytes);
      } catch {
        return undefined;
      }
    },
    asArgument(command: string): string {
      if (Buffer.byteLength(command) <= MAX_ARGUMENT_BYTES) return command;
      const file = write(command);
      // In a sandbox the file is read-only, and removed with the folder.
      return `eval "$(cat '${file}'; rm -f '${file}' 2>/dev/null)"`;
    },
    close() {
      remove();
      exitTasks.remove(remove);
      made = undefined;
    },
  };
}

/** Reads a file that a shell has written. A command in a sandbox may have replaced it with a link or a pipe. */
function readLeft(file: string): Buffer {
  const opened = openSync(file, constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return readFileSync(opened);
  } finally {
    closeSync(opened);
  }
}

function makeFolders(): ShellFolders {
  const folder = makeFolder();
  return { whole: folder, given: folder, left: folder };
}

function makeFolder(): string {
  try {
    return makeFolderIn(memoryFolder() ?? tmpdir());
  } catch {
    return makeFolderIn(tmpdir());
  }
}

/**
 * Creates a private folder. It also removes the folders of killed processes, which would stay in memory until the
 * machine restarts.
 */
function makeFolderIn(place: string): string {
  removeAbandonedFolders(place, PREFIX);
  const folder = mkdtempSync(join(place, PREFIX));
  markFolderOwner(folder);
  return folder;
}

/**
 * Whether a command certainly does not change the shell state, so that it need not be saved afterwards. Only simple
 * commands are recognised; anything unusual counts as a possible change. `shadowed` has the names that a function or
 * alias redefines.
 */
export function isStatelessCommand(command: string, shadowed: ReadonlySet<string>): boolean {
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

/** Parses a saved state. Undefined if the bytes are not one, or if the directory's name is not valid text. */
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
    setOptions: setOptions.split(':').filter((name) => !COMMAND_ONLY_OPTIONS.has(name)),
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
  // A non-interactive shell does not expand aliases by default.
  if (/^alias /m.test(to.text.toString('latin1'))) commands.push('shopt -s expand_aliases');
  return commands.join('; ');
}

function changes(from: readonly string[], to: readonly string[]): [name: string, on: boolean][] {
  const on = to.filter((name) => !from.includes(name)).map((name): [string, boolean] => [name, true]);
  const off = from.filter((name) => !to.includes(name)).map((name): [string, boolean] => [name, false]);
  return [...on, ...off].filter(([name]) => /^[\w-]+$/.test(name));
}
