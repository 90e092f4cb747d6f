import { quoteShellWord } from '../../util/index.ts';
import { toPosix } from './dialects.ts';
import { executableName, optionValues, type Source } from './shell-command.ts';
import { CONTAINER_TOOLS, CONTAINER_VALUES, SCRIPT_OPTION, SHELLS, WRAPPERS, type Wrapper } from './wrappers.ts';

/** A command inside another one: its words, or a script to parse. */
export type InnerCommand = ({ words: string[] } | { script: string }) & {
  remote?: 'machine' | 'container';
  /** The text may be a command or plain text. */
  suspected?: boolean;
  /** The working directory that the wrapper sets. */
  directory?: string;
  /** The command starts in the home directory. */
  atHome?: true;
};

/** Wrappers with their own parsing code, which are not in the table. */
const OTHER_WRAPPERS = new Set('eval trap find fd fdfind alias at batch'.split(' '));

/** The commands that these words run; empty if the command is not a wrapper. */
export function unwrap(words: readonly string[], input: string | undefined): InnerCommand[] {
  const name = executableName(words[0] ?? '');
  const args = words.slice(1);
  if (SHELLS.has(name)) return shellScript(name, args);
  if (SCRIPT_OPTION.has(name)) return inHomeOf(name, [...shellScript(name, args), ...userCommand(name, args)], args);
  const client = clusterClient(name, args);
  if (client !== undefined) return [{ words: client }];
  if (CONTAINER_TOOLS.has(name)) return inContainer(args);
  switch (name) {
    case 'eval':
      return [{ script: args.join(' ') }];
    // A trap runs later, on a signal or at exit.
    case 'trap':
      return skipOptions(args, [])
        .slice(0, 1)
        .map((script) => ({ script }));
    case 'alias':
      return args.filter((arg) => /^[^=]+=/.test(arg)).map((arg) => ({ script: arg.slice(arg.indexOf('=') + 1) }));
    case 'at':
    case 'batch':
      return input === undefined ? [] : [{ script: input }];
    case 'find':
    case 'fd':
    case 'fdfind':
      return findActions(args);
    case 'env':
      return inDirectory(envCommand(args), args);
    case 'sudo':
      return inHomeOf(name, inDirectory(wrapped(name, args), args), args);
    case 'ssh':
      return [...wrapped('ssh', args), ...scriptForHost(args, input)];
    case 'xargs':
      return withInput(wrapped('xargs', args), args, input);
    case 'parallel':
      return parallelCommands(args, input);
    // `command -v` only prints where a program is.
    case 'command':
      return /^-[a-zA-Z]*[vV]/.test(args[0] ?? '') ? [] : wrapped('command', args);
    default:
      if (/^(?:python[\d.]*|py|pypy\d?)$/.test(name)) return moduleOf(args);
      return Object.hasOwn(WRAPPERS, name) ? wrapped(name, args) : [];
  }
}

/** Distributions of Kubernetes that contain its clients, and programs that pass their arguments to one. */
const DISTRIBUTION = /^(?:k3s|k0s|rke2|microk8s|minikube|talos)$/;
const CLIENT = /^(?:kubectl|crictl|ctr|helm3?|istioctl|linkerd)$/;

/** `k3s kubectl get pods`, `minikube kubectl -- get pods`, `microk8s.kubectl get pods`. */
function clusterClient(name: string, args: readonly string[]): string[] | undefined {
  const [, client] = /^microk8s\.(\w+)$/.exec(name) ?? [];
  if (client !== undefined && CLIENT.test(client)) return [client.replace('helm3', 'helm'), ...args];
  if (name === 'kubecolor' || name === 'kubectl.exe') return ['kubectl', ...args];
  const at = DISTRIBUTION.test(name) ? args.findIndex((arg) => !arg.startsWith('-')) : -1;
  const [found = '', ...rest] = at < 0 ? [] : args.slice(at);
  if (!CLIENT.test(found)) return undefined;
  return [found.replace('helm3', 'helm'), ...(rest[0] === '--' ? rest.slice(1) : rest)];
}

