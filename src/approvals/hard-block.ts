import { hasAny, type ShellCommand, splitArguments } from './shell-command.ts';
import { type Facts, isBlockDevice, isRootOrHome, targetPath, writtenPaths } from './targets.ts';

/** A rule and what it takes to match. `commands` narrows it to executables by name. */
export type CommandRule = {
  rule: string;
  commands?: readonly string[] | RegExp;
  /** The names are everyday words too (`adb reboot`, `pytest -k wipe`), so they count only where a command stands. */
  everydayName?: true;
  when?(command: ShellCommand, facts: Facts): boolean;
};

/** Rules are asked about every command, so the cheap test of the name comes first. */
export function ruleMatches(rule: CommandRule, command: ShellCommand, facts: Facts): boolean {
  if (rule.commands !== undefined && !namesCommand(rule, command.name)) return false;
  if (rule.everydayName && command.suspected) return false;
  return rule.when?.(command, facts) ?? true;
}

export function namesCommand({ commands }: CommandRule, name: string): boolean {
  return commands instanceof RegExp ? commands.test(name) : (commands?.includes(name) ?? false);
}

export function isRecursiveDelete(command: ShellCommand): boolean {
  return command.name === 'rm' && hasAny(splitArguments(command.args).options, 'r', 'R', 'recursive');
}

/** Asking a dangerous program what it does is not dangerous. */
const askedForHelp = ({ args }: ShellCommand) => args.some((arg) => arg === '--help' || arg === '--version');

/** What nothing allows: no mode, no flag, no answer. The machine or all of the user's files would be gone. */
export const HARD_BLOCK: readonly CommandRule[] = [
  {
    rule: 'wipe the system or the home folder',
    commands: ['rm'],
    when: (command, facts) => isRecursiveDelete(command) && aimsAtRootOrHome(command, facts),
  },
  {
    rule: 'wipe the system or the home folder',
    commands: ['find'],
    when: (command, facts) => deletesAll(command) && aimsAtRootOrHome(command, facts),
  },
  // An image in a file may be formatted; a device holds someone's data.
  {
    rule: 'format a disk',
    commands: /^(?:mkfs(?:\..+)?|mke2fs|mkswap|wipefs|blkdiscard|sgdisk|newfs)$/,
    when: (command) => command.args.some((arg) => isBlockDevice(targetPath(arg, command) ?? '')),
  },
  { rule: 'overwrite a disk', when: (command) => writtenPaths(command).some(isBlockDevice) },
  // -1 as a process means all of them; as the first argument it is the signal HUP.
  {
    rule: 'kill every process',
    commands: ['kill'],
    when: ({ args }) => [args.at(-1), ...args.slice(1)].some((arg) => /^-0*1$/.test(arg ?? '')),
  },
  // `-c` takes a planned shutdown back.
  {
    rule: 'shut the machine down',
    commands: ['shutdown', 'reboot', 'halt', 'poweroff'],
    everydayName: true,
    when: (command) => !askedForHelp(command) && !command.args.includes('-c'),
  },
  {
    rule: 'shut the machine down',
    commands: ['init', 'telinit'],
    everydayName: true,
    when: ({ args }) => args[0] === '0' || args[0] === '6',
  },
  {
    rule: 'shut the machine down',
    commands: ['systemctl', 'loginctl'],
    when: ({ args }) => args.some((arg) => ['reboot', 'poweroff', 'halt', 'kexec', 'soft-reboot'].includes(arg)),
  },
  {
    rule: 'shut the machine down',
    when: (command) => writtenPaths(command).includes('/proc/sysrq-trigger'),
  },
];

/** Relative paths count from where the command runs, so `cd / && rm -rf *` is seen. */
function aimsAtRootOrHome(command: ShellCommand, facts: Facts): boolean {
  return splitArguments(command.args).operands.some((operand) => {
    const path = targetPath(operand, command);
    return path !== undefined && isRootOrHome(path, facts);
  });
}

/** `find` that deletes without looking at names, ages or sizes. */
function deletesAll({ args }: ShellCommand): boolean {
  const deletes = args.includes('-delete') || (args.includes('-exec') && args.includes('rm'));
  return (
    deletes &&
    !args.some((arg) => /^-(?:i?name|i?path|i?regex|[acm]time|[acm]min|size|newer|empty|user|perm)/.test(arg))
  );
}
