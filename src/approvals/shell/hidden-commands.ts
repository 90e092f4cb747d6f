import { recipesIn } from '../scripts/makefile.ts';
import { commandsInOptions } from './command-options.ts';
import { gitCommands } from './git-commands.ts';
import { readSedScript } from './sed-script.ts';
import { optionValues, quoteWords } from './shell-command.ts';
import type { InnerCommand } from './unwrap.ts';

const script = (text: string): InnerCommand => ({ script: text });

/** Programs that run the command in their options on another machine. */
const RUNS_ELSEWHERE = /^(?:aws|az|gcloud|doctl|eb|copilot|virtctl|fly|flyctl|vagrant|ansible|cf|bosh|mussh|orgalorg)$/;

/** Whether the commands in the arguments of a program run on another machine. */
export function runsElsewhere(name: string, args: readonly string[]): boolean {
  return (
    RUNS_ELSEWHERE.test(name) &&
    !(name === 'ansible' && args.some((arg) => /^(?:localhost|127\.0\.0\.1|local)$/.test(arg)))
  );
}

/** Programs that run each argument as a script: `concurrently "npm:a" "npm b"`. */
const ALL_ARE_SCRIPTS = new Set(['concurrently', 'npm-run-all', 'run-p', 'run-s', 'mprocs', 'hyperfine']);

/** Commands in the arguments of programs whose main purpose is not to run commands. */
export function hiddenCommands(name: string, args: readonly string[], input: string | undefined): InnerCommand[] {
  const inOptions = commandsInOptions(name, args).map((text): InnerCommand | string =>
    runsElsewhere(name, args) ? { script: text, remote: 'machine' } : text,
  );
  return [...inOptions, ...programCommands(name, args, input)].map((found) =>
    typeof found === 'string' ? script(found) : found,
  );
}

function programCommands(name: string, args: readonly string[], input: string | undefined): (InnerCommand | string)[] {
  switch (name) {
    case 'git':
      return gitCommands(args);
    case 'sed':
    case 'gsed':
      return sedScripts(args).flatMap((text) => readSedScript(text).scripts.map(script));
    case 'vim':
    case 'vi':
    case 'nvim':
    case 'ex':
    case 'view':
    case 'ed':
      return [...args, ...(input?.split('\n') ?? [])].flatMap((arg) => editorCommand(arg).map(script));
    case 'less':
    case 'more':
      return args.filter((arg) => arg.startsWith('+!')).map((arg) => script(arg.slice(2)));
    case 'make':
    case 'gmake':
      return makeScripts(args, input);
    case 'tclsh':
    case 'wish':
    case 'expect':
      return [...args, ...(input?.split('\n') ?? [])].flatMap((line) => [
        ...(/(?:^|[[;])\s*exec\s+(.+)$/.exec(line)?.slice(1, 2) ?? []),
        ...typedByExpect(line),
      ]);
    // The script that a package will run.
    case 'npm':
    case 'pnpm':
    case 'yarn':
      return args[0] === 'set-script'
        ? args.slice(2, 3)
        : args.flatMap((arg) => /^scripts\.[\w:-]+=(.+)$/s.exec(arg)?.[1] ?? []);
    case 'cmake':
      return cmakeTool(args);
    case 'fzf':
      return args.flatMap((arg) =>
        [...arg.matchAll(/\b(?:execute|execute-silent|become|reload|preview)\(([^)]{1,500})\)/g)].map(
          (found) => found[1] ?? '',
        ),
      );
    case 'lldb':
      return optionValues(args, /^(?:-[oOkK]|--one-line(?:-\w+)*=?)(.*)$/).flatMap(debuggerCommand);
    case 'gdb':
      return optionValues(args, /^-{1,2}(?:ex|iex|eval-command|init-eval-command)=?(.*)$/).flatMap(debuggerCommand);
    case 'ftp':
    case 'lftp':
    case 'sftp':
    case 'telnet':
    case 'nmap':
    case 'mail':
    case 'bc':
    case 'dc':
      return [...args, ...(input?.split('\n') ?? [])].flatMap((line) => /(?:^|;)\s*!+\s*(.+)$/.exec(line)?.[1] ?? []);
    case 'tmux':
    case 'screen':
      return multiplexerCommand(name, args);
    case 'ipython':
    case 'ipython3':
      return [...args, input ?? ''].flatMap((text) =>
        [...text.matchAll(/(?:^|[;\n])\s*[!%]+(?!%)(?:sx |sc )?(\w[^;\n]*)/g)].map((found) => found[1] ?? ''),
      );
    case 'sqlite3':
    case 'psql':
    case 'mysql':
    case 'mariadb':
      return [...args, ...(input?.split('\n') ?? [])].flatMap((text) => clientCommand(text).map(script));
    case 'socat':
      return args.flatMap((arg) => /\b(?:EXEC|SYSTEM):"?([^",]+)/i.exec(arg)?.[1] ?? []).map(script);
    default:
      return ALL_ARE_SCRIPTS.has(name) ? args.filter((arg) => /\s/.test(arg)).map(script) : [];
  }
}

