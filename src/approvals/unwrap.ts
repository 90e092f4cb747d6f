/** Wrappers that run the rest of their arguments; the value lists options that take an argument of their own. */
const WRAPPERS: Readonly<Record<string, readonly string[]>> = {
  sudo: ['-u', '-g', '-h', '-p', '-C', '-D', '-R', '-T', '-U', '--user', '--group'],
  doas: ['-u', '-C'],
  env: ['-u', '-C', '-S', '--unset', '--chdir'],
  nohup: [],
  nice: ['-n'],
  ionice: ['-c', '-n'],
  time: ['-f', '-o'],
  timeout: ['-s', '-k', '--signal', '--kill-after'],
  command: [],
  builtin: [],
  exec: ['-a'],
  setsid: [],
  stdbuf: ['-i', '-o', '-e'],
  chroot: [],
  xargs: ['-I', '-n', '-P', '-L', '-d', '-a', '-E', '-s', '--max-args', '--max-procs', '--delimiter'],
  parallel: ['-j'],
  watch: ['-n', '--interval'],
  busybox: [],
  toybox: [],
  strace: ['-e', '-o', '-p'],
  flock: ['-w', '-E'],
  pkexec: ['-u', '--user'],
  run0: ['-u', '-g', '-D', '--user', '--group', '--chdir', '--unit', '--property', '--setenv'],
  'systemd-run': [
    ...['-u', '-p', '-M', '-H', '-E', '--unit', '--property', '--machine', '--host', '--setenv', '--slice'],
    ...['--description', '--uid', '--gid', '--nice', '--working-directory'],
    ...['--on-active', '--on-boot', '--on-calendar'],
  ],
  unshare: ['-R', '-w', '-S', '-G', '--root', '--wd', '--setuid', '--setgid', '--map-user', '--map-group'],
  nsenter: ['-t', '-S', '-G', '--target', '--setuid', '--setgid'],
  setpriv: ['--reuid', '--regid', '--groups', '--inh-caps', '--bounding-set', '--securebits'],
  taskset: [],
  chrt: [],
  gosu: [],
  fakeroot: ['-l', '-s', '-i', '-b'],
  'dbus-run-session': [],
  caffeinate: ['-t', '-w'],
};
/** Wrappers with operands of their own in front of the command. */
const OPERANDS_BEFORE: Readonly<Record<string, number>> = {
  timeout: 1,
  chroot: 1,
  flock: 1,
  taskset: 1,
  chrt: 1,
  gosu: 1,
};
/** Programs that hand the text behind `-c` to a shell. */
const SCRIPT_OPTION = new Set(['su', 'runuser', 'script', 'sg']);

export const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'fish', 'rbash']);

/** Read in a way of their own, not from a table. */
const OTHER_WRAPPERS = new Set(['eval', 'trap', 'find', 'fd', 'fdfind']);

/** What stands behind a command word: another command's words, or a script to be read. */
export type Inner = { words: string[] } | { script: string };

/** The name of an executable without its folder: `/bin/rm` is `rm`. */
export function executableName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

/** What these words run in turn; nothing where they are a command of their own. */
export function unwrap(words: readonly string[]): Inner[] {
  const name = executableName(words[0] ?? '');
  const args = words.slice(1);
  if (SHELLS.has(name)) return shellScript(args);
  if (name === 'eval') return [{ script: args.join(' ') }];
  if (SCRIPT_OPTION.has(name)) return shellScript(args);
  // What runs later, when the shell ends or gets a signal, runs all the same.
  if (name === 'trap')
    return skipOptions(args, [])
      .slice(0, 1)
      .map((script) => ({ script }));
  if (name === 'find' || name === 'fd' || name === 'fdfind') return findActions(args);
  if (name === 'env') return envCommand(args);
  // `command -v` only says where a program is.
  if (name === 'command' && /^-[a-zA-Z]*[vV]/.test(args[0] ?? '')) return [];
  return Object.hasOwn(WRAPPERS, name) ? wrapped(name, args) : [];
}

/** `sh -c SCRIPT`, also with other letters around the c: `bash -lc`, `sh -ec`. */
function shellScript(args: readonly string[]): Inner[] {
  const joined = args.find((arg) => arg.startsWith('--command='));
  if (joined !== undefined) return [{ script: joined.slice('--command='.length) }];
  const at = args.findIndex((arg) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(arg) || arg === '--command');
  const script = at < 0 ? undefined : skipOptions(args.slice(at + 1), ['-o', '-O', '+o', '+O'], /^[-+]/)[0];
  return script === undefined ? [] : [{ script }];
}

const SPLIT_STRING = /^(?:-[a-zA-Z0]*S|--s[a-z-]*=?)\s*/;

/** `env -S` splits one string into words, which a shell reads the same way. What only looks like it is no loss. */
function envCommand(args: readonly string[]): Inner[] {
  const split = args.findIndex((arg) => SPLIT_STRING.test(arg));
  const script = split < 0 ? [] : [{ script: args.slice(split).join(' ').replace(SPLIT_STRING, '') }];
  return [...script, ...wrapped('env', args)];
}

/** Leaves out the wrapper's own options, operands and variables; the rest is the command. */
function wrapped(name: string, args: readonly string[]): Inner[] {
  const rest = skipOptions(args, WRAPPERS[name] ?? []).slice(OPERANDS_BEFORE[name] ?? 0);
  const command = rest.slice(rest.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word)));
  if (command.length === 0) return [];
  if (name === 'flock' && /^(?:-c|--command)$/.test(command[0] ?? '')) return [{ script: command[1] ?? '' }];
  // These take one string and hand it to a shell.
  if ((name === 'watch' || name === 'parallel') && command.length === 1) return [{ script: command[0] ?? '' }];
  return [{ words: command }];
}

/** Options come first; those that take a value take the next word with them. */
function skipOptions(args: readonly string[], withValue: readonly string[], option = /^-/): string[] {
  let at = 0;
  while (at < args.length) {
    const arg = args[at] ?? '';
    if (arg === '--') return args.slice(at + 1);
    if (!option.test(arg) || arg === '-') break;
    at += withValue.includes(arg) ? 2 : 1;
  }
  return args.slice(at);
}

const FIND_ACTIONS = new Set(['-exec', '-execdir', '-ok', '-okdir', '-x', '-X', '--exec', '--exec-batch']);

/** A find may run several commands, each up to its `;` or `+`. */
function findActions(args: readonly string[]): Inner[] {
  const found: Inner[] = [];
  for (const [index, arg] of args.entries()) {
    if (!FIND_ACTIONS.has(arg)) continue;
    const rest = args.slice(index + 1);
    const end = rest.findIndex((word) => word === ';' || word === '+');
    found.push({ words: end < 0 ? rest : rest.slice(0, end) });
  }
  return found;
}

/** Whether what a program does with its arguments is known here, so that none of them has to be guessed at. */
export function isWrapper(name: string): boolean {
  return Object.hasOwn(WRAPPERS, name) || SHELLS.has(name) || SCRIPT_OPTION.has(name) || OTHER_WRAPPERS.has(name);
}

/**
 * What a program that is not known may run: the words from the name of a dangerous command on. There are more wrappers
 * than any list has.
 */
export function suspectedCommands(words: readonly string[], isDangerous: (name: string) => boolean): string[][] {
  const starts = new Map<string, number>();
  for (const [index, word] of words.entries()) {
    const name = executableName(word);
    if (index > 0 && !starts.has(name) && (isDangerous(name) || SHELLS.has(name))) starts.set(name, index);
  }
  return [...starts.values()].map((start) => words.slice(start));
}
