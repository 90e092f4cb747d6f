import { isComputed } from '../shell/words.ts';
import { OWN_COMMANDS } from './own-commands.ts';

/** A command of Hermes, as far as the guard has to know it. */
type Row = {
  /** Its words after `hermes`; empty for `hermes` itself. */
  path: string;
  /** Without other options than those that change nothing, the command only reads. */
  reads: boolean;
  /** The command has subcommands. */
  group: boolean;
  /** Unknown options are arguments. */
  anyOption: boolean;
  /** All options that change something; those that take a value end in `=`. */
  changing: string;
  known: ReadonlyMap<string, Options>;
};
type Options = { reads: boolean; takesValue: boolean };

const HELP = new Set(['-h', '--help']);
const VERSION = new Set(['-V', '--version']);

const ROWS: ReadonlyMap<string, Row> = new Map(
  OWN_COMMANDS.flatMap((command) => {
    const [path = '', traits = '', options = '', changing = '', aliases = ''] = command.split('|');
    const known = new Map([...optionsIn(options, true), ...optionsIn(changing, false)]);
    const is = (trait: string) => traits.includes(trait);
    const row = { path, reads: is('r'), group: is('g'), anyOption: is('a'), changing, known };
    const parent = path.slice(0, path.lastIndexOf(' ') + 1);
    return [path, ...wordsIn(aliases).map((alias) => parent + alias)].map((one) => [one, row] as const);
  }),
);

function wordsIn(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

function optionsIn(text: string, reads: boolean): [string, Options][] {
  return wordsIn(text).map((name) => [name.replace(/=$/, ''), { reads, takesValue: name.endsWith('=') }]);
}

/** What a call of Hermes does: it only reads, it starts an agent, or it changes something. */
export type OwnCall = 'reads' | 'agent' | 'changes';

/** The commands that run an agent. */
const AGENTS = new Set(['', 'chat', 'batch run', 'batch worker', 'batch submit', 'sessions browse']);

/**
 * What Hermes does if it is called with these arguments. Unknown commands and options count as changes, and so do words
 * that are only known at run time. `hasMoreArguments`: further unknown arguments follow, as with `xargs hermes`.
 */
export function classifyOwnCall(args: readonly string[], hasMoreArguments: boolean): OwnCall {
  if (args[0] === 'help') return isHelpCall(args.slice(1)) ? 'reads' : 'agent';
  let row = ROWS.get('');
  let reads = true;
  for (let at = 0; row !== undefined && at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (arg === '--') {
      if (row.group) return 'agent';
      break;
    }
    if (!/^-./.test(arg)) {
      if (row.group && row.path === '' && isPrompt(arg)) return args.includes('--yolo') ? 'changes' : 'agent';
      if (row.group) row = ROWS.get(row.path === '' ? arg : `${row.path} ${arg}`);
      else if (isComputed(arg)) reads &&= !hasChangingOption(row);
    } else if (HELP.has(arg) || (row.path === '' && VERSION.has(arg))) return 'reads';
    else {
      const option = parseOption(row, arg);
      reads &&= option.reads;
      if (option.takesNext) at += 1;
    }
  }
  if (row === undefined || (hasMoreArguments && (row.group || hasChangingOption(row)))) return 'changes';
  if (reads && row.reads) return 'reads';
  return AGENTS.has(row.path) && !args.includes('--yolo') ? 'agent' : 'changes';
}

/** Whether the first word is a prompt: not the name of a command, and not a word that is only known at run time. */
function isPrompt(word: string): boolean {
  return !ROWS.has(word) && !isComputed(word);
}

/** `hermes help sessions list`; with other words it is a prompt. */
function isHelpCall(words: readonly string[]): boolean {
  return words.length === 0 || ROWS.has(words.filter((word) => !word.startsWith('-')).join(' '));
}

/** Whether an argument that is known only at run time could make this command change something. */
function hasChangingOption({ changing }: Row): boolean {
  return changing !== '';
}

/** Reads `--name`, `--name=value`, and letters such as `-Qp work` and `-Qpwork`. */
function parseOption({ known, anyOption }: Row, arg: string): { reads: boolean; takesNext: boolean } {
  const unknown = { reads: anyOption, takesNext: false };
  if (arg.startsWith('--')) {
    const option = known.get(arg.split('=', 1)[0] ?? '');
    return option === undefined ? unknown : { reads: option.reads, takesNext: option.takesValue && !arg.includes('=') };
  }
  let reads = true;
  for (let at = 1; at < arg.length; at += 1) {
    const option = known.get(`-${arg[at]}`);
    if (option === undefined) return { reads: reads && unknown.reads, takesNext: false };
    reads &&= option.reads;
    if (option.takesValue) return { reads, takesNext: at === arg.length - 1 };
  }
  return { reads, takesNext: false };
}

/** Whether these words begin with a command of Hermes, so that a `hermes` before them is probably a program. */
export function namesOwnCommand([first = '', second = '']: readonly string[]): boolean {
  const row = first === '' ? undefined : ROWS.get(first);
  return row !== undefined && (!row.group || ROWS.has(`${first} ${second}`));
}
