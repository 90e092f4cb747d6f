import { sedScripts } from '../shell/hidden-commands.ts';
import { isAwk, readAwk } from '../shell/read-code.ts';
import { readSedScript } from '../shell/sed-script.ts';
import { optionValues, type ShellCommand, splitArguments } from '../shell/shell-command.ts';
import { parseSubcommand } from '../shell/subcommands.ts';
import { CONTAINER_TOOLS, WRAPPERS } from '../shell/wrappers.ts';
import { splitCopy } from './copy-arguments.ts';
import { hasOption, type PathArgument, using } from './path-argument.ts';
import { maskUnknown } from './resolve-path.ts';

type Command = Pick<ShellCommand, 'name' | 'args'> & Partial<Pick<ShellCommand, 'variables'>>;

const words = (text: string) => text.split(' ');

/** Programs that only use the names of files, or that only write to them. */
const NAMES_ONLY: ReadonlySet<string> = new Set([
  '',
  ...words('ls dir vdir eza exa lsd stat test [ [[ file du df tree realpath readlink dirname basename cd pushd popd'),
  ...words('mkdir mkfifo touch echo printf which whereis type hash export declare local readonly typeset unset alias'),
  ...words(
    'chmod chown chgrp chattr lsattr getfacl setfacl namei rm rmdir unlink shred srm trash trash-put tee truncate',
  ),
  ...words('sponge eval trap at batch sftp ssh-add ssh-copy-id ssh-keygen mosh autossh code subl cursor man help'),
  ...words('pgrep pkill kill sleep true false mountpoint findmnt umount lsof fuser for case'),
]);

/** Options of programs whose value is a key or a configuration that the program uses without printing it. */
const USED_BY_OPTION: readonly { programs: RegExp; option: RegExp }[] = [
  { programs: /^(?:scp|rsync|sshfs)$/, option: /^(?:-[ioSe]|--(?:rsh|password-file))(?:=|$)/ },
  { programs: /^ansible/, option: /^--(?:private-key|key-file|vault-password-file)(?:=|$)/ },
  { programs: /^(?:docker|podman|nerdctl)$/, option: /^--(?:config|tlscacert|tlscert|tlskey|authfile)(?:=|$)/ },
  { programs: /^(?:kubectl|oc|helm|k9s|stern|flux|argocd)$/, option: /^--(?:kubeconfig|client-key|token-file)(?:=|$)/ },
  { programs: /^(?:gcloud|gsutil)$/, option: /^--(?:key-file|cred-file)(?:=|$)/ },
  { programs: /^(?:npm|pnpm|yarn|npx)$/, option: /^--(?:userconfig|globalconfig)(?:=|$)/ },
  { programs: /^(?:mysql\w*|mariadb\w*)$/, option: /^--defaults-(?:extra-)?file(?:=|$)/ },
  { programs: /^(?:rclone|aws|s3cmd|openvpn)$/, option: /^(?:--(?:config|ca-bundle|profile)|-c)(?:=|$)/ },
  { programs: /^gpg2?$/, option: /^--homedir(?:=|$)/ },
  { programs: /^git$/, option: /^(?:-C|-c|--git-dir|--work-tree|-m|--message|--author|--grep|-S|-G)(?:=|$)/ },
  { programs: /^jq$/, option: /^--arg(?:json)?$/ },
];

/** Programs whose first operand is a pattern or a script, unless it is given with an option. */
const PATTERN_FIRST = /^(?:[ef]?grep|zgrep|rg|ag|ack|sed|gsed|awk|gawk|mawk|nawk|jq|yq)$/;
const PATTERN_OPTION =
  /^(?:-[a-zA-Z]*e|--(?:regexp|expression|file|from-file|files|type-list)(?:=.*)?|-[a-zA-Z]*f|-[a-zA-Z]*E)$/;

/** SQL clients, in whose statements file names are quoted. */
const SQL_CLIENTS = /^(?:sqlite3|psql|mysql|mariadb|duckdb)$/;

