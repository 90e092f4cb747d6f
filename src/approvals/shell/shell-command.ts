import { quoteWord } from '../../util/index.ts';
import type { CodeReading } from './read-code.ts';

/** One simple command as it would run, after its wrappers (`sudo`, `env`, `sh -c` …) were taken off. */
export type ShellCommand = {
  /** The executable's name without its folder; empty where there are only redirections. */
  name: string;
  args: string[];
  /** The name is only known at run time. */
  computedName: boolean;
  /** It stands among the arguments of a program that is not known, which may run it or may not. */
  suspected: boolean;
  /** It runs elsewhere: on another machine, or in a container. */
  remote: 'machine' | 'container' | undefined;
  redirects: ShellRedirect[];
  /** Text that reaches its standard input and is known beforehand: here-documents, here-strings, `echo … |`. */
  input: string | undefined;
  /** The commands in front of it in its pipeline, and those in `$(…)` and `<(…)` among its arguments. */
  fedBy: readonly Source[];
  /** What is known about the script it runs, where that is a file or a text that others made. */
  runs: Origin | undefined;
  /** What the program text among its words would do, where it is an interpreter with one. */
  code: CodeReading | undefined;
  /** Variables set for this command alone. */
  variables: readonly string[];
  /** Where it runs, as far as literal `cd`s tell. */
  directory: string;
  /** How it is written, for the person. */
  source: string;
  /** The pipeline that feeds it, as it is written. */
  pipeline: string | undefined;
  /** The words of the command as it stands in the script, wrappers and all, in one spelling. */
  statement: string;
};

/** A command whose output goes into another. */
export type Source = { name: string; args: readonly string[]; directory: string };
/** Where a script came from that is run in the same line. */
export type Origin = 'network' | 'decoder' | 'text-tool';
export type ShellRedirect = { operator: string; target: string };

/** What a command line is made of. */
export type ShellReading = {
  commands: ShellCommand[];
  /** Functions and loops that start themselves without end. */
  forkBombs: string[];
  /** Why the line could not be read as a whole. */
  problems: string[];
};

/** Options and operands of a command: `-rf --force=x a b` gives r, f, force and a, b. */
export type Arguments = { options: Set<string>; operands: string[] };

export function splitArguments(args: readonly string[]): Arguments {
  const options = new Set<string>();
  const operands: string[] = [];
  let onlyOperands = false;
  for (const arg of args) {
    if (onlyOperands || !arg.startsWith('-') || arg === '-') operands.push(arg);
    else if (arg === '--') onlyOperands = true;
    else if (arg.startsWith('--')) options.add(arg.slice(2).split('=')[0] ?? '');
    else for (const letter of arg.slice(1)) options.add(letter);
  }
  return { options, operands };
}

/** Long options may be given by their beginning: `--recur` is `--recursive`. */
export function hasAny(options: ReadonlySet<string>, ...names: string[]): boolean {
  const given = [...options];
  return names.some((name) => options.has(name) || given.some((part) => part.length > 1 && name.startsWith(part)));
}

/** What an option is given, in the same word or in the next. Too many are no harm: they are only looked at. */
export function optionValues(args: readonly string[], option: RegExp): string[] {
  return args.flatMap((arg, index) => {
    const attached = option.exec(arg)?.[1];
    if (attached === undefined) return [];
    return attached === '' ? args.slice(index + 1, index + 2) : [attached];
  });
}

/** The name of an executable without its folder: `/bin/rm` is `rm`. */
export function executableName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

/** Words as a shell would read them again, so that two commands are the same only if their words are. */
export function quoteWords(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./^~*?[\]{}$-]+$/.test(word) ? word : quoteWord(word))).join(' ');
}
