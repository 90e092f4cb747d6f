/** Programs that only read, whatever plain words follow. */
export const READ_ONLY_PROGRAMS: ReadonlySet<string> = new Set(
  'ls wc echo pwd true false which stat du df uname id whoami basename dirname realpath sleep seq cd printf'.split(' '),
);
const PLAIN_WORDS = /^[\w ./,:=@%+-]*$/;

/**
 * True for a program that only reads, followed by plain words. Such a command needs neither the rules nor the parser,
 * which are the largest part of the program and take a few megabytes.
 */
export function isPlainlyHarmless(command: string): boolean {
  return PLAIN_WORDS.test(command) && READ_ONLY_PROGRAMS.has(command.trim().split(' ', 1)[0] ?? '');
}
