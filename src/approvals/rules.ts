import { protectionOf, protectionsInside } from './file-guard.ts';
import { type CommandRule, isRecursiveDelete } from './hard-block.ts';
import { CODE_RUNNER, isInterpreter, runsDangerousCode } from './inline-code.ts';
import { hasAny, type ShellCommand, splitArguments } from './shell-command.ts';
import { type Facts, isRootOrHome, removedPaths, targetPath, writtenPaths } from './targets.ts';
import { executableName, SHELLS } from './unwrap.ts';

const optionsOf = (command: ShellCommand) => splitArguments(command.args).options;
const operandsOf = (command: ShellCommand) => splitArguments(command.args).operands;
/** True where the words appear in this order among the operands: `compose down`. */
const says = (command: ShellCommand, ...words: string[]) => {
  const operands = operandsOf(command);
  const start = operands.indexOf(words[0] ?? '');
  return start >= 0 && words.every((word, offset) => operands[start + offset] === word);
};
/** True where an operand is one of these. */
const saysOneOf = (command: ShellCommand, words: readonly string[]) =>
  operandsOf(command).some((operand) => words.includes(operand));

/** Programs that bring text from elsewhere. */
const NETWORK = new Set(['curl', 'wget', 'fetch', 'aria2c', 'nc', 'ncat', 'socat', 'http', 'https', 'lynx']);
/** Commands of the shell that read a file as a script. */
const READERS = new Set(['source', '.']);
/** Programs that turn unreadable text into readable text. */
const DECODERS = new Set(['base64', 'base32', 'xxd', 'openssl', 'uudecode', 'rev', 'tr', 'gunzip', 'zcat']);
/** What is read without a parser on the way to another machine, whose shell may be any. */
const DANGEROUS_REMOTE =
  /\brm\s+-\w*[rR]|\b(?:mkfs|shutdown|reboot|poweroff|halt|killall|pkill|wipefs)\b|\bdd\s.*\bof=|\bsystemctl\s+(?:stop|disable)/;
