import type { MachineFacts } from '../files/machine-facts.ts';
import { hasAny, type ShellCommand, splitArguments } from '../shell/shell-command.ts';

/** An approval rule with its condition. `commands` limits it to executables by name. */
export type CommandRule = {
  /** The rule name, which the user sees and which the allow-list and "for this session" store. */
  rule: string;
  commands?: readonly string[] | RegExp;
  /** The names are also ordinary words (`adb reboot`, `pytest -k wipe`), so they count only in command position. */
  everydayName?: true;
  /** The arguments decide, not the name, so the name alone does not mark a word as the start of a dangerous command. */
  byArguments?: true;
  /** The approval reviewer may approve a match. Never set for commands that affect other people or machines. */
  reviewable?: true;
  /** "Always" may cover all commands with the same first words; otherwise only the identical command. */
  alwaysByPrefix?: true;
  /** The rule is about the input of the command, so the user is shown the whole pipeline. */
  aboutInput?: true;
  when?(command: ShellCommand, facts: MachineFacts): boolean;
};

/** The rules run for every command, so the cheap check of the name comes first. */
export function ruleMatches(rule: CommandRule, command: ShellCommand, facts: MachineFacts): boolean {
  if (rule.commands !== undefined && !namesCommand(rule, command.name)) return false;
  if (rule.everydayName && command.suspected) return false;
  if (rule.commands !== undefined && onlyAsksForHelp(command)) return false;
  return rule.when?.(command, facts) ?? true;
}

/** `docker rm --help`: only subcommands and `--help`. */
function onlyAsksForHelp({ args }: ShellCommand): boolean {
  return args.length <= 4 && args.at(-1) === '--help' && args.slice(0, -1).every((arg) => /^[a-z][a-z:-]*$/.test(arg));
}

export function namesCommand({ commands }: CommandRule, name: string): boolean {
  return commands instanceof RegExp ? commands.test(name) : (commands?.includes(name) ?? false);
}

export const optionsOf = (command: ShellCommand) => splitArguments(command.args).options;
export const operandsOf = (command: ShellCommand) => splitArguments(command.args).operands;
export const hasOption = (command: ShellCommand, ...names: string[]) => hasAny(optionsOf(command), ...names);
/** Whether one of these words is an operand. */
export const hasOperand = (command: ShellCommand, words: readonly string[]) =>
  operandsOf(command).some((operand) => words.includes(operand));

/** Whether the command only prints help or simulates. */
export const isHelpOrDryRun = ({ args }: ShellCommand) =>
  args.some((arg) => ['--help', '--version', '--dry-run'].includes(arg));
