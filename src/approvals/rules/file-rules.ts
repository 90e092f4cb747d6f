import { protectionOf } from '../files/file-guard.ts';
import { isRootOrHome, movedPaths, targetPath, writtenPaths } from '../files/command-paths.ts';
import type { MachineFacts } from '../files/machine-facts.ts';
import { executableName, type ShellCommand } from '../shell/shell-command.ts';
import { isRecursiveDelete } from './hard-block.ts';
import { isHelpOrDryRun, type CommandRule, hasOption, operandsOf } from './rule.ts';

const DELETERS = ['-delete', 'rm', 'unlink', 'shred', 'srm', 'rimraf', 'rmdir', 'truncate'];

/** Deleting and overwriting files, opening their permissions, and changing disks. */
export const FILE_RULES: readonly CommandRule[] = [
  { rule: 'recursive delete', reviewable: true, when: isRecursiveDelete },
  {
    rule: 'delete many files',
    reviewable: true,
    commands: ['find', 'fd', 'fdfind', 'xargs', 'parallel'],
    when: ({ name, args }) => {
      // For fd, only the words after --exec are a command; the others are search patterns.
      const words = name.startsWith('fd')
        ? args.slice(args.findIndex((arg) => /^(?:-[xX]|--exec)/.test(arg)) + 1 || args.length)
        : args;
      return words.some((arg) => DELETERS.includes(executableName(arg)));
    },
  },
  {
    rule: 'extract into system directories',
    commands: ['tar', 'bsdtar', 'gtar', 'unzip', 'cpio', '7z', 'patch'],
    when: (command, facts) =>
      writtenPaths(command, facts).some(
        (path) => isRootOrHome(path, { homes: [] }) && !/^\/(?:home|Users|opt|srv)(?:\/|$)/.test(path),
      ),
  },
  {
    rule: 'delete many files',
    commands: ['rsync'],
    reviewable: true,
    when: (command) =>
      command.args.some((arg) => /^--(?:del|remove-source)/.test(arg)) && !hasOption(command, 'n', 'dry-run'),
  },
  {
    rule: 'change system files',
    commands: ['find'],
    when: (command, facts) => changesWhatIsFound(command, facts),
  },
  {
    rule: 'delete many files',
    commands: ['trash-empty', 'gio', 'conda', 'mamba'],
    reviewable: true,
    everydayName: true,
    when: ({ name, args }) =>
      name === 'trash-empty' || /^(?:trash --empty|(?:env )?remove\b.*--all|env remove)\b/.test(args.join(' ')),
  },
  // Archivers with an option that deletes the files after archiving them.
  {
    rule: 'delete many files',
    commands: ['tar', 'bsdtar', 'gtar', 'zip', '7z'],
    reviewable: true,
    when: ({ name, args }) =>
      args.some((arg) => (name === 'zip' ? /^-[a-zA-Z]*m|^--move$/ : /^(?:--remove-files|-sdel)$/).test(arg)),
  },
  // Unlike deleted files, overwritten files cannot be recovered.
  {
    rule: 'destroy file contents',
    commands: ['shred', 'srm', 'wipe', 'scrub'],
    everydayName: true,
    when: (command) => !isHelpOrDryRun(command),
  },
  {
    rule: 'format a filesystem',
    commands:
      /^(?:mkfs(?:\..+)?|mke2fs|mkntfs|mkdosfs|mkswap|wipefs|fdisk|sfdisk|cfdisk|gdisk|parted|sgdisk|diskutil|blkdiscard|newfs|hdparm|badblocks|tune2fs|resize2fs|diskpart)$/,
    everydayName: true,
    when: (command) => !isHelpOrDryRun(command) && !onlyLists(command),
  },
  {
    rule: 'change disks and volumes',
    commands: [
      'lvremove',
      'vgremove',
      'pvremove',
      'lvreduce',
      'zpool',
      'zfs',
      'btrfs',
      'mdadm',
      'cryptsetup',
      'nvme',
      'dmsetup',
      'pvcreate',
    ],
    when: ({ name, args }) =>
      /^(?:lv|vg|pv)/.test(name) ||
      args.some((arg) =>
        /^(?:destroy|rollback|labelclear|delete|--zero-superblock|--stop|--remove|--fail|luksFormat|erase|luksErase|luksKillSlot|format|sanitize|remove_all)$/.test(
          arg,
        ),
      ),
  },
  // Harmless devices that scripts write to every day are excluded.
  { rule: 'write to a device', when: devicesWritten },
  { rule: 'open permissions to everyone', commands: ['chmod'], reviewable: true, when: opensPermissions },
  {
    rule: 'open permissions to everyone',
    commands: ['umask', 'setfacl'],
    everydayName: true,
    when: ({ name, args }) =>
      name === 'umask' ? /^0*0?0$/.test(args[0] ?? '') : args.some((arg) => /(?:^|,)o(?:ther)?:[^,]*w/.test(arg)),
  },
  {
    rule: 'change permissions of system directories',
    commands: ['chmod', 'chown', 'chgrp', 'chattr', 'setfacl'],
    when: (command, facts) =>
      hasOption(command, 'R', 'recursive') &&
      operandsOf(command).some((operand) => isRootOrHome(targetPath(operand, command) ?? '', facts)),
  },
  {
    rule: 'change the owner to root',
    commands: ['chown'],
    when: (command) =>
      hasOption(command, 'R', 'recursive') && /^(?:root|0)(?:[:.]|$)/.test(operandsOf(command)[0] ?? ''),
  },
  {
    rule: 'discard files',
    commands: ['mv'],
    when: (command, facts) =>
      operandsOf(command).at(-1) === '/dev/null' || movedPaths(command).some((path) => isRootOrHome(path, facts)),
  },
];