/** Modules of Python that are programs of the same name. */
const MODULES =
  /^(?:pip|pipx|uv|poetry|pdm|twine|flit|hatch|conda|ansible|httpie|dbt|alembic|celery|invoke|fabric|awscli|s3cmd|yt_dlp|gdown)$/;

/** `python -m pip …` is pip. */
function moduleOf(args: readonly string[]): InnerCommand[] {
  const at = args.indexOf('-m');
  const module = at < 0 || at > 3 ? '' : (args[at + 1] ?? '');
  if (!MODULES.test(module)) return [];
  const name = { awscli: 'aws', fabric: 'fab', httpie: 'http' }[module] ?? module;
  return [{ words: [name, ...args.slice(at + 2)] }];
}

/** `sh -c SCRIPT`, including combined flags such as `bash -lc` and `sh -ec`. */
function shellScript(shell: string, args: readonly string[]): InnerCommand[] {
  const joined = args.find((arg) => /^--(?:command|run)=/.test(arg));
  if (joined !== undefined) return [{ script: toPosix(shell, joined.slice(joined.indexOf('=') + 1)) }];
  const at = args.findIndex((arg) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(arg) || arg === '--command' || arg === '--run');
  const script = at < 0 ? undefined : skipOptions(args.slice(at + 1), ['-o', '-O', '+o', '+O'], /^[-+]/)[0];
  return script === undefined ? [] : [{ script: toPosix(shell, script) }];
}

/** With `-u`, runuser takes a command after its options instead of a script. */
function userCommand(name: string, args: readonly string[]): InnerCommand[] {
  return name === 'runuser' && args.some((arg) => /^(?:-u|--user)/.test(arg)) ? wrapped(name, args) : [];
}

const SPLIT_STRING = /^(?:-[a-zA-Z0]*S|--s[a-z-]*=?)\s*/;

/** `env -S` splits one string into words like a shell does. A false match is harmless. */
function envCommand(args: readonly string[]): InnerCommand[] {
  const split = args.findIndex((arg) => SPLIT_STRING.test(arg));
  const script = split < 0 ? [] : [{ script: args.slice(split).join(' ').replace(SPLIT_STRING, '') }];
  return [...script, ...wrapped('env', args)];
}

/** `env -C DIR` and `sudo -D DIR` run the command in another directory. */
function inDirectory(inner: InnerCommand[], args: readonly string[]): InnerCommand[] {
  const [directory] = optionValues(args, /^(?:-[CD]|--chdir=?)(.*)$/);
  return directory === undefined ? inner : inner.map((one) => ({ ...one, directory }));
}

/** `sudo -iu bob` and `su - bob` run the command in the home directory of that user, which is root by default. */
function inHomeOf(program: string, inner: InnerCommand[], args: readonly string[]): InnerCommand[] {
  const own = program === 'sudo' ? args.slice(0, args.length - wordCount(inner)) : args;
  if (!own.some((arg) => arg === '-' || /^-[a-zA-Z]*?[il]/.test(arg) || arg === '--login')) return inner;
  const [named = own.find((arg) => /^[a-z_]/.test(arg))] = optionValues(own, /^(?:-[a-zA-Z]*?u|--user=?)(.*)$/);
  const directory = named === undefined || named === 'root' ? '/root' : `/home/${named}`;
  return inner.map((one) => ({ directory, ...one }));
}

const wordCount = ([first]: readonly InnerCommand[]) =>
  first !== undefined && 'words' in first ? first.words.length : 0;

