import { optionValues } from '../shell/shell-command.ts';

/** `write` replaces the content, `modify` keeps at least a part of it, `remove` also covers moving away. */
export type PathUse = 'read' | 'write' | 'modify' | 'remove';

/** A word of a command that names a path, and what the command does with it. */
export type PathArgument = {
  word: string;
  use: PathUse;
  /** The folder with everything below it: for reading, all of it is read; for writing, anything in it may be. */
  tree?: boolean;
};

export const using = (use: PathUse, words: readonly string[], tree = false): PathArgument[] =>
  words.map((word) => (tree ? { word, use, tree } : { word, use }));

/** The operands of a command: without options and without the values of these options. */
export function operandsWithout(args: readonly string[], valueOptions: RegExp): string[] {
  const found: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (arg === '--') return [...found, ...args.slice(at + 1)];
    if (!arg.startsWith('-') || arg === '-') found.push(arg);
    else if (valueOptions.test(arg)) at += 1;
  }
  return found;
}

/** Whether one of the options is given; short options may be combined. */
export function hasOption(args: readonly string[], short: string, long: RegExp): boolean {
  return args.some(
    (arg) => long.test(arg) || (/^-[a-zA-Z\d]+$/.test(arg) && [...short].some((letter) => arg.includes(letter))),
  );
}

/** The folder given with an option, or the current one. */
export function folderOption(args: readonly string[], option: RegExp): string {
  return optionValues(args, option).at(-1) ?? '.';
}
