/** One simple command as it would run, after its wrappers (`sudo`, `env`, `sh -c` …) were taken off. */
export type ShellCommand = {
  /** The executable's name without its folder; empty where there are only redirections. */
  name: string;
  args: string[];
  /** The name is only known at run time. */
  computedName: boolean;
  /** It stands among the arguments of a program that is not known, which may run it or may not. */
  suspected: boolean;
  redirects: ShellRedirect[];
  /** Text that reaches its standard input and is known beforehand: here-documents, here-strings, `echo … |`. */
  input: string | undefined;
  /** The commands in front of it in its pipeline, and those in `$(…)` and `<(…)` among its arguments. */
  fedBy: string[];
  /** Where it runs, as far as literal `cd`s tell. */
  directory: string;
  /** How it is written, for the person. */
  source: string;
};

export type ShellRedirect = { operator: string; target: string };

/** What a command line is made of. */
export type ShellReading = {
  commands: ShellCommand[];
  /** Functions that call themselves in a pipeline or in the background. */
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