/** Removes the wrapper's own options, operands and assignments; the rest is the command. */
function wrapped(name: string, args: readonly string[]): InnerCommand[] {
  const wrapper: Wrapper = WRAPPERS[name] ?? {};
  const start = wrapper.after === undefined ? 0 : args.findIndex((arg) => wrapper.after?.test(arg)) + 1;
  if (wrapper.after !== undefined && start === 0) return [];
  const rest = skipOptions(args.slice(start), wrapper.values ?? []);
  const remaining = skipOptions(
    rest.slice(wrapper.operands ?? 0),
    wrapper.operands === undefined ? [] : (wrapper.values ?? []),
  );
  const after = remaining.slice(remaining.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word)));
  const command = wrapper.optionsAnywhere ? withoutOptions(after, wrapper.values ?? []) : after;
  if (command.length === 0) return [];
  if (name === 'flock' && rest.includes('-c')) return [{ script: rest[rest.indexOf('-c') + 1] ?? '' }];
  const remote = name === 'ssh' && isLocalHost(rest[0]) ? undefined : wrapper.remote;
  // The remote side joins the words and passes them to a shell.
  if (wrapper.remote === 'machine') return [{ script: command.join(' '), remote, atHome: true }];
  if (wrapper.script && (command.length === 1 || /\s/.test(command[0] ?? '')))
    return command.map((script) => ({ script }));
  return [{ words: RUNS_PACKAGE.test(name) ? withoutVersion(command) : command, remote }];
}

/** Programs that run a package, which may be given with a version: `npx rimraf@5`, `uvx ruff==0.5`. */
const RUNS_PACKAGE = /^(?:npx|bunx|pnpx|npm|pnpm|yarn|bun|uvx|uv|pipx)$/;

function withoutVersion([name = '', ...args]: readonly string[]): string[] {
  return [name.replace(/(?<=[\w-])(?:@[\w.^~*<>=-]*|[=<>~!]=.*)$/, ''), ...args];
}

function withoutOptions(words: readonly string[], withValue: readonly string[]): string[] {
  return words.filter((word, index) => !withValue.includes(word) && !withValue.includes(words[index - 1] ?? ''));
}

/** Without a command, the shell on the other machine runs the input: `ssh host <<EOF`. */
function scriptForHost(args: readonly string[], input: string | undefined): InnerCommand[] {
  const rest = skipOptions(args, WRAPPERS['ssh']?.values ?? []).slice(1);
  const runsInput = rest.length === 0 || /(?:^|\/)(?:ba|da|z|k)?sh(?: -[a-z]*s\b.*)?$/.test(rest.join(' '));
  return input === undefined || !runsInput ? [] : [{ script: input, remote: 'machine' }];
}

function isLocalHost(host = ''): boolean {
  return /(?:^|@)(?:localhost|127(?:\.\d+){3}|::1)$/.test(host);
}

/** Skips leading options, including the values of those that take one. */
function skipOptions(args: readonly string[], withValue: readonly string[], option = /^-/): string[] {
  let at = 0;
  while (at < args.length) {
    const arg = args[at] ?? '';
    if (arg === '--') return args.slice(at + 1);
    if (!option.test(arg) || arg === '-') break;
    at += takesNext(arg, withValue) ? 2 : 1;
  }
  return args.slice(at);
}

/** Whether the value of an option is the next word. In `-bw HOSTS`, that is the value of the last letter. */
function takesNext(arg: string, withValue: readonly string[]): boolean {
  if (withValue.includes(arg)) return true;
  if (!/^-[a-zA-Z]{2,6}$/.test(arg)) return false;
  return [...arg].slice(1).findIndex((letter) => withValue.includes(`-${letter}`)) === arg.length - 2;
}

const FIND_ACTIONS = new Set('-exec -execdir -ok -okdir -x -X --exec --exec-batch'.split(' '));

/** `find` may run several commands, each terminated by `;` or `+`. */
function findActions(args: readonly string[]): InnerCommand[] {
  const found: InnerCommand[] = [];
  for (const [index, arg] of args.entries()) {
    if (!FIND_ACTIONS.has(arg)) continue;
    const rest = args.slice(index + 1);
    const end = rest.findIndex((word) => word === ';' || word === '+');
    found.push({ words: end < 0 ? rest : rest.slice(0, end) });
  }
  return found;
}

