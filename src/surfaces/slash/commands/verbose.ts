import { type SlashContext, VERBOSITIES, type Verbosity } from '../slash-context.ts';

const MEANING: Readonly<Record<Verbosity, string>> = {
  quiet: 'only answers, and what is amiss',
  normal: 'answers, and a line for each call',
  full: 'also what was thought, and the first lines of what tools found',
};

/** `/verbose` and `/verbose LEVEL`: how much of a turn is shown. */
export function verboseCommand({ terminal, print }: SlashContext, argument: string): void {
  if (terminal === undefined) return;
  const level = VERBOSITIES.find((known) => known === argument.toLowerCase());
  if (argument !== '' && level === undefined) return print(`/verbose takes ${VERBOSITIES.join(', ')}.\n`);
  if (level !== undefined) terminal.display.verbosity = level;
  const { verbosity } = terminal.display;
  const how =
    level === undefined ? `; /verbose LEVEL changes it: ${VERBOSITIES.join(', ')}` : ', from the next turn on';
  print(`Shown is ${verbosity}: ${MEANING[verbosity]}${how}.\n`);
}
