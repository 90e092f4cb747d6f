import { join, resolve } from 'node:path';
import { isForeign } from '../files/hosts.ts';
import { splitGit } from './git-commands.ts';
import type { CommandContext } from './read-command.ts';
import type { Reader } from './reader.ts';
import { executableName, optionValues, splitArguments } from './shell-command.ts';

/** Programs that download data. */
export const NETWORK: ReadonlySet<string> = new Set(
  [
    'curl wget wget2 fetch aria2c nc ncat netcat socat http https xh xhs lynx w3m telnet ftp sftp tftp axel curlie',
    'iwr irm Invoke-WebRequest Invoke-RestMethod dig nslookup drill links scp lwp-download lwp-request GET websocat',
    'wscat grpcurl httpie hurl',
  ].flatMap((line) => line.split(' ')),
);

/** Programs that copy from another machine or from a storage service to the last of their operands. */
const COPIES_HERE = /^(?:scp|pscp|rsync|aws|gsutil|gcloud|rclone|s3cmd|s5cmd|azcopy|ossutil|b2|oras|kubectl|docker)$/;
const REMOTE_SOURCE = /^(?:\w+:\/\/|(?:[\w.-]+@)?[\w.-]+:)(.+)$/;
/** Programs that unpack archives. */
const UNPACKS = /^(?:tar|bsdtar|gtar|unzip|7za?|7zz|cpio|dpkg-deb|ar|unar|atool|aunpack|gunzip|xz|zstd|unsquashfs)$/;

export function noteDownload(reader: Reader, path: string): void {
  reader.files.set(path, { origin: 'network', text: undefined });
}

/** Records the files and folders that a command fetches from the network, or unpacks from what was fetched. */
export function noteFetched(reader: Reader, name: string, args: readonly string[], around: CommandContext): void {
  const { directory } = around;
  const note = (path: string) => noteDownload(reader, resolve(directory, path));
  if (COPIES_HERE.test(name)) {
    const { operands } = splitArguments(args);
    const target = operands.at(-1) ?? '.';
    for (const source of operands.slice(0, -1)) {
      const remote = REMOTE_SOURCE.exec(source)?.[1];
      if (remote !== undefined) for (const path of [target, join(target, executableName(remote))]) note(path);
    }
  }
  if (UNPACKS.test(name)) {
    const fetched =
      around.fedBy.some((source) => NETWORK.has(source.name)) ||
      args.some((arg) => isFetchedFile(reader, arg, directory));
    const [folder = '.'] = optionValues(args, /^(?:-[a-zA-Z]*[Cd]|--directory=?|-o)(.*)$/);
    if (fetched) reader.fetched.push({ folder: resolve(directory, folder), foreign: true });
  }
  const clone = cloneOf(name, args);
  if (clone !== undefined) reader.fetched.push({ folder: resolve(directory, clone.folder), foreign: clone.foreign });
}