/** Programs that modify the files in their arguments. */
const CHANGES = /^(?:chmod|chown|chgrp|mv|tee|truncate|cp|install|ln|dd)$/;

/** `find /etc -exec sed -i …`: every file that is found is a system file. */
function changesWhatIsFound({ args, directory }: ShellCommand, facts: MachineFacts): boolean {
  const at = args.findIndex((arg) => /^-(?:exec|ok)/.test(arg));
  if (at < 0) return false;
  const [name = '', ...options] = args.slice(at + 1);
  const inPlace = /^(?:sed|perl|ruby)$/.test(name) && options.some((option) => /^-[a-zA-Z]*i/.test(option));
  if (!inPlace && !CHANGES.test(name)) return false;
  const starts = args.slice(
    0,
    args.findIndex((arg) => /^[-(!]/.test(arg)),
  );
  return starts.some((start) => {
    const path = targetPath(start, { directory });
    return path !== undefined && (path === '/' || protectionOf(path, facts) !== undefined);
  });
}

/** Options with which these tools only list; `-s` has another meaning for parted. */
function onlyLists({ name, args }: ShellCommand): boolean {
  return args.some(
    (arg) => /^(?:-l|--list|list|info|print|-I|-i|-T|-t)$/.test(arg) || (arg === '-s' && name !== 'parted'),
  );
}

function devicesWritten(command: ShellCommand, facts: MachineFacts): boolean {
  const device = /^\/dev\/(?!null|std|tty$|tty\/|pts|fd|full|zero|shm)/;
  const written = [...command.redirects.filter(({ operator }) => operator.includes('>')).map(({ target }) => target)];
  const named = command.args.filter((arg) => arg.startsWith('of=')).map((arg) => arg.slice(3));
  // The device name may contain a variable whose value is unknown.
  return (
    writtenPaths(command, facts).some((path) => device.test(path)) ||
    [...written, ...named].some((path) => /^\/dev\/[\w/]*\$/.test(path) || /^\/dev\/(?:tcp|udp)\//.test(path))
  );
}

/** World-writable, setuid or setgid modes, in octal or symbolic notation. */
function opensPermissions(command: ShellCommand): boolean {
  const mode =
    command.args.find((arg) => /^[0-7]{3,4}$|^[ugoa]*[-+=][rwxXstugo]*(?:,|$)/.test(arg) && !arg.startsWith('-')) ?? '';
  return (
    /^[0-7]?[0-7]?[0-7]?[2367]$|^[4-7][0-7]{3}$/.test(mode) ||
    /(?:^|,)[ugo]*[oa][ugo]*[+=][rxXst]*w|(?:^|,)=[rxX]*w|(?:^|,)(?:[goa]*u[goa]*|a?)[+=][rwxX]*s/.test(mode)
  );
}