/** What expect types into the program that it started, usually a shell on another machine. */
function typedByExpect(line: string): InnerCommand[] {
  return [...line.matchAll(/\bsend\s+(?:--\s+)?"((?:[^"\\]|\\.){1,500})"/g)].map((found) => ({
    script: (found[1] ?? '').replace(/\\[rn]/g, '\n'),
    remote: 'machine',
  }));
}

/** The scripts of a sed command: the values of -e, or the first operand if there is neither -e nor -f. */
export function sedScripts(args: readonly string[]): string[] {
  const given = optionValues(args, /^(?:-[nrEsuz]*e|--expression=?)(.*)$/);
  if (given.length > 0 || args.some((arg) => /^(?:-[nrEs]*f|--file)/.test(arg))) return given;
  return args.filter((arg) => !/^-./.test(arg)).slice(0, 1);
}

/** The shell commands in a debugger command. */
function debuggerCommand(text: string): string[] {
  const shell = /^\s*(?:shell|!|(?:platform )?shell|make)\s*(.+)$/s.exec(text)?.[1];
  return [shell, embeddedShellCall(text)].filter((found) => found !== undefined);
}

/** The shell command in code of an embedded language: `lua os.execute("…")`, `call system("…")`. */
function embeddedShellCall(text: string): string | undefined {
  return /\b(?:system(?:list)?|os\.(?:system|execute|popen)|io\.popen|vim\.fn\.system|subprocess\.\w+)\s*\(\s*\[?\s*(['"])(.+?)\1/.exec(
    text,
  )?.[2];
}

/** The tools of `cmake -E`: some delete files, others run their remaining arguments. */
function cmakeTool(args: readonly string[]): InnerCommand[] {
  const [, tool = '', ...rest] = args[0] === '-E' ? args : [];
  if (tool === 'rm') return [{ words: ['rm', ...rest] }];
  if (tool === 'remove_directory') return [{ words: ['rm', '-r', ...rest] }];
  if (tool === 'env') return [{ words: ['env', ...rest] }];
  if (tool === 'time') return [{ words: rest }];
  return tool === 'chdir' ? [{ words: rest.slice(1) }] : [];
}

/** `:w FILE`, `:r FILE` and other commands with a file, also after a range. */
const EDITED_FILE =
  /^\+?:?\s*(?:%|[\d$.]+(?:,[\d$.]+)?)?\s*(w|write|wq|x|xit|up|update|sav|saveas|r|read|e|edit|view|sp|split|tabe|tabnew|so|source)!?\s+(?:>>\s*)?([~/.$]\S+|[\w.-]+\/\S+)$/;
const FILE_CALL = /\b(writefile|readfile|io\.open)\(\s*(?:\[.*\]\s*,\s*)?['"]([^'"]+)['"]/;

/** `:!cmd`, `:r !cmd`, `:w !cmd` and `system('cmd')` in editors of the vi family. */
function editorCommand(arg: string): string[] {
  const bang = /^\+?:?\s*(?:%|\d+,?\d*)?\s*(?:(?:silent|sil|r|read|w|write|term|terminal)\b!?\s*)*!(.+)$/.exec(
    arg,
  )?.[1];
  const removed = /\bos\.remove\(\s*(['"])(.+?)\1/.exec(arg)?.[2];
  const deleted = /\bdelete\(\s*(['"])(.+?)\1\s*,\s*['"]rf/.exec(arg)?.[2];
  const [, verb = '', file] = EDITED_FILE.exec(arg) ?? [];
  const [, call = '', path] = FILE_CALL.exec(arg) ?? [];
  return [
    bang,
    embeddedShellCall(arg),
    deleted === undefined ? undefined : quoteWords(['rm', '-r', deleted]),
    removed === undefined ? undefined : quoteWords(['rm', removed]),
    // Vim expands variables and `~` like a shell.
    file === undefined ? undefined : `${/^(?:w|sav|up|x)/.test(verb) ? 'tee' : 'cat'} ${file}`,
    path === undefined ? undefined : quoteWords([call.startsWith('read') ? 'cat' : 'tee', path]),
  ].filter((text) => text !== undefined);
}

/** `.shell cmd` in sqlite3, `\! cmd` in psql and mysql, `copy … to program` in SQL. */
function clientCommand(text: string): string[] {
  const found = /(?:^|\n)\s*(?:\.(?:shell|system)\s+|\\!\s*|system\s+)(.+)/.exec(text)?.[1];
  // PostgreSQL can pipe a table into a program or fill it from one.
  const program = /\b(?:to|from)\s+program\s+'((?:[^']|'')+)'/i.exec(text)?.[1];
  const piped = /(?:^|\n)\s*\.(?:import|output|once)\s+["']?\|([^"'\n]+)/.exec(text)?.[1];
  return [found, program?.replaceAll("''", "'"), piped].filter((one) => one !== undefined);
}

/** Recipes on stdin, `$(shell …)` in `--eval`, and a custom shell or tool. */
function makeScripts(args: readonly string[], input: string | undefined): InnerCommand[] {
  const readsInput = optionValues(args, /^(?:-f|--file=?|--makefile=?)(.*)$/).some(
    (file) => file === '-' || file === '/dev/stdin' || file.startsWith('<('),
  );
  const text = readsInput ? (input ?? '').replace(/\\\n\s*/g, ' ') : '';
  const recipes = text === '' ? [] : recipesIn(text, args);
  const evaluated = [...args, text].flatMap((arg) =>
    [...arg.matchAll(/\$\(shell\s+([^)]*)\)/g)].map((found) => found[1] ?? ''),
  );
  // Variables that recipes run as commands: the shell, the compiler, `RM` and others.
  const tools = args.flatMap(
    (arg) => /^(?:SHELL|CC|CXX|LD|AR|RM|MV|CP|INSTALL|PYTHON|SUDO|STRIP)=(.+)$/s.exec(arg)?.[1] ?? [],
  );
  const [directory] = optionValues(args, /^(?:-C|--directory=?)(.*)$/);
  return [...recipes, ...evaluated, ...tools].map((one) =>
    directory === undefined ? script(one) : { script: one, directory },
  );
}

const TERMINAL_VALUES = /^-[A-Za-z]*[cFnstxySTh]$/;

/** What a terminal multiplexer runs in a new window: one script, or the words after its own arguments. */
function multiplexerCommand(name: string, args: readonly string[]): InnerCommand[] {
  if (
    name === 'tmux' &&
    !args.some((arg) =>
      /^(?:new|neww|new-session|new-window|split|splitw|split-window|run|run-shell|respawn-pane|send|send-keys|send-key)$/.test(
        arg,
      ),
    )
  )
    return [];
  const rest = args.filter((arg, index) => !arg.startsWith('-') && !TERMINAL_VALUES.test(args[index - 1] ?? ''));
  const words = name === 'tmux' ? rest.slice(1) : rest;
  if (words.some((word) => /\s/.test(word))) return words.filter((word) => /\s/.test(word)).map(script);
  return words.length === 0 ? [] : [{ words }];
}
