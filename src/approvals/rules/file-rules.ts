import { resolve } from 'node:path';
import { splitCopy } from '../files/copy-arguments.ts';
import { protectionOf, temporaryFolders } from '../files/file-guard.ts';
import { isRootOrHome, movedPaths, targetPath, writtenPaths } from '../files/command-paths.ts';
import { isWithin, type MachineFacts } from '../files/machine-facts.ts';
import { executableName, optionValues, type ShellCommand } from '../shell/shell-command.ts';
import { isComputed } from '../shell/words.ts';
import { isRecursiveDelete } from './hard-block.ts';
import { isOutsideProject } from './outside-files.ts';
import { USER_FOLDER } from './personal-files.ts';
import { type ProgramRow, tableRule } from './program-table.ts';
import { isHelpOrDryRun, type CommandRule, hasOption, operandsOf } from './rule.ts';

const DELETERS = '-delete rm unlink shred srm rimraf rmdir truncate'.split(' ');

/** Programs that delete what their arguments name, whatever their options are. */
const DELETING_PROGRAMS: readonly ProgramRow[] = [
  ['del-cli del trash-cli rimraf rm-cli fkill', /(?:^|\s)[^-\s]/],
  ['robocopy', /\/(?:mir|purge|move?)\b/i],
  ['unison', /-(?:force|batch)\b/],
  ['rclone', /^(?:purge|delete|deletefile|rmdirs?|move|moveto|sync|bisync|cleanup|dedupe)\b/],
  ['fdupes jdupes rmlint', /(?:^|\s)-\w*[dN]|--delete|-c sh/],
  // Notes, tasks, contacts, music and books of the user.
  ['nb', /^(?:delete|d|rm)\s/],
  ['task', /^(?:rc\S+ )+.*\b(?:delete|purge|done)\b|^\d[\d,-]* (?:delete|purge)\b/],
  ['joplin', /^rm\w*\s/],
  ['beet', /^(?:remove|rm|modify|mod)\b|^move\b.*(?:^|\s)-\w*d/],
  ['calibredb', /^(?:remove|backup_metadata|remove_\w+)\b/],
  ['gcalcli', /^(?:-\S+ )*delete\b/],
  ['jrnl', /--delete\b/],
  ['todoist', /^(?:delete|d)\b/],
  ['bleachbit', /(?:^|\s)(?:-c|--clean|-s|--shred|-w)/],
  ['tmpreaper tmpwatch', /\S/, /--test\b/],
  ['git-clean npkill', /(?:^|\s)(?:-D|--delete-all|-f)/],
];

/** `find -exec sh -c 'rm "$1"'`, and a redirect that empties each file. */
const DELETES_IN_SCRIPT =
  /(?:^|[;&|({]|\bdo\b)\s*(?:rm|unlink|shred|truncate)\s+[^;|&]*(?:\$|\{\})|^\s*(?::|true|cat \/dev\/null)?\s*>\s*["']?(?:\{\}|\$|%)/;

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
      return (
        words.some((arg) => DELETERS.includes(executableName(arg))) ||
        words.some((arg, index) => /^-[a-z]*c$/.test(words[index - 1] ?? '') && DELETES_IN_SCRIPT.test(arg)) ||
        (words.some((arg) => /^(?:if=)?\/dev\/null$/.test(arg)) &&
          words.some((arg) => /^(?:cp|ln|install|dd|tee)$/.test(executableName(arg))))
      );
    },
  },
  {
    rule: 'delete many files',
    reviewable: true,
    aboutInput: true,
    commands: ['rm', 'unlink', 'shred', 'truncate', 'git'],
    when: deletesWhatIsListed,
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
      !hasOption(command, 'n', 'dry-run') &&
      command.args.some(
        (arg) => arg.startsWith('--remove-source') || (arg.startsWith('--del') && !copiesToTemporary(command)),
      ),
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
    commands: 'lvremove vgremove pvremove lvreduce zpool zfs btrfs mdadm cryptsetup nvme dmsetup pvcreate'.split(' '),
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
  {
    rule: 'open permissions to everyone',
    commands: ['chmod', 'install', 'mkdir', 'mkfifo', 'mknod'],
    reviewable: true,
    when: opensPermissions,
  },
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
      operandsOf(command).some((operand) => {
        const path = targetPath(operand, command) ?? '';
        return isRootOrHome(path, facts) || (command.remote === undefined && isSharedFolder(path, command, facts));
      }),
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
      operandsOf(command).at(-1) === '/dev/null' ||
      movedPaths(command).some((path) => isRootOrHome(path, facts) || isUserFolder(path, facts)),
  },
  {
    rule: 'discard files',
    commands: ['trash', 'trash-put', 'gio', 'gvfs-trash', 'kioclient', 'kioclient5', 'rmtrash'],
    everydayName: true,
    reviewable: true,
    when: (command, facts) =>
      /^(?:trash|move|remove|rmtrash|-)?/.test(command.args[0] ?? '') &&
      (hasOption(command, 'r', 'R') ||
        operandsOf(command).some((operand) => isUserFolder(targetPath(operand, command) ?? '', facts)) ||
        command.args.some((arg) => arg.startsWith('trash:'))),
  },
  tableRule('delete many files', DELETING_PROGRAMS, { reviewable: true }),
  { rule: 'destroy file contents', when: emptiesFile },
  {
    rule: 'discard work in git',
    commands: ['rm', 'unlink', 'shred', 'mv', 'truncate'],
    when: (command) =>
      operandsOf(command).some((operand) => /(?:^|\/)\.git\/(?!.*\.lock$|hooks\/|modules\/.*\.lock$)\S/.test(operand)),
  },
];