/** Adds the arguments that xargs reads from its input, if they are known. */
function withInput(inner: readonly InnerCommand[], args: readonly string[], input: string | undefined): InnerCommand[] {
  const items = (input ?? '').split(/[\s\0]+/).filter((item) => item !== '');
  if (items.length === 0) return [...inner];
  const own = args.slice(0, args.length - Math.max(0, ...inner.map((one) => ('words' in one ? one.words.length : 0))));
  const at = own.findIndex((arg) => /^-[IiJ]|^--replace/.test(arg));
  const mark =
    at < 0
      ? undefined
      : (/^(?:-[IiJ]|--replace=?)(.+)$/.exec(args[at] ?? '')?.[1] ?? (args[at] === '-I' ? args[at + 1] : '{}'));
  return inner.map((one) => {
    if (!('words' in one)) return one;
    if (mark === undefined) return { ...one, words: [...one.words, ...items] };
    return { ...one, words: one.words.map((word) => word.replaceAll(mark || '{}', (input ?? '').trim())) };
  });
}

/** The words after `:::` are arguments for the command, or the commands themselves. */
function parallelCommands(args: readonly string[], input: string | undefined): InnerCommand[] {
  const at = args.findIndex((arg) => /^:::+[:+]?$/.test(arg));
  const items = at < 0 ? [] : args.slice(at + 1).filter((arg) => !arg.startsWith(':::'));
  const inner = wrapped('parallel', at < 0 ? args : args.slice(0, at));
  if (inner.length === 0) return [...items, ...(input?.split('\n') ?? [])].map((script) => ({ script }));
  return inner.map((one) =>
    'words' in one
      ? { ...one, words: withItems(one.words, items) }
      : { ...one, script: [one.script, ...items.map(quoteShellWord)].join(' ') },
  );
}

/** The items replace `{}`, or follow the words if there is none. */
function withItems(words: readonly string[], items: readonly string[]): string[] {
  if (!words.some((word) => word.includes('{}'))) return [...words, ...items];
  return words.flatMap((word) => (word.includes('{}') ? items.map((item) => word.replaceAll('{}', item)) : [word]));
}

/** `docker run [options] IMAGE COMMAND`, `docker exec`, `docker compose exec`, `kubectl exec POD -- COMMAND`. */
function inContainer(args: readonly string[]): InnerCommand[] {
  const at = args.findIndex((arg) => arg === 'run' || arg === 'exec' || arg === 'debug' || arg === 'rsh');
  if (at < 0) return [];
  const remaining = args.slice(at + 1);
  const rest = skipOptions(remaining, CONTAINER_VALUES);
  const words = skipOptions(rest.slice(1), CONTAINER_VALUES);
  const entry = args.findIndex((arg) => arg === '--entrypoint');
  const first =
    entry < 0 ? args.find((arg) => arg.startsWith('--entrypoint='))?.slice('--entrypoint='.length) : args[entry + 1];
  const command = first === undefined ? words : [first, ...words];
  return command.length === 0 ? [] : [{ words: command, remote: 'container' }];
}

/** Whether the program is a known wrapper, so that its arguments need no guessing. */
export function isWrapper(name: string): boolean {
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  return wrapper !== undefined || SHELLS.has(name) || SCRIPT_OPTION.has(name) || OTHER_WRAPPERS.has(name);
}

/**
 * Commands that an unknown program may run: the words from the name of a dangerous command onwards. No list of
 * wrappers is complete.
 */
export function suspectedCommands(words: readonly string[], isDangerous: (name: string) => boolean): string[][] {
  const starts = new Map<string, number>();
  for (const [index, word] of words.entries()) {
    const name = executableName(word);
    if (index > 0 && !starts.has(name) && (isDangerous(name) || SHELLS.has(name))) starts.set(name, index);
  }
  return [...starts.values()].map((start) => words.slice(start));
}

/** A command and the commands it wraps, so that `sudo curl` counts as curl. */
export function sourcesOf(words: readonly string[], directory: string): Source[] {
  const [name = '', ...args] = words;
  const inner = unwrap(words, undefined).flatMap((found) =>
    'words' in found && found.words.length < words.length ? sourcesOf(found.words, directory) : [],
  );
  return [{ name: executableName(name), args, directory }, ...inner];
}
