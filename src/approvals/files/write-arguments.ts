import { basename } from 'node:path';
import { splitGit } from '../shell/git-commands.ts';
import { sedScripts } from '../shell/hidden-commands.ts';
import { isAwk, readAwk } from '../shell/read-code.ts';
import { readSedScript } from '../shell/sed-script.ts';
import { hasAny, optionValues, type ShellCommand, splitArguments } from '../shell/shell-command.ts';
import { isComputed } from '../shell/words.ts';
import { folderOption, hasOption, operandsWithout, type PathArgument, using } from './path-argument.ts';
import { changedInPlace } from './in-place.ts';
import { mountedFolders } from './read-arguments.ts';
import { type Copy, splitCopy } from './copy-arguments.ts';

type Command = Pick<ShellCommand, 'name' | 'args' | 'variables'>;

const words = (text: string) => text.split(' ');

/** Programs that change or remove all of their operands. */
const OPERANDS_ARE_WRITTEN: ReadonlyMap<string, PathArgument['use']> = new Map([
  ...words('truncate shred srm vi vim nvim ed ex').map((name) => [name, 'write'] as const),
  ...words('touch chmod chown chgrp chattr setfacl nano emacs visudo rename mknod mkfifo mkdir fallocate').map(
    (name) => [name, 'modify'] as const,
  ),
  ...words('rm unlink rmdir trash trash-put').map((name) => [name, 'remove'] as const),
  ...words('sponge').map((name) => [name, 'write'] as const),
]);
/** Programs that write to their last operand, or into it if it is a folder. */
const LAST_IS_WRITTEN = new Set(['cp', 'mv', 'install', 'ln', 'rsync', 'scp']);
/** Programs that name their output file with an option. */
const OUTPUT_OPTIONS: Readonly<Record<string, RegExp>> = {
  curl: /^(?:-[a-zA-Z#]*?o|--o[a-z-]*=?)(.*)$/,
  wget: /^(?:-[a-zA-Z#]*?[oOP]|--(?:o|directory-prefix)[a-z-]*=?)(.*)$/,
  aria2c: /^(?:-[do]|--(?:dir|out)=?)(.*)$/,
  openssl: /^-out()$/,
  '7z': /^-o(.+)$/,
  find: /^-f(?:printf?|print0|ls)()$/,
  tcpdump: /^-w(.*)$/,
  strace: /^-o(.*)$/,
  ar: /^--output=?(.*)$/,
  gh: /^(?:-[DO]|--(?:dir|output)=?)(.*)$/,
  pip: /^(?:-t|--(?:target|root|prefix|src)=?)(.*)$/,
  pip3: /^(?:-t|--(?:target|root|prefix|src)=?)(.*)$/,
  npm: /^(?:-C|--(?:prefix|pack-destination)=?)(.*)$/,
  pnpm: /^(?:-C|--(?:dir|prefix|modules-dir)=?)(.*)$/,
  yarn: /^--(?:cwd|modules-folder)=?(.*)$/,
  bun: /^--cwd=?(.*)$/,
  uv: /^--(?:target|prefix|directory|project)=?(.*)$/,
  unar: /^(?:-o|-output-directory)(.*)$/,
  yt: /^-o(.*)$/,
  cargo: /^--root=?(.*)$/,
  unsquashfs: /^-d(.*)$/,
  patch: /^(?:-o|--output=?)(.*)$/,
  ssh: /^-E(.*)$/,
};
/** Programs of which `-o` does not name an output file. */
const OTHER_SHORT_OPTION =
  /^(?:[efz]?grep|rg|ag|ack|ls|ps|find|fd|mount|ssh|scp|sftp|rsync|set|kubectl|oc|helm|aws|az|tar|zip|unzip|7z|chown|su|sudo|useradd|usermod)$/;
/** Options that name an output file in any program. */
const ANY_OUTPUT =
  /^--(?:out|output|outfile|out-file|output-file|out-?dir|output-dir(?:ectory)?|dest(?:ination)?|log-?file)(?:=(.*)|())$/;

/** Tools that copy between this machine and another or a container, with the words before their operands. */
const TRANSFERS: readonly { programs: RegExp; verb: RegExp }[] = [
  {
    programs: /^(?:aws|gsutil|gcloud|rclone|s3cmd|azcopy|mc)$/,
    verb: /^(?:cp|copy|sync|mv|rsync|move|copyto|get|mirror)$/,
  },
  { programs: /^(?:docker|podman|kubectl|oc|nerdctl|lxc)$/, verb: /^(?:cp|pull)$/ },
  { programs: /^(?:hg|svn|gh|fossil|bzr)$/, verb: /^(?:clone|checkout|co|export)$/ },
];

/** Git subcommands that change files of the work tree. */
const CHANGES_TREE =
  /^(?:checkout|switch|restore|reset|pull|merge|rebase|apply|am|stash|clean|read-tree|cherry-pick|revert|init|mv|checkout-index|submodule|sparse-checkout|subtree)$/;

const GIT_VALUES = /^(?:-[bBcfjoO]|--(?:branch|depth|origin|file|reference|config))$/;

/**
 * Programs whose purpose is to write files. `install` is excluded, because many programs have a subcommand of that
 * name.
 */
export function writesFiles(name: string): boolean {
  return (
    (OPERANDS_ARE_WRITTEN.has(name) && !/^(?:touch|mkdir|fallocate)$/.test(name)) || /^(?:dd|cp|mv|tee)$/.test(name)
  );
}

/** The words of a command that name what it writes, replaces or removes, as far as its arguments show. */
export function writeArguments(command: Command): PathArgument[] {
  const named = filesInVariables(command.variables);
  return named.length === 0 ? inArguments(command) : [...named, ...inArguments(command)];
}

/** Variables that name a file or folder into which a program writes. */
const OUTPUT_VARIABLE =
  /^(?:GIT_TRACE\w*|GIT_REDIRECT_STD(?:OUT|ERR)|NODE_V8_COVERAGE|NODE_REDIRECT_WARNINGS|NODE_REPL_HISTORY|HISTFILE|LESSHISTFILE|PYTHONPYCACHEPREFIX|COVERAGE_FILE|SSLKEYLOGFILE|LLVM_PROFILE_FILE|GCOV_PREFIX|TF_LOG_PATH|LD_DEBUG_OUTPUT|MALLOC_TRACE|G_TLS_KEYLOG|CARGO_TARGET_DIR|npm_config_(?:prefix|cache|logs_dir)|NPM_CONFIG_(?:PREFIX|CACHE|LOGS_DIR))=([~/$].*)$/s;

function filesInVariables(variables: readonly string[]): PathArgument[] {
  return using(
    'modify',
    variables.flatMap((one) => OUTPUT_VARIABLE.exec(one)?.[1] ?? []),
  );
}

function inArguments(command: Command): PathArgument[] {
  const { name, args } = command;
  const { options, operands } = splitArguments(args);
  const use = OPERANDS_ARE_WRITTEN.get(name);
  if (name === 'chmod' && isTightening(operands[0] ?? '')) return [];
  if (use !== undefined) return using(use, operands, use === 'remove');
  if (name === 'tee') return using(hasAny(options, 'a', 'append') ? 'modify' : 'write', operands);
  if (LAST_IS_WRITTEN.has(name)) return copyArguments(command);
  if (name === 'git') return gitWrites(command);
  if ((name === 'perl' || name === 'ruby') && hasAny(options, 'i', 'in-place')) return using('write', operands);
  if (name === 'sed' || name === 'gsed') return using('write', sedWrites(args));
  if (isAwk(name))
    return using('write', [
      ...args.flatMap((arg) => readAwk(arg).written),
      ...(args.includes('inplace') ? operands.slice(1) : []),
    ]);
  return [...optionsWritten(command), ...unpacked(command), ...transferred(command), ...programWrites(command)];
}

/** Whether a mode only removes permissions from others, which is harmless even for a key file. */
function isTightening(mode: string): boolean {
  return /^0?[4-7]00$|^(?:[go]+-[rwxXst]+,?)+$/.test(mode);
}

/** Files that sed edits in place, and those that its script writes. */
function sedWrites(args: readonly string[]): string[] {
  const { options, operands } = splitArguments(args);
  const scripts = sedScripts(args);
  const changed = hasAny(options, 'i', 'in-place') ? operands.filter((operand) => operand !== scripts[0]) : [];
  return [...changed, ...scripts.flatMap((script) => readSedScript(script).written)];
}

function optionsWritten({ name, args }: Command): PathArgument[] {
  const option = Object.hasOwn(OUTPUT_OPTIONS, name) ? OUTPUT_OPTIONS[name] : undefined;
  const short = OTHER_SHORT_OPTION.test(name) ? [] : optionValues(args, /^-o(.*)$/);
  const named = option === undefined ? [] : optionValues(args, option);
  const any = args.some((arg) => arg.startsWith('--o') || arg.startsWith('--d') || arg.startsWith('--l'))
    ? args.flatMap((arg, index) => {
        const found = ANY_OUTPUT.exec(arg);
        return found === null ? [] : [found[1] ?? args[index + 1] ?? ''];
      })
    : [];
  return using('write', [...named, ...short, ...any]);
}

/** Programs with their own way to name what they write. */
function programWrites(command: Command): PathArgument[] {
  const { name, args } = command;
  const { options, operands } = splitArguments(args);
  switch (name) {
    case 'dd':
      return using(
        'write',
        args.filter((arg) => arg.startsWith('of=')).map((arg) => arg.slice(3)),
      );
    case 'curl':
      return using('write', hasOption(args, 'O', /^--remote-name/) ? [folderOption(args, /^--output-dir=?(.*)$/)] : []);
    case 'wget':
      return using('write', args.some((arg) => /^(?:-[a-zA-Z]*O|--output-d)/.test(arg)) ? [] : ['.']);
    case 'yq':
    case 'crudini':
    case 'dasel':
      return using('write', hasAny(options, 'i', 'inplace', 'set', 'del') || operands[0] === 'put' ? operands : []);
    case 'ffmpeg':
    case 'sox':
      return using('write', operands.filter(isPath).slice(-1));
    case 'patch':
      return [...using('write', operands), { word: patchFolder(args), use: 'write', tree: true }];
    case 'make':
      return using('write', optionValues(args, /^(?:-C|--directory=?)(.*)$/));
    case 'qemu-img':
      return using(
        'write',
        /^(?:create|convert|resize|dd)$/.test(operands[0] ?? '') ? operands.filter(isPath).slice(-1) : [],
      );
    case 'sqlite3':
      return [
        ...using('modify', hasAny(options, 'readonly') ? [] : operands.slice(0, 1)),
        ...using(
          'write',
          args.flatMap((arg) => /^\s*\.(?:output|once|backup|save|clone)\s+(\S+)/.exec(arg)?.[1] ?? []),
        ),
      ];
    case 'xxd':
    case 'uniq':
      return using('write', operands.slice(1, 2));
    case 'script':
      return using('write', operands.slice(0, 1));
    case 'htpasswd':
    case 'htdigest':
      return using('modify', hasAny(options, 'n') ? [] : operands.slice(0, 1));
    case 'split':
    case 'csplit':
      return using('write', operands.slice(1));
    case 'ssh-keygen':
      return using('modify', hasAny(options, 'p') ? optionValues(args, /^-f(.*)$/) : []);
    case 'docker':
    case 'podman':
    case 'nerdctl': {
      const writable = mountedFolders(args).filter((mount) => mount.writable);
      return using(
        'write',
        writable.map(({ folder }) => folder),
        true,
      );
    }
    default:
      return using(
        'write',
        name.startsWith('python') && args.includes('venv') ? args.slice(-1) : changedInPlace(command),
      );
  }
}

const isPath = (operand: string) => operand.includes('/') || operand.includes('.');
const patchFolder = (args: readonly string[]) => folderOption(args, /^(?:-[a-zA-Z\d]*d|--directory=?)(.*)$/);

/** The folder into which a command unpacks an archive, or the members of the archive that it names. */
function unpacked({ name, args }: Command): PathArgument[] {
  const into = (folder: string): PathArgument[] => [{ word: folder, use: 'write', tree: true }];
  switch (name) {
    case 'tar':
    case 'bsdtar':
    case 'gtar': {
      if (!isUnpacking(args)) return [];
      const folder = folderOption(args, /^(?:-[a-zA-Z]*?C|--(?:dir|cd|one-top)[a-z-]*=?)(.*)$/);
      const members = tarMembers(args);
      return members.length > 0
        ? using(
            'write',
            members.map((member) => `${folder}/${member}`),
          )
        : into(folder);
    }
    case 'unzip':
      return args.some((arg) => /^-[a-zA-Z]*[lZtvp]/.test(arg)) ? [] : into(folderOption(args, /^-[a-zA-Z]*?d(.*)$/));
    case '7z':
    case '7za':
    case '7zz':
      return /^[xe]$/.test(args[0] ?? '') ? into(folderOption(args, /^-o(.+)$/)) : [];
    case 'cpio':
      if (hasOption(args, 'p', /^--pass/)) return into(splitArguments(args).operands.at(-1) ?? '.');
      return hasOption(args, 'i', /^--extract/) ? into(folderOption(args, /^(?:-D|--directory=?)(.*)$/)) : [];
    case 'jar':
    case 'ar':
      return /x/.test(args[0] ?? '') ? into(folderOption(args, /^(?:-C|--(?:dir|output)=?)(.*)$/)) : [];
    default:
      // `python -m zipfile -e ARCHIVE FOLDER`
      return name.startsWith('python') && args.some((arg) => /^(?:zipfile|tarfile)$/.test(arg)) && args.includes('-e')
        ? into(args.at(-1) ?? '.')
        : [];
  }
}

/** Whether the arguments mean `tar -x`, including the form without a dash in the first argument. */
function isUnpacking(args: readonly string[]): boolean {
  return args.some(
    (arg, index) => /^(?:-[a-zA-Z]*x|--(?:ex|get))/.test(arg) || (index === 0 && /^[a-zA-Z]*x/.test(arg)),
  );
}

/** The names after the archive in `tar xf ARCHIVE NAMES`. */
function tarMembers(args: readonly string[]): string[] {
  const operands = operandsWithout(args, /^(?:-C|--directory|--cd|-T|-X|--exclude|--transform|-I)$/);
  const withoutDash = /^[a-zA-Z]+$/.test(args[0] ?? '') ? 1 : 0;
  const rest = operands.slice(withoutDash);
  return args.some((arg, index) => /^-?[a-zA-Z]*f$/.test(arg) && (index === 0 || arg.startsWith('-')))
    ? rest.slice(1)
    : rest;
}

/** The target of a transfer; without a target, the current folder. */
function transferred({ name, args }: Command): PathArgument[] {
  const transfer = TRANSFERS.find(({ programs }) => programs.test(name));
  const at = transfer === undefined ? -1 : args.findIndex((arg) => transfer.verb.test(arg));
  if (at < 0) return [];
  const operands = splitArguments(args.slice(at + 1)).operands;
  const target = operands.length > 1 ? operands.at(-1) : undefined;
  return target === undefined || /^[\w.-]{2,}:/.test(target) ? [] : using('write', [target]);
}

/** What git writes: the work tree, a clone, a configuration file, and files named by options. */
function gitWrites({ args, variables }: Command): PathArgument[] {
  const { command: verb, rest } = splitGit(args);
  const before = args.slice(0, args.length - rest.length);
  const [folder = '.'] = optionValues(before, /^-C(.*)$/);
  const tree =
    optionValues(before, /^--work-tree=?(.*)$/)[0] ??
    variables.find((one) => one.startsWith('GIT_WORK_TREE='))?.slice('GIT_WORK_TREE='.length);
  const inFolder = (path: string) => (/^[~/$]/.test(path) ? path : `${folder}/${path}`);
  const operands = operandsWithout(rest, verb === 'rm' ? /^$/ : GIT_VALUES);
  const named = namedByGit(verb, rest, operands).map(inFolder);
  if (CHANGES_TREE.test(verb)) {
    const below = optionValues(rest, /^--(?:directory|prefix)=?(.*)$/).map(inFolder);
    return [
      { word: inFolder(tree ?? '.'), use: 'write', tree: tree !== undefined },
      ...using('write', [...below, ...named]),
      ...using('remove', verb === 'mv' ? operands.slice(0, -1).map(inFolder) : []),
    ];
  }
  switch (verb) {
    case 'clone':
    case 'worktree':
      return using('write', [inFolder(operands.slice(1).find((one) => one !== 'add') ?? '.')]);
    case 'rm':
      return hasAny(splitArguments(rest).options, 'cached', 'n', 'dry-run')
        ? []
        : using('remove', operands.map(inFolder));
    case 'bundle':
      return using('write', operands[0] === 'create' ? operands.slice(1, 2).map(inFolder) : []);
    case 'config':
      return readsConfig(rest) ? [] : using('modify', optionValues(rest, /^(?:-f|--file=?)(.*)$/));
    default:
      return using('write', optionValues(rest, /^(?:-o|--output(?:-directory)?=?)(.*)$/).map(inFolder));
  }
}

/** The files and folders in the arguments of a subcommand that changes the work tree. */
function namedByGit(verb: string, rest: readonly string[], operands: readonly string[]): string[] {
  if (verb === 'init') return operands.slice(0, 1);
  if (verb === 'submodule') return rest[0] === 'add' ? operands.slice(2, 3) : [];
  if (verb === 'subtree') return optionValues(rest, /^(?:-P|--prefix=?)(.*)$/);
  if (verb === 'stash') return /^(?:push|save)$/.test(rest[0] ?? '') ? operands.slice(1) : [];
  if (verb === 'checkout' || verb === 'restore') {
    const at = rest.indexOf('--');
    return (at < 0 ? operands : rest.slice(at + 1)).filter((one) => /(?:^|\/)\.env/.test(one));
  }
  return [];
}

function readsConfig(rest: readonly string[]): boolean {
  return rest.some((arg) => /^(?:-l|--(?:get|list|show)[\w-]*|get|list)$/.test(arg));
}

/** What a copy, move or link writes and, for a move, removes. */
function copyArguments(command: Command): PathArgument[] {
  const { name, args } = command;
  const copy = splitCopy(command);
  const whole = /^(?:mv|ln)$/.test(name) || hasOption(args, 'rRa', /^--(?:rec|arch)/);
  return [...(name === 'mv' ? using('remove', copy.sources, true) : []), ...copiesWritten(copy, args, name, whole)];
}

/**
 * The paths that a copy writes. It is unknown whether the target is a folder, so both possibilities are returned. The
 * content of a folder that is copied without its name may overwrite anything in the target.
 */
function copiesWritten(
  { sources, target }: Copy,
  args: readonly string[],
  name: string,
  whole: boolean,
): PathArgument[] {
  if (target === undefined) return [];
  const contents =
    whole &&
    (sources.some((source) => /(?:^|\/)\.$/.test(source) || (name === 'rsync' && source.endsWith('/'))) ||
      hasOption(args, 'T', /^--no-target/));
  const names = sources
    .filter((source) => !isComputed(source))
    .map((source) => basename(source.replace(/^[\w.@-]+:/, '')));
  return [
    { word: target, use: 'write', tree: contents },
    ...using(
      'write',
      names.filter((one) => one !== '..' && one !== '.').map((one) => `${target}/${one}`),
      whole && name !== 'ln',
    ),
  ];
}