/** A folder that other programs and users of the machine share. */
function isSharedFolder(path: string, { directory }: ShellCommand, facts: MachineFacts): boolean {
  return (
    /^\/(?:usr|opt|var|srv|Library|Applications|private)\/(?!tmp\/)./.test(path) &&
    isOutsideProject(path, directory, facts)
  );
}

/** Programs that print the names of many files. */
const LISTS_FILES: Readonly<Record<string, RegExp>> = {
  find: /^/,
  fd: /^/,
  fdfind: /^/,
  ls: /^/,
  locate: /^/,
  tree: /^/,
  git: /\b(?:ls-files|ls-tree|diff|status|grep|log|show)\b/,
  rg: /(?:^|\s)(?:-\w*l|--files)/,
  grep: /(?:^|\s)(?:-\w*[lL]|--files-with)/,
  cat: /^/,
};

/** `find … | while read f; do rm "$f"; done` and `rm $(git ls-files)`; the first or last of a list is one file. */
function deletesWhatIsListed({ name, args, fedBy, suspected }: ShellCommand): boolean {
  if (suspected || !args.some(isComputed) || (name === 'git' && args[0] !== 'rm')) return false;
  if (fedBy.some((source) => /^(?:head|tail)$/.test(source.name) && /^-(?:n ?)?1$/.test(source.args.join(' '))))
    return false;
  return fedBy.some((source) => LISTS_FILES[source.name]?.test(source.args.join(' ')) === true);
}

/** The folders with the documents of the user. */
function isUserFolder(path: string, { homes }: MachineFacts): boolean {
  const home = homes.find((one) => path.startsWith(`${one}/`));
  return home !== undefined && /^\/[^/]+$/.test(path.slice(home.length)) && USER_FOLDER.test(path.slice(home.length));
}

const DATABASE_FILE = /\.(?:db|sqlite3?|db3|mdb|accdb|rdb|ibd|dbf|duckdb|ldb|realm|kdbx|wal)$/i;
const CONTENT_FILE =
  /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|c|cc|cpp|h|hpp|rb|php|swift|cs|md|json|ya?ml|toml|sql|csv|xlsx?|docx?|pptx?|odt|pdf|key|pem)$/i;
const EMPTY_SOURCE = /^(?:if=)?\/dev\/(?:null|zero|u?random)$/;

/** Whether a command empties a file or fills it with nothing useful, apart from logs and new files. */
function emptiesFile(command: ShellCommand, facts: MachineFacts): boolean {
  const { name, args, redirects, suspected, source } = command;
  if (suspected) return false;
  if (emptiesByScript(command)) return true;
  const byProgram =
    (name === 'truncate' && /(?:^|\s)(?:-s|--size)[= ]?0\b/.test(args.join(' '))) ||
    name === 'fallocate' ||
    (/^(?:cp|install|ln|dd|tee|sponge|shuf|sort)$/.test(name) &&
      [...args, ...redirects.filter(({ operator }) => operator === '<').map(({ target }) => target)].some((arg) =>
        EMPTY_SOURCE.test(arg),
      ));
  const byRedirect =
    redirects.some(({ operator }) => operator === '>' || operator === '>|') &&
    (/^(?::|true|)$/.test(name) ||
      args.includes('/dev/null') ||
      (/^(?:head|tail)$/.test(name) && /^-[cn] ?0\b/.test(args.join(' '))) ||
      (/^(?:echo|printf)$/.test(name) && /^(?:-n|)\s*$/.test(args.join(' ').trim())));
  if (!byProgram && !byRedirect) return false;
  if (name === 'fallocate' && !args.some((arg) => /^(?:-[pczd]|--(?:punch|collapse|zero|dig))/.test(arg))) return false;
  if (
    byRedirect &&
    (LOOP_TARGET.test(source) ||
      redirects.some(({ operator, target }) => /^>\|?$/.test(operator) && isOneOfMany(target)))
  )
    return true;
  return writtenPaths(command, facts).some(
    (path) =>
      DATABASE_FILE.test(path) ||
      (command.remote === undefined && isOutsideProject(path, command.directory, facts)) ||
      (byProgram && CONTENT_FILE.test(path) && !isWithinTemporary(path)) ||
      (byProgram && facts.homes.some((home) => isWithin(path, home) && USER_FOLDER.test(path.slice(home.length)))),
  );
}

