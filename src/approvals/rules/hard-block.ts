import { isBlockDevice } from '../files/file-guard.ts';
import { isIrreplaceable, isRootOrHome, movedPaths, targetPath, writtenPaths } from '../files/command-paths.ts';
import type { MachineFacts } from '../files/machine-facts.ts';
import { hasAny, type ShellCommand, type Source, splitArguments } from '../shell/shell-command.ts';
import { isHelpOrDryRun, type CommandRule } from './rule.ts';

const RECURSIVE = new Set(['rm', 'rimraf', 'srm', 'wipe', 'grm', 'trash-rm', 'del']);
const SHUTDOWN = 'shut the machine down';
const WIPE = 'wipe the system or the home directory';

export function isRecursiveDelete(command: Pick<ShellCommand, 'name' | 'args'>): boolean {
  if (!RECURSIVE.has(command.name)) return false;
  return (
    (command.name === 'rimraf' && splitArguments(command.args).operands.length > 0) ||
    hasAny(splitArguments(command.args).options, 'r', 'R', 'recursive')
  );
}

/** Commands that are blocked in every mode, because they would destroy the machine or all files of the user. */
export const HARD_BLOCK: readonly CommandRule[] = [
  {
    rule: WIPE,
    commands: [...RECURSIVE],
    when: (command, facts) =>
      (isRecursiveDelete(command) && aimsAtRootOrHome(command, facts)) ||
      (command.name === 'rm' && deletesAllFound(command, facts)),
  },
  {
    rule: WIPE,
    commands: ['find'],
    when: (command, facts) => deletesAll(command.args) && aimsAtRootOrHome(command, facts),
  },
  {
    rule: WIPE,
    commands: ['rsync'],
    when: (command, facts) =>
      command.args.some((arg) => arg.startsWith('--del')) && lastIsIrreplaceable(command, facts),
  },
  // After moving a system folder away, no program works any more, including the shell.
  {
    rule: WIPE,
    commands: ['mv'],
    when: (command, facts) => movedPaths(command).some((path) => isIrreplaceable(path, facts)),
  },
  // Formatting a disk image in a file is allowed; a device may hold data.
  {
    rule: 'format a disk',
    commands:
      /^(?:mkfs(?:\..+)?|mke2fs|mkswap|mkntfs|mkdosfs|wipefs|blkdiscard|sgdisk|newfs|badblocks|hdparm|nvme|cryptsetup|parted|sfdisk|diskutil|shred|wipe|scrub)$/,
    when: (command) => formats(command) && command.args.some((arg) => isBlockDevice(targetPath(arg, command) ?? '')),
  },
  // Excludes changes of permissions, which can be undone.
  {
    rule: 'overwrite a disk',
    when: (command, facts) =>
      !/^(?:chmod|chown|chgrp|chattr)$/.test(command.name) && writtenPaths(command, facts).some(isBlockDevice),
  },
  // As a pid, -1 means all processes; as the first argument it is the signal HUP.
  {
    rule: 'kill every process',
    commands: ['kill'],
    when: ({ args }) => [args.length > 1 ? args.at(-1) : '', ...args.slice(1)].some((arg) => /^-0*1$/.test(arg ?? '')),
  },
  { rule: 'kill every process', commands: ['killall5'], when: (command) => !isHelpOrDryRun(command) },
  // `-c` cancels a scheduled shutdown.
  {
    rule: SHUTDOWN,
    commands: ['shutdown', 'reboot', 'halt', 'poweroff'],
    everydayName: true,
    when: (command) => !isHelpOrDryRun(command) && !command.args.includes('-c'),
  },
  {
    rule: SHUTDOWN,
    commands: ['shutdown'],
    // With a time argument, the command is a shutdown even among the arguments of an unknown program.
    when: ({ args, suspected }) => suspected && /^(?:now|\+\d+|-[hrP])$/.test(args[0] ?? ''),
  },
  {
    rule: SHUTDOWN,
    commands: ['init', 'telinit'],
    everydayName: true,
    when: ({ args }) => args[0] === '0' || args[0] === '6',
  },
  {
    rule: SHUTDOWN,
    commands: ['systemctl', 'loginctl'],
    when: ({ args }) => {
      const [verb = '', unit = ''] = args.filter((arg) => !arg.startsWith('-'));
      const target = /^(?:start|isolate)$/.test(verb) && /^(?:reboot|poweroff|halt|kexec)\.target$/.test(unit);
      return /^(?:reboot|poweroff|halt|kexec|soft-reboot)$/.test(verb) || target;
    },
  },
  {
    rule: SHUTDOWN,
    commands: ['dbus-send', 'busctl', 'gdbus'],
    when: ({ args }) => args.some((arg) => /login1.*\.(?:PowerOff|Reboot|Halt)$|^(?:PowerOff|Reboot|Halt)$/.test(arg)),
  },
  { rule: SHUTDOWN, commands: ['kexec'], when: ({ args }) => args.includes('-e') },
  { rule: SHUTDOWN, when: (command, facts) => writtenPaths(command, facts).includes('/proc/sysrq-trigger') },
];