/** Functions and statements of SQL that read the file in a string literal. */
const SQL_READS =
  /\b(?:readfile|load_file|pg_read_\w+|read_(?:text|blob|csv\w*|json\w*|parquet))\s*\(\s*'([^']{1,300})'|\b(?:infile|from)\s+'([^']{1,300})'/gi;

/** Programs that read whole folders, and the options that make them do so. */
const TREE_READERS: readonly { programs: RegExp; reads(args: readonly string[]): boolean }[] = [
  {
    programs: /^(?:zip|7za?|7zz|rar|mksquashfs|bsdtar|tar|gtar|restic|borg|duplicity|croc|tarsnap)$/,
    reads: () => true,
  },
  { programs: /^(?:cp|gcp|scp|pscp|diff)$/, reads: (args) => hasOption(args, 'rRa', /^--(?:rec|arch)/) },
  {
    programs: /^rsync$/,
    reads: (args) => hasOption(args, 'ra', /^--(?:rec|arch|files-from)/) && !hasOption(args, 'n', /^--dry-run/),
  },
  { programs: /^(?:[ef]?grep|zgrep)$/, reads: (args) => hasOption(args, 'rR', /^--(?:rec|deref|directories=rec)/) },
  {
    programs: /^(?:rg|ag|ugrep)$/,
    // A hidden folder that is named is searched as well.
    reads: (args) =>
      hasOption(args, 'u.', /^(?:--(?:hid|unr)|-\.)/) || args.some((arg) => /(?:^|\/)\.[a-z][\w-]*\/?$/.test(arg)),
  },
  {
    programs:
      /^(?:mount|bindfs|ditto|rclone|http-server|serve|caddy|httpd|darkhttpd|miniserve|php|stow|unison|git-remote-\w+)$/,
    reads: () => true,
  },
  { programs: /^(?:aws|gsutil|gcloud|s3cmd|azcopy|mc)$/, reads: (args) => args.some((arg) => TREE_VERB.test(arg)) },
  { programs: /^python[\d.]*$/, reads: (args) => args.includes('http.server') },
  { programs: /^git$/, reads: (args) => args.includes('add') || args.includes('--no-index') },
];
const TREE_VERB = /^(?:sync|rsync|mirror|mb|--recursive|-[a-zA-Z]*r)$/;

/** The words of a command that name what it reads. A path may follow `@`, `=` or a colon. */
export function readArguments(command: Command): PathArgument[] {
  const { name, args } = command;
  if (name === 'find' || name === 'fd' || name === 'fdfind' || NAMES_ONLY.has(name)) return [];
  if (name === 'ssh') return using('read', optionValues(args, /^-F(.*)$/));
  if (isPlainWrapper(name)) return using('read', optionValues(args, /^(?:-a|--arg-file=?)(.*)$/));
  if (CONTAINER_TOOLS.has(name)) return containerReads(command);
  if (/^(?:tar|bsdtar|gtar|jar)$/.test(name)) return tarReads(args);
  const tree = TREE_READERS.some(({ programs, reads }) => programs.test(name) && reads(args));
  const given = using('read', [...argumentsRead(command), ...filesInScripts(command)], tree);
  const selected = tree || /^(?:rg|ag|ugrep)$/.test(name) ? selectedFiles(command) : [];
  const members = /^(?:unzip|7za?|7zz|unrar|zcat|zgrep)$/.test(name) ? hiddenMembers(args) : [];
  const all = [...given, ...using('read', [...selected, ...members])];
  const here = (name === 'git' ? repositoryFolder(command) : undefined) ?? '.';
  return tree && searchesHere(command) ? [...all, { word: here, use: 'read', tree }] : all;
}

/** The files that a search below folders is limited to: `grep -r x FOLDER --include=.env`. */
function selectedFiles(command: Command): string[] {
  const { name, args } = command;
  if (!/^(?:[efz]?grep|rg|ag|ugrep)$/.test(name)) return [];
  const names = optionValues(args, /^(?:--(?:include|glob|iglob|file-search-regex)=?|-[gG])(.*)$/).filter(
    (pattern) => !pattern.startsWith('!'),
  );
  const pattern = patternIndex(command);
  const folders = splitArguments(args.filter((_, index) => index !== pattern)).operands.filter(
    (operand) => /[/~.]/.test(operand) && !names.includes(operand),
  );
  return folders.flatMap((folder) => names.map((one) => `${folder}/**/${one.replace(/^.*\//, '')}`));
}

/** Wrappers whose arguments are another command, which is judged itself. */
function isPlainWrapper(name: string): boolean {
  return Object.hasOwn(WRAPPERS, name) && WRAPPERS[name]?.after === undefined;
}

const REMOTE_PATH = /^(?:[\w.-]+@)?[\w.-]+:(?![/~])(.+)$/;

function argumentsRead(command: Command): string[] {
  const { name, args } = command;
  const skipped = new Set([
    patternIndex(command),
    targetIndex(command),
    ...valueIndexes(name, args),
    ...subcommandIndexes(name, args),
  ]);
  const found = args.flatMap((arg, index) => (skipped.has(index) ? [] : pathsIn(arg)));
  // A path on another machine is relative to the home directory there.
  if (/^(?:scp|rsync|sftp)$/.test(name))
    found.push(...args.flatMap((arg) => REMOTE_PATH.exec(arg)?.slice(1, 2) ?? []).map((path) => `~/${path}`));
  const folder = name === 'git' ? repositoryFolder(command) : undefined;
  return folder === undefined ? found : found.map((path) => (/^[~/\0]/.test(path) ? path : `${folder}/${path}`));
}

/** The folder with the files of the repository that git uses, if it is not the current one. */
function repositoryFolder({ args, variables }: Command): string | undefined {
  const named = (name: string) => variables?.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
  const [folder] = optionValues(args, /^-C(.*)$/);
  const tree = optionValues(args, /^--work-tree=?(.*)$/)[0] ?? named('GIT_WORK_TREE');
  if (tree !== undefined) return folder === undefined || /^[~/$]/.test(tree) ? tree : `${folder}/${tree}`;
  const git = optionValues(args, /^--git-dir=?(.*)$/)[0] ?? named('GIT_DIR');
  return folder ?? git?.replace(/\/?\.git\/?$/, '');
}

/** The paths in an argument. An argument that contains whitespace is text that may mention a file. */
export function pathsIn(word: string): string[] {
  if (word.length > 4000) return [];
  const arg = maskUnknown(word);
  // `file:/home/ann/Login Data?mode=ro` is the address of a database.
  if (/\s/.test(arg))
    return /^(?:file:)?[~/\0]/.test(arg) ? [arg.replace(/^file:(?:\/\/(?=\/))?|\?[\w=&]*$/g, '')] : [];
  const whole = arg.startsWith('-') ? [] : [arg];
  if (!/[=@:,;]/.test(arg) || /^file:\//i.test(arg)) return whole;
  return [...whole, ...arg.split(/[=@:,;]/).filter((part) => part !== arg && /^[^-]/.test(part))];
}

/** The index of the operand that is a pattern or a script; -1 if there is none. */
function patternIndex({ name, args }: Command): number {
  if (name === 'git') {
    const at = args.indexOf('grep');
    return at < 0 ? -1 : args.findIndex((arg, index) => index > at && !arg.startsWith('-'));
  }
  if (!PATTERN_FIRST.test(name) || args.some((arg) => PATTERN_OPTION.test(arg))) return -1;
  const takesValue = name.endsWith('awk') ? /^-[vFi]$/ : /^-[mABC]$/;
  return args.findIndex((arg, index) => !arg.startsWith('-') && !takesValue.test(args[index - 1] ?? ''));
}

/** The index of the target of a copy, which is written. */
function targetIndex(command: Command): number {
  if (!/^(?:cp|mv|install|ln|rsync|scp)$/.test(command.name)) return -1;
  const { sources, target } = splitCopy(command);
  return sources.length === 0 || target === undefined ? -1 : command.args.lastIndexOf(target);
}

/** Programs whose first words are a subcommand, such as `gh auth` and `kubectl create secret`. */
const WITH_SUBCOMMAND =
  /^(?:git|gh|glab|npm|pnpm|yarn|kubectl|oc|helm|docker|podman|nerdctl|aws|gcloud|az|vault|cargo|go|brew|poetry|systemctl|hermes|terraform|fly|flyctl|heroku|vercel|netlify|wrangler|supabase|firebase|stripe)$/;

/** The indexes of the first words without a slash or a dot, which are no files. */
function subcommandIndexes(name: string, args: readonly string[]): number[] {
  if (!WITH_SUBCOMMAND.test(name)) return [];
  const first = args.flatMap((arg, index) => (arg.startsWith('-') ? [] : [index]));
  // The second word of most git commands is already a name.
  return first.slice(0, name === 'git' ? 1 : 3).filter((index) => /^[a-z:-]+$/.test(args[index] ?? ''));
}

/** The indexes of option values that are used but not printed. */
function valueIndexes(name: string, args: readonly string[]): number[] {
  const options = USED_BY_OPTION.filter(({ programs }) => programs.test(name)).map(({ option }) => option);
  return args.flatMap((arg, index) => {
    if (!options.some((option) => option.test(arg))) return [];
    if (arg.includes('=')) return [index];
    return name === 'jq' ? [index + 1, index + 2] : [index + 1];
  });
}

/** A recursive search without a folder searches the current one, and `git add -A` reads it. */
function searchesHere({ name, args }: Command): boolean {
  if (name === 'git') return args.some((arg) => arg === '-A' || arg === '--all');
  return /grep$|^(?:rg|ag|ugrep)$/.test(name) && splitArguments(args).operands.length < 2;
}

/** Files that a script in an argument reads: in sed, awk and SQL. */
function filesInScripts({ name, args }: Command): string[] {
  if (name === 'sed' || name === 'gsed') return sedScripts(args).flatMap((script) => readSedScript(script).read);
  if (isAwk(name)) return args.flatMap((arg) => readAwk(arg).read);
  if (name === 'ansible')
    return optionValues(args, /^(?:-a|--args=?)(.*)$/).flatMap((arg) => arg.split(/\s+/).flatMap(pathsIn));
  if (name === 'yq')
    return args.flatMap((arg) => [...arg.matchAll(/\bload\w*\(\s*"([^"]{1,300})"/g)].map((found) => found[1] ?? ''));
  if (!SQL_CLIENTS.test(name)) return [];
  const called = args.flatMap((arg) => [...arg.matchAll(SQL_READS)].flatMap((found) => found[1] ?? found[2] ?? []));
  return args
    .flatMap((arg) =>
      [...arg.matchAll(/'((?:~|\.{1,2})?\/[^']{1,300})'|^\s*[.\\](?:read|import|i|include)\s+(\S+)/g)].map(
        (found) => found[1] ?? found[2] ?? '',
      ),
    )
    .concat(called);
}

/** The folder of `-C` applies to the operands after it. Listing and unpacking read only the archive. */
function tarReads(args: readonly string[]): PathArgument[] {
  const [first = ''] = args;
  const packs = args.some((arg) => /^(?:-[a-zA-Z]*[cru]|--(?:create|append|update|concat))/.test(arg));
  if (!packs && !/^[a-zA-Z]*[cru][a-zA-Z]*$/.test(first))
    return using('read', [...args.filter(isOperand).slice(0, 2), ...hiddenMembers(args)]);
  let folder = '';
  const found: string[] = [];
  for (const [index, arg] of args.entries()) {
    const given = /^(?:-C|--directory=?|--cd=?)(.*)$/.exec(arg)?.[1];
    if (given !== undefined) folder = given === '' ? `${args[index + 1] ?? ''}/` : `${given}/`;
    else if (isOperand(arg) && !/^(?:-C|--directory|--cd)$/.test(args[index - 1] ?? ''))
      found.push(/^[~/]/.test(arg) ? arg : folder + arg, ...(folder === '' ? [] : [arg]));
  }
  const listed = optionValues(args, /^(?:-[a-zA-Z]*T|--files-from=?)(.*)$/);
  return [...using('read', found, true), ...using('read', listed)];
}

/** `unzip -p x.zip home/ann/.ssh/id_rsa`: hidden files that are named as members of an archive, as files of the user. */
function hiddenMembers(args: readonly string[]): string[] {
  return args
    .flatMap((arg) => /^(?:[^-~./$][^~$]*\/|\/[^~$]*\/)?(\.[a-z][^$]*)$/.exec(arg)?.[1] ?? [])
    .map((path) => `~/${path}`);
}

const isOperand = (arg: string) => !arg.startsWith('-');

/** Options with which container tools take files of this machine. */
const CONTAINER_FILES = /^(?:--(?:env-file|secret|from-file|from-env-file|label-file|cidfile|file|filename)=?|-f)(.*)$/;

/** In a container, the paths after the image are those of the container. A mounted folder can be read whole. */
function containerReads(command: Command): PathArgument[] {
  const { name, args } = command;
  const { words: given } = parseSubcommand(name, args);
  const [verb = '', ...others] = given;
  // Everything in the build context is sent to the builder.
  if (verb === 'build' || (/^(?:buildx|builder|image|compose)$/.test(verb) && others[0] === 'build'))
    return [...using('read', argumentsRead(command)), ...using('read', given.slice(-1), true)];
  // A copy into a container includes everything below a folder.
  if (verb === 'cp' || others[0] === 'cp')
    return using(
      'read',
      argumentsRead(command).filter((path) => !path.includes(':')),
      true,
    );
  const runs = /^(?:run|exec|create|debug)$/.test(verb === 'compose' ? (others[0] ?? '') : verb);
  const options = optionValues(args, CONTAINER_FILES).flatMap(pathsIn);
  // `kubectl create secret` has the same verb as `docker create`.
  const files =
    runs && !/^(?:secret|configmap|cm)$/.test(others[0] ?? '') ? options : [...options, ...argumentsRead(command)];
  return [
    ...using('read', files),
    ...using(
      'read',
      mountedFolders(args).map(({ folder }) => folder),
      true,
    ),
  ];
}

/** The folders that a container gets from this machine, and whether it may write to them. */
export function mountedFolders(args: readonly string[]): { folder: string; writable: boolean }[] {
  const volumes = optionValues(args, /^(?:-v|--volume=?)(.*)$/);
  const mounts = args.flatMap((arg, index) =>
    arg.startsWith('--mount=') ? [arg.slice(8)] : args[index - 1] === '--mount' ? [arg] : [],
  );
  return [
    ...volumes
      .filter((volume) => /^[~/.$]/.test(volume))
      .map((volume) => ({ folder: volume.split(':')[0] ?? '', writable: !/:(?:\w+,)*ro\b/.test(volume) })),
    ...mounts.flatMap((mount) => {
      const folder = /(?:^|,)(?:src|source)=([^,]+)/.exec(mount)?.[1];
      return folder === undefined ? [] : [{ folder, writable: !/(?:^|,)(?:ro|readonly)\b/.test(mount) }];
    }),
  ];
}

/** Whether a program reads the names of files from its input. */
export function takesNames({ name, args, statement }: Pick<ShellCommand, 'name' | 'args' | 'statement'>): boolean {
  if (/(?:^|\s)(?:xargs|parallel)\s/.test(statement)) return true;
  if (name === 'cpio') return hasOption(args, 'op', /^--(?:create|pass)/);
  return /^(?:tar|zip|rsync)$/.test(name) && args.some((arg) => /^(?:-T-?|-@|--files-from=?-?)$/.test(arg));
}

/**
 * Programs that only read the files in their arguments, or whose writing the tables describe. Any other program may
 * write to a file that it is given.
 */
const READERS: ReadonlySet<string> = new Set([
  ...words('cat tac nl head tail less more most bat batcat glow mdcat grep egrep fgrep zgrep rg ag ack ugrep sed gsed'),
  ...words('awk gawk mawk nawk diff cmp comm colordiff delta sdiff wc sort uniq cut tr od xxd hexdump strings base64'),
  ...words('md5sum sha1sum sha256sum sha512sum shasum cksum b2sum jq yq xmllint column fold fmt paste join rev shuf'),
  ...words('cp mv ln install rsync scp tar bsdtar gtar zip 7z 7za gzip zcat find fd fdfind xargs parallel env sudo'),
  ...words(
    'bash sh zsh dash ksh fish source . python python3 node nodejs tsx bun deno ruby perl php lua Rscript julia',
  ),
  ...words('uv uvx npx pnpm npm yarn poetry pipenv conda git docker podman nerdctl kubectl oc curl wget http sqlite3'),
  ...words('shellcheck yamllint markdownlint view open xdg-open hermes watch entr vim vi nvim nano emacs go cargo'),
]);

/** Whether a program that is not known may write to the files in its arguments. */
export function mayWriteArguments(name: string): boolean {
  return !READERS.has(name) && !NAMES_ONLY.has(name) && !isPlainWrapper(name);
}

/** Whether a program shows or copies the content of its files, which of a disk is that of all its files. */
export function printsFiles(name: string): boolean {
  return READERS.has(name) && !isPlainWrapper(name);
}

/** Whether a program only uses the names of the files in its arguments. */
export function usesNamesOnly(name: string): boolean {
  return NAMES_ONLY.has(name);
}
