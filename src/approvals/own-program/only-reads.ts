import { isComputed } from '../shell/words.ts';
import type { OwnCommand } from './own-command.ts';
import { OWN_COMMANDS } from './own-commands.ts';

type Options = { reads: boolean; takesValue: boolean };
type Row = OwnCommand & { known: ReadonlyMap<string, Options> };

const HELP = new Set(['-h', '--help']);
const VERSION = new Set(['-V', '--version']);

const ROWS: ReadonlyMap<string, Row> = new Map(
  OWN_COMMANDS.flatMap((command) => {
    const row = { ...command, known: optionsOf(command) };
    const parent = command.path.slice(0, command.path.lastIndexOf(' ') + 1);
    return [command.path, ...(command.aliases ?? []).map((alias) => parent + alias)].map(
      (path) => [path, row] as const,
    );
  }),
);

function optionsOf({ options, changing }: OwnCommand): ReadonlyMap<string, Options> {
  const rows = (text: string, reads: boolean) =>
    text
      .split(' ')
      .filter((name) => name !== '')
      .map((name) => [name.replace(/=$/, ''), { reads, takesValue: name.endsWith('=') }] as const);
  return new Map([...rows(options, true), ...rows(changing, false)]);
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
function hasChangingOption({ changing }: OwnCommand): boolean {
  return changing !== '';
}

/** Reads `--name`, `--name=value`, and letters such as `-Qp work` and `-Qpwork`. */
function parseOption({ known, anyOption }: Row, arg: string): { reads: boolean; takesNext: boolean } {
  const unknown = { reads: anyOption === true, takesNext: false };
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