/** A redirect to the variable of a loop, as it is written. A variable in upper case names one file. */
const LOOP_TARGET = />\|?\s*["']?\$\{?[a-z_]\w*\}?["']?\s*$/;
/** The result of a search, or a pattern: each of the files is emptied. */
const isOneOfMany = (target: string) =>
  /^["']?\$\{?[a-z_]\w*\}?["']?$|^["']?(?:\$\(|`)|[*?]/.test(target) && !/\.log\b|\/dev\/|mktemp/.test(target);

/** Scripts of sed that delete every line or everything in it. */
const EMPTIES_LINES = /^(?:[01],\$|\/(?:\.\*|\^|\$)\/)?d$|^s([/|,#])\^?\.[*+]\$?\1\1[gm]*$/;
/** Scripts of perl and ruby that replace every line with nothing. */
const EMPTIES_VARIABLE =
  /^(?:\$_\s*=\s*(?:""|''|q\(\)|undef|nil)|undef\(?\s*\$_\)?|(?:\$_\.)?(?:clear|replace\((?:""|'')\)))\s*;?$/;

/** Editors and filters that delete all lines of the files in their arguments. */
function emptiesByScript(command: ShellCommand): boolean {
  const { name, args, input } = command;
  if (name === 'sed' || name === 'gsed')
    return (
      hasOption(command, 'i', 'in-place') &&
      (args.some((arg) => EMPTIES_LINES.test(arg)) || (hasOption(command, 'n') && args.includes('')))
    );
  if (name === 'perl' || name === 'ruby') {
    const scripts = optionValues(args, /^-\w*e(.*)$/);
    return (
      hasOption(command, 'i') &&
      scripts.some((one) =>
        hasOption(command, 'n') ? /^(?:0|1)?;?$/.test(one.trim()) : EMPTIES_VARIABLE.test(one.trim()),
      )
    );
  }
  if (/^g?awk$/.test(name)) return args.includes('inplace') && args.some((arg) => /^(?:0|\{\})?$/.test(arg));
  if (!/^(?:vim?|nvim|ex|ed)$/.test(name)) return false;
  return [...args, ...(input?.split('\n') ?? [])].some((text) => /(?:^|[|:+])\s*(?:%|1,\$|,)d(?:elete)?\b/.test(text));
}

const isWithinTemporary = (path: string) => temporaryFolders().some((folder) => path.startsWith(`${folder}/`));

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
    (arg) =>
      /^(?:-l|--list|list|info|print|-I|-i|-T|-t|-V|--version)$/.test(arg) || (arg === '-s' && name !== 'parted'),
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
function opensPermissions({ name, args }: ShellCommand): boolean {
  // Other programs than chmod take the mode of the new file with an option.
  const given = name === 'chmod' ? args : optionValues(args, /^(?:-[a-zA-Z]*m|--mode=?)(.*)$/);
  const mode =
    given.find((arg) => /^[0-7]{3,4}$|^[ugoa]*[-+=][rwxXstugo]*(?:,|$)/.test(arg) && !arg.startsWith('-')) ?? '';
  return (
    /^[0-7]?[0-7]?[0-7]?[2367]$|^[4-7][0-7]{3}$/.test(mode) ||
    /(?:^|,)[ugo]*[oa][ugo]*[+=][rxXst]*w|(?:^|,)=[rxX]*w|(?:^|,)(?:[goa]*u[goa]*|a?)[+=][rwxX]*s/.test(mode)
  );
}

function copiesToTemporary({ name, args, directory }: ShellCommand): boolean {
  const target = resolve(directory, splitCopy({ name, args }).target ?? '.');
  return temporaryFolders().some((folder) => target !== folder && isWithin(target, folder));
}