/** A delete counts where nothing follows the table's name: with a condition it is everyday work. */
const DESTRUCTIVE_SQL =
  /\bdrop\s+(?:table|database|schema|view|index|user|role)\b|\btruncate\s+(?:table\s+)?\w|\bdelete\s+from\s+[\w."`]+\s*(?:;|$)|\balter\s+table\s+\S+\s+drop\b/im;

/** Whether a command executes what one of the sources prints, by pipe, `$(…)` or `<(…)`. */
function runsInputOf(command: ShellCommand, sources: ReadonlySet<string>): boolean {
  const { name } = command;
  const runs = SHELLS.has(name) || isInterpreter(name) || READERS.has(name) || name === 'eval';
  return runs && command.fedBy.some((source) => sources.has(source));
}

/** Whether a command executes what stands in a file that other commands make as it runs. */
function runsSubstitution({ name, args, redirects }: ShellCommand): boolean {
  const files = [...args, ...redirects.filter(({ operator }) => operator === '<').map(({ target }) => target)];
  return (SHELLS.has(name) || READERS.has(name)) && files.some((file) => file.startsWith('<('));
}

/** Writable for everyone, or running as someone else, in numbers or letters. */
function opensPermissions(command: ShellCommand): boolean {
  const [mode = ''] = operandsOf(command);
  return (
    /^[0-7]?[0-7]?[0-7]?[2367]$/.test(mode) ||
    /(?:^|,)[ugo]*[oa][ugo]*[+=][rxXst]*w|(?:^|,)\+w?[rxX]*w|[ugoa]*\+[rwxX]*s/.test(mode)
  );
}

/** What asks first. Each rule's name is what the person reads and what "for this session" remembers. */
export const RULES: readonly CommandRule[] = [
  { rule: 'recursive delete', commands: ['rm'], when: isRecursiveDelete },
  {
    rule: 'delete many files',
    commands: ['find', 'fd', 'fdfind', 'xargs', 'parallel'],
    when: ({ args }) => args.some((arg) => ['-delete', 'rm', 'unlink', 'shred'].includes(executableName(arg))),
  },
  { rule: 'delete many files', commands: ['rsync'], when: ({ args }) => args.some((arg) => arg.startsWith('--del')) },
  // Unlike a delete this cannot be undone by any means.
  { rule: 'destroy file contents', commands: ['shred', 'srm', 'wipe'], everydayName: true },
  {
    rule: 'format a filesystem',
    commands: /^(?:mkfs(?:\..+)?|mke2fs|mkswap|wipefs|fdisk|sfdisk|cfdisk|parted|sgdisk|diskutil|blkdiscard|newfs)$/,
    everydayName: true,
    when: ({ args }) => !args.some((arg) => ['-l', '--list', 'list', 'info', 'print', '--help'].includes(arg)),
  },
  // The devices left out are the harmless ones that scripts write to every day.
  {
    rule: 'write to a device',
    when: (command) => writtenPaths(command).some((path) => /^\/dev\/(?!null|std|tty|pts|fd|full|zero|shm)/.test(path)),
  },
  {
    rule: 'destructive SQL',
    commands: /^(?:psql|mysql|mariadb|sqlite3?|duckdb|sqlcmd|clickhouse(?:-client)?|cockroach|bq|mycli|pgcli)$/,
    when: ({ args, input }) => DESTRUCTIVE_SQL.test(`${args.join('\n')}\n${input ?? ''}`),
  },
  {
    rule: 'stop or change services',
    commands: ['systemctl'],
    when: (command) => saysOneOf(command, ['stop', 'disable', 'mask', 'kill', 'restart', 'isolate', 'revert']),
  },
  {
    rule: 'stop or change services',
    everydayName: true,
    commands: ['service', 'rc-service', 'initctl', 'sv', 'supervisorctl', 'launchctl'],
    when: (command) => saysOneOf(command, ['stop', 'restart', 'unload', 'bootout', 'down', 'remove', 'disable']),
  },
  { rule: 'run what the network sends', when: (command) => runsInputOf(command, NETWORK) },
  {
    // Not the hard block: the other machine is the user's to restart.
    rule: 'dangerous command on another machine',
    commands: ['ssh'],
    when: ({ args, input }) => DANGEROUS_REMOTE.test(`${args.join(' ')}\n${input ?? ''}`),
  },
  { rule: 'run hidden text', when: (command) => runsInputOf(command, DECODERS) || runsSubstitution(command) },
  {
    rule: 'kill many processes',
    commands: ['killall', 'pkill', 'killall5', 'skill', 'fuser'],
    everydayName: true,
    when: (command) => command.name !== 'fuser' || hasAny(optionsOf(command), 'k'),
  },
  {
    rule: 'kill many processes',
    commands: ['kill', 'xargs'],
    when: (command) =>
      command.fedBy.some((name) => name === 'pgrep' || name === 'ps') &&
      (command.name === 'kill' || command.args.includes('kill')),
  },
  { rule: 'open permissions to everyone', commands: ['chmod'], when: opensPermissions },
  {
    rule: 'change permissions of system folders',
    commands: ['chmod', 'chown', 'chgrp', 'chattr'],
    when: (command, facts) =>
      hasAny(optionsOf(command), 'R', 'recursive') &&
      operandsOf(command).some((operand) => isRootOrHome(targetPath(operand, command) ?? '', facts)),
  },
  // A password on standard input was written by the model: a guess, or a leak.
  {
    rule: 'read a password from standard input',
    commands: ['sudo'],
    when: ({ args }) => /^-[a-zA-Z]*S/.test(args[0] ?? ''),
  },
  // Commits that are only unreachable can be found again; what was never committed cannot.
  {
    rule: 'discard work in git',
    commands: ['git'],
    when: (command) =>
      (says(command, 'reset') && hasAny(optionsOf(command), 'hard')) ||
      (says(command, 'clean') && hasAny(optionsOf(command), 'f', 'force')) ||
      (says(command, 'branch') && optionsOf(command).has('D')) ||
      says(command, 'stash', 'drop') ||
      says(command, 'stash', 'clear') ||
      putsFilesBack(command),
  },
  {
    rule: 'rewrite git history',
    commands: ['git'],
    when: (command) =>
      saysOneOf(command, ['filter-branch', 'filter-repo']) ||
      says(command, 'reflog', 'expire') ||
      says(command, 'reflog', 'delete') ||
      (says(command, 'update-ref') && optionsOf(command).has('d')) ||
      (says(command, 'gc') && command.args.some((arg) => arg.startsWith('--prune'))) ||
      (says(command, 'push') && forcesPush(command)),
  },
  {
    rule: 'remove containers or their data',
    commands: ['docker', 'podman', 'docker-compose', 'nerdctl'],
    when: (command) => saysOneOf(command, ['prune', 'down', 'rm', 'rmi', 'kill', 'stop']) && !askedToTidyUp(command),
  },
  // Many tools, one vocabulary: the verb tells more than the program.
  {
    rule: 'destroy infrastructure',
    commands: ['terraform', 'tofu', 'pulumi', 'kubectl', 'helm', 'aws', 'gcloud', 'az', 'gh', 'heroku', 'fly'],
    when: (command) =>
      operandsOf(command).some((word) =>
        /^(?:destroy|delete|uninstall|rm|rb|drain|terminate-\w.*|delete-\w.*)$/.test(word),
      ) || hasAny(optionsOf(command), 'destroy'),
  },
  {
    rule: 'remove system packages',
    commands: ['apt', 'apt-get', 'dnf', 'yum', 'pacman', 'zypper', 'apk', 'snap', 'dpkg', 'rpm'],
    when: (command) =>
      saysOneOf(command, ['remove', 'purge', 'autoremove', 'erase', 'del']) ||
      (['pacman', 'rpm', 'dpkg'].includes(command.name) && hasAny(optionsOf(command), 'R', 'e', 'P', 'purge')),
  },
  // What is published cannot be taken back.
  {
    rule: 'publish a package',
    commands: ['npm', 'pnpm', 'yarn', 'cargo', 'twine', 'gem'],
    when: (command) =>
      !says(command, 'run') &&
      saysOneOf(command, ['publish', 'unpublish', 'upload', 'push', 'yank']) &&
      !optionsOf(command).has('dry-run'),
  },
  {
    rule: 'change users or rights',
    commands: ['useradd', 'userdel', 'usermod', 'passwd', 'chpasswd', 'visudo', 'groupdel', 'adduser', 'deluser'],
    everydayName: true,
  },
  {
    rule: 'change the firewall',
    commands: ['iptables', 'ip6tables', 'nft', 'ufw', 'pfctl'],
    when: ({ args }) => args.some((arg) => /^(?:-[FXPAID]|flush|disable|reset|delete|add|deny|allow|-d)$/.test(arg)),
  },
  {
    rule: 'change scheduled jobs',
    commands: ['crontab', 'at', 'atrm'],
    everydayName: true,
    when: ({ args }) => !args.includes('-l'),
  },
  {
    rule: 'change kernel settings',
    commands: ['insmod', 'rmmod', 'modprobe', 'sysctl', 'swapoff', 'mount', 'umount'],
    everydayName: true,
    when: ({ name, args }) => (name === 'sysctl' ? args.includes('-w') : args.length > 0),
  },
  // Any inline code could do harm, but asking about each of them would teach people to say yes.
  {
    rule: 'inline code that deletes or runs programs',
    commands: CODE_RUNNER,
    when: runsDangerousCode,
  },
  // Nobody can judge what is only known when it runs.
  { rule: 'a command whose name is computed', when: ({ computedName }) => computedName },
];

/** Whole folders taken back to what was committed; `restore --staged` leaves the files as they are. */
function putsFilesBack(command: ShellCommand): boolean {
  const options = optionsOf(command);
  if (says(command, 'switch')) return hasAny(options, 'f', 'force', 'discard-changes');
  if (says(command, 'checkout') && hasAny(options, 'f', 'force')) return true;
  const onlyIndex = hasAny(options, 'S', 'staged') && !hasAny(options, 'W', 'worktree');
  const all = saysOneOf(command, ['.', './', ':/', ':', '*', '..']);
  return all && (says(command, 'checkout') || (says(command, 'restore') && !onlyIndex));
}

/** All the ways to overwrite or remove what others may have fetched: flags, `+ref` and `:ref`. */
function forcesPush({ args }: ShellCommand): boolean {
  return args.some((arg) => /^(?:-[a-zA-Z]*f[a-zA-Z]*|--fo.*|--mi.*|--de.*|-d|\+\S+|:\S+)$/.test(arg));
}

/** `docker run --rm …` names no container to remove. */
function askedToTidyUp(command: ShellCommand): boolean {
  return operandsOf(command)[0] === 'run' || operandsOf(command)[0] === 'exec' || operandsOf(command)[0] === 'build';
}

/** Rules of the file guard, for what a command writes, and for what it takes away with all that is inside. */
export function protectionsTouched(command: ShellCommand, facts: Facts): string[] {
  return [
    ...writtenPaths(command).flatMap((path) => protectionOf(path, facts) ?? []),
    ...removedPaths(command).flatMap((path) => protectionsInside(path, facts)),
  ];
}