/** The files that curl, wget and others write: the given output file, or the last part of the URL. */
export function filesFetchedBy(name: string, args: readonly string[]): string[] {
  if (!NETWORK.has(name)) return [];
  const named = optionValues(args, /^(?:-[a-zA-Z#]*[oO]|--output(?:-document)?=?|-OutFile)(.*)$/i);
  const [folder = ''] = optionValues(args, /^(?:-P|--directory-prefix=?|--output-dir=?|--dir=?)(.*)$/);
  // Downloaders add the scheme themselves: `curl -O host.example/x.sh`.
  const addresses = args.filter((arg) => /:\/\/|^[\w-]+(?:\.[\w-]+)+(?::\d+)?\/./.test(arg));
  const last = addresses.map((address) => executableName(address.replace(/[?#].*$/, '')));
  const second = name === 'lwp-download' ? args.slice(1) : [];
  return [...named, ...last, ...second]
    .filter((file) => file !== '' && file !== '-')
    .flatMap((file) => (folder === '' ? [file] : [file, join(folder, file)]));
}

/** The folder into which a command clones a repository or downloads a release, and whether its host is unusual. */
function cloneOf(name: string, args: readonly string[]): { folder: string; foreign: boolean } | undefined {
  const words = name === 'git' ? splitGit(args) : undefined;
  const operands = words?.rest ?? splitArguments(args).operands;
  if (name === 'git' ? words?.command !== 'clone' : !CLONES.test(`${name} ${operands.join(' ')}`)) return undefined;
  if (/^g[hl]|^glab/.test(name) && /^(?:release|run)$/.test(operands[0] ?? ''))
    return { folder: optionValues(args, /^(?:-D|--dir=?)(.*)$/)[0] ?? '.', foreign: true };
  const address = operands.find((arg) => /:\/\/|^[\w.-]+@[\w.-]+:|^(?:\w+:)?[\w.-]+\/[\w./#-]+$/.test(arg));
  if (address === undefined || (name === 'git' && !/:/.test(address))) return undefined;
  const target = operands.slice(operands.indexOf(address) + 1).find((arg) => !arg.startsWith('-'));
  return {
    folder: join(
      name === 'git' && args[0] === '-C' ? (args[1] ?? '') : '',
      target ?? executableName(address.replace(/\/?(?:\.git)?(?:#.*)?$/, '')),
    ),
    foreign: /:\/\/|@/.test(address) && isForeign(address.replace(/^([\w.-]+@[\w.-]+):(?!\/\/).*$/, '$1')),
  };
}

const CLONES =
  /^(?:gh|glab) (?:repo clone|release download|run download)\b|^(?:degit|tiged|giget)\s|^hg clone\b|^svn (?:checkout|co|export)\b|^fossil clone\b|^bzr branch\b/;

/** Programs that install or run the files in their arguments. */
const TAKES_PROGRAM =
  /^(?:dpkg|rpm|apt|apt-get|dnf|yum|zypper|pacman|apk|installer|pip3?|uv|npm|pnpm|yarn|gem|snap|flatpak|msiexec|pkgutil|open|hdiutil|cargo|luarocks|javaw?|wasmtime|wasmer|wasm3|mono|wine|dotnet|insmod|kextload|ansible-playbook|crontab|at|start-stop-daemon|ld-linux\S*|brew|raco|opam|jbang|groovy|kotlin|scala|scala-cli|systemctl|systemd-run|launchctl)$/;
/** Modes that make a file executable. */
const EXECUTABLE = /^(?:[ugoa]*[+=][rwst]*x\S*|[0-7]?(?:[1357][0-7]{2}|[0-7][1357][0-7]|[0-7]{2}[1357]))$/;

/**
 * What runs in a folder that was fetched: always, or only if the host is unusual. Installing, building and testing a
 * clone from a usual host is everyday work.
 */
const BUILDS: readonly { programs: RegExp; always: RegExp; foreign?: RegExp }[] = [
  { programs: /^(?:g?make|ninja|just|task|go-task|rake|invoke|tox|nox|bazel|scons|waf)$/, always: /^/ },
  { programs: /^(?:cmake|meson)$/, always: /(?:^|\s)(?:--install|install)\b/ },
  {
    programs: /^python[\d.]*$/,
    always: /(?:^|\s)setup\.py\s.*\b(?:install|develop)\b/,
    foreign: /(?:^|\s)setup\.py\b/,
  },
  { programs: /^(?:npm|pnpm|yarn|bun)$/, always: /^(?:run|start|exec|dev|serve|link|x)\b|(?:^|\s)(?:-g|--global)\b/ },
  {
    programs: /^(?:cargo|go|dotnet|swift|deno|mix|stack|sbt|flutter|dart)$/,
    always: /^(?:run|install|generate|task)\b/,
  },
  { programs: /^(?:docker|podman|docker-compose|vagrant)$/, always: /^(?:compose .*)?up\b/ },
  { programs: /^(?:pip3?|uv|poetry|pdm|gradle|mvn|bundle|composer|gem|terraform|ansible-playbook)$/, always: /^$/ },
];

/** Whether a command runs, installs or builds what the same line fetched. */
export function runsFetched(
  reader: Reader,
  name: string,
  args: readonly string[],
  { directory, fedBy }: CommandContext,
): boolean {
  const isFetched = (arg: string) =>
    isFetchedFile(reader, arg.replace(/^(?:-[A-Za-z]|--?[\w-]+=|@)(?=[./~\w])/, ''), directory) ||
    isFetchedFile(reader, arg, directory);
  if (TAKES_PROGRAM.test(name) || args[0] === '--install-extension')
    return args.some(isFetched) || buildsFetched(reader, name, args, directory);
  if (name === 'chmod') return EXECUTABLE.test(args.find((arg) => !arg.startsWith('-')) ?? '') && args.some(isFetched);
  if (name !== 'install') return buildsFetched(reader, name, args, directory);
  const [mode = '755'] = optionValues(args, /^(?:-m|--mode=?)(.*)$/);
  const substituted = args.some((arg) => arg.startsWith('<(')) && fedBy.some((one) => NETWORK.has(one.name));
  return EXECUTABLE.test(mode) && (substituted || args.some(isFetched));
}

/** Whether a command builds or runs a project in a folder that the line fetched. */
function buildsFetched(reader: Reader, name: string, args: readonly string[], directory: string): boolean {
  const build = reader.fetched.length === 0 ? undefined : BUILDS.find(({ programs }) => programs.test(name));
  if (build === undefined) return false;
  const [folder = '.'] = optionValues(
    args,
    /^(?:-C|--directory=?|--prefix=?|--install|--project=?|--manifest-path=?)(.*)$/,
  );
  const named = args.filter((arg) => /^\.{0,2}\//.test(arg) || arg === '.').map((arg) => resolve(directory, arg));
  const text = args.join(' ');
  const always = build.always.test(text);
  const ifForeign = build.foreign?.test(text) !== false;
  return [resolve(directory, folder), ...named].some((path) =>
    reader.fetched.some((one) => isInside(path, one.folder) && (always || (one.foreign && ifForeign))),
  );
}

const isInside = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

export function isFetchedFile(reader: Reader, path: string, directory: string): boolean {
  return reader.files.size > 0 && reader.files.get(resolve(directory, path))?.origin === 'network';
}

/** Build tools that projects ship with. */
const BUILD_TOOLS = /\/(?:configure|gradlew|mvnw|autogen\.sh|manage\.py|node_modules\/.*|\.venv\/.*|venv\/.*)$/;

/** Whether a file is in a folder that was unpacked or cloned, and not one of the usual build tools. */
export function isUnpacked(reader: Reader, path: string): boolean {
  return reader.fetched.some(
    ({ folder, foreign }) => path.startsWith(`${folder}/`) && (foreign || !BUILD_TOOLS.test(path)),
  );
}
