import type { Facts } from '../files/targets.ts';
import { hasAny, type ShellCommand, splitArguments } from '../shell/shell-command.ts';

/** A rule and what it takes to match. `commands` narrows it to executables by name. */
export type CommandRule = {
  /** What the person reads, and what "for this session" remembers. */
  rule: string;
  commands?: readonly string[] | RegExp;
  /** The names are everyday words too (`adb reboot`, `pytest -k wipe`), so they count only where a command stands. */
  everydayName?: true;
  /** A second model may say that a match is plainly harmless. What reaches other people or machines is never its to say. */
  reviewable?: true;
  /** "Always" may cover what begins with the same words; else only the very same command. */
  alwaysByPrefix?: true;
  /** It is about what flows into the command, so the person is shown the whole pipeline. */
  aboutInput?: true;
  when?(command: ShellCommand, facts: Facts): boolean;
};

/** Rules are asked about every command, so the cheap test of the name comes first. */
export function ruleMatches(rule: CommandRule, command: ShellCommand, facts: Facts): boolean {
  if (rule.commands !== undefined && !namesCommand(rule, command.name)) return false;
  if (rule.everydayName && command.suspected) return false;
  if (rule.commands !== undefined && onlyAsksForHelp(command)) return false;
  return rule.when?.(command, facts) ?? true;
}

/** `docker rm --help`: nothing but words of the program itself beside the question. */
function onlyAsksForHelp({ args }: ShellCommand): boolean {
  return args.length <= 4 && args.at(-1) === '--help' && args.slice(0, -1).every((arg) => /^[a-z][a-z-]*$/.test(arg));
}

export function namesCommand({ commands }: CommandRule, name: string): boolean {
  return commands instanceof RegExp ? commands.test(name) : (commands?.includes(name) ?? false);
}

export const optionsOf = (command: ShellCommand) => splitArguments(command.args).options;
export const operandsOf = (command: ShellCommand) => splitArguments(command.args).operands;
export const hasOption = (command: ShellCommand, ...names: string[]) => hasAny(optionsOf(command), ...names);
/** True where an operand is one of these. */
export const saysOneOf = (command: ShellCommand, words: readonly string[]) =>
  operandsOf(command).some((operand) => words.includes(operand));

/** Asking a dangerous program what it does is not dangerous. */
export const askedForHelp = ({ args }: ShellCommand) =>
  args.some((arg) => ['--help', '--version', '--dry-run'].includes(arg));