/** Whether the arguments make the tool erase or format, rather than list or test. */
function formats({ name, args }: ShellCommand): boolean {
  if (
    args.some((arg) =>
      ['--help', '--version', '-h', '-l', '--list', 'print', 'list', 'info', '-n', '--no-act'].includes(arg),
    )
  )
    return false;
  const erases: Readonly<Record<string, RegExp>> = {
    wipefs: /^(?:-[a-z]*[aofq]|--all)/,
    badblocks: /^-\w*w/,
    hdparm: /erase|^--trim/,
    nvme: /^(?:format|sanitize|write-zeroes)$/,
    cryptsetup: /^(?:luksFormat|erase|luksErase|reencrypt)$/,
    parted: /^(?:mklabel|mkpart|mktable|rm|resizepart)$/,
    sgdisk: /^(?:-[zZodg]|--zap|--clear|--delete|-n)/,
    diskutil: /^(?:erase|reformat|partition|secureErase|zero)/i,
    sfdisk: /^(?!-[ldJ]|--(?:list|dump|json))/,
  };
  const wanted = erases[name];
  return wanted === undefined || args.some((arg) => wanted.test(arg));
}

/** Relative paths are resolved against the directory of the command, so that `cd / && rm -rf *` is detected. */
function aimsAtRootOrHome(command: ShellCommand, facts: MachineFacts): boolean {
  return splitArguments(command.args).operands.some((operand) => isRootOrHomeOperand(operand, command, facts));
}

function lastIsIrreplaceable(command: ShellCommand, facts: MachineFacts): boolean {
  const path = targetPath(splitArguments(command.args).operands.at(-1) ?? '', command);
  return path !== undefined && isIrreplaceable(path, facts);
}

function isRootOrHomeOperand(operand: string, command: Pick<ShellCommand, 'directory'>, facts: MachineFacts): boolean {
  const path = targetPath(operand, command);
  return path !== undefined && isRootOrHome(path, facts);
}

/** `find` that deletes without filtering by name, age or size. */
function deletesAll(args: readonly string[]): boolean {
  const runs =
    args.some((arg) => /^-(?:exec|ok)/.test(arg)) &&
    args.some((arg) => /(?:^|\/)(?:rm|unlink|shred)\b|\brm\s/.test(arg));
  return (args.includes('-delete') || runs) && !choosesFiles(args);
}

/** A name pattern of only `*` does not filter anything. */
function choosesFiles(args: readonly string[]): boolean {
  return args.some(
    (arg, index) =>
      /^-(?:i?name|i?path|i?regex|[acm]time|[acm]min|size|newer|empty|user|perm)/.test(arg) &&
      !/^[*./]+$/.test(args[index + 1] ?? ''),
  );
}

/** `find / | xargs rm`: deletes everything that an unfiltered find lists. */
function deletesAllFound({ fedBy }: ShellCommand, facts: MachineFacts): boolean {
  const isAll = (source: Source) =>
    source.name === 'find' && !choosesFiles(source.args) && isRootOrHomeOperand(source.args[0] ?? '', source, facts);
  return fedBy.some(isAll);
}
