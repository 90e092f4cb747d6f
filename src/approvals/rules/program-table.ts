import { isHelpOrDryRun, type CommandRule } from './rule.ts';

/**
 * Programs, separated by spaces, and the arguments with which they need approval. The expressions are matched against
 * the arguments, joined with spaces. With the second one, the command does not need approval after all.
 */
export type ProgramRow = readonly [programs: string, asks: RegExp, unless?: RegExp];

/** Limits how much text the regular expressions scan. */
const MAX_TEXT = 2000;

/** A rule for the programs of a table. The names count only in command position, because many are ordinary words. */
export function tableRule(
  rule: string,
  rows: readonly ProgramRow[],
  traits: Pick<CommandRule, 'reviewable'> = {},
): CommandRule {
  // Most programs of a table never occur, so the rows of a name are looked up when it first does.
  const known = new Map<string, readonly ProgramRow[]>();
  const rowsOf = (name: string) => {
    const found = known.get(name) ?? rows.filter(([programs]) => programs.split(' ').includes(name));
    known.set(name, found);
    return found;
  };
  return {
    ...traits,
    rule,
    everydayName: true,
    byArguments: true,
    commands: [...new Set(rows.flatMap(([programs]) => programs.split(' ')))],
    when: (command) => {
      const text = command.args.join(' ').slice(0, MAX_TEXT);
      const asks = ([, pattern, unless]: ProgramRow) => pattern.test(text) && unless?.test(text) !== true;
      return !isHelpOrDryRun(command) && rowsOf(command.name).some(asks);
    },
  };
}
