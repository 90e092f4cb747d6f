import { quoteShellWord } from '../../util/index.ts';
import type { ScriptOrigin } from '../scripts/script-run.ts';
import type { CodeReading } from './read-code.ts';

/** One simple command as it would run, without its wrappers (`sudo`, `env`, `sh -c`, …). */
export type ShellCommand = {
  /** The executable name without its folder; empty if there are only redirects. */
  name: string;
  args: string[];
  /** The name is only known at run time. */
  computedName: boolean;
  /** The command is among the arguments of an unknown program, which may or may not run it. */
  suspected: boolean;
  /** Set if the command runs on another machine or in a container. */
  remote: 'machine' | 'container' | undefined;
  redirects: ShellRedirect[];
  /** Its stdin, if known from a here-document, a here-string or `echo … |`. */
  input: string | undefined;
  /** The commands before this one in its pipeline, and those in `$(…)` and `<(…)` among its arguments. */
  fedBy: readonly Source[];
  /** The commands that process its output, one list for each stage of the pipeline or substitution around it. */
  consumers: readonly (readonly Source[])[];
  /** Its stdout goes to /dev/null. */
  silent: boolean;
  /** The environment variables whose values its words, here-strings and here-documents contain. */
  expands: readonly string[];
  /** The origin of the script that the command runs, if the same line produced that script. */
  runs: Origin | undefined;
  /** What the code in the arguments would do, if the command is an interpreter. */
  code: CodeReading | undefined;
  /** The arguments of Hermes, if the command starts it. */
  starts: readonly string[] | undefined;
  /** Variables set for this command alone. */
  variables: readonly string[];
  /** Its working directory, as far as literal `cd` commands determine it. */
  directory: string;
  /** The file that contains the command; undefined if the command line itself does. */
  script: ScriptOrigin | undefined;
  /** Its source text, to show to the user. */
  source: string;
  /** The source text of the pipeline that feeds the command. */
  pipeline: string | undefined;
  /** The words of the statement in the script, including wrappers, with normalised quoting. */
  statement: string;
};

/** A command whose output is the input of another. */
export type Source = { name: string; args: readonly string[]; directory: string };
/** The origin of a script that the same line runs. */
export type Origin = 'network' | 'decoder' | 'text-tool';
export type ShellRedirect = { operator: string; target: string };

/** The result of parsing a command line. */
export type ShellReading = {
  commands: ShellCommand[];
  /** The source text of functions and loops that start themselves endlessly. */
  forkBombs: string[];
  /** Why the line could not be read completely. */
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

/** Accepts abbreviated long options: `--recur` is `--recursive`. */
export function hasAny(options: ReadonlySet<string>, ...names: string[]): boolean {
  const given = [...options];
  return names.some((name) => options.has(name) || given.some((part) => part.length > 1 && name.startsWith(part)));
}

/**
 * The values of an option, in the same word or the next. The result may contain words that are not values; this is
 * harmless, because they are only inspected.
 */
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

/** Joins words with shell quoting, so that two commands are equal only if their words are. */
export function quoteWords(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./^~*?[\]{}$-]+$/.test(word) ? word : quoteShellWord(word))).join(' ');
}
