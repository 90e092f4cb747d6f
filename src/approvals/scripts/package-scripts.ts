import { dirname, resolve } from 'node:path';
import { quoteWords } from '../shell/shell-command.ts';
import { parseSubcommand } from '../shell/subcommands.ts';
import { globSource } from '../shell/words.ts';
import type { RunningCommand } from './find-runs.ts';
import type { ScriptDisk, ScriptFile } from './script-disk.ts';
import type { ScriptRun } from './script-run.ts';

/** How many parent folders are searched for the file. */
const MAX_PARENTS = 6;
/** The scripts that run when packages are installed, and when one is published. */
const INSTALL = ['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare'];
const PUBLISH = ['prepublishOnly', 'prepack', 'prepare', 'postpack', 'publish', 'postpublish'];
const VERSION = ['preversion', 'version', 'postversion'];
/** Commands of `npm` that run scripts; the others of `npm` run none. */
const OF_NPM: Readonly<Record<string, readonly string[]>> = {
  test: ['pretest', 'test', 'posttest'],
  t: ['pretest', 'test', 'posttest'],
  tst: ['pretest', 'test', 'posttest'],
  start: ['prestart', 'start', 'poststart'],
  stop: ['prestop', 'stop', 'poststop'],
  restart: ['prerestart', 'stop', 'restart', 'start', 'postrestart'],
  install: INSTALL,
  i: INSTALL,
  add: INSTALL,
  ci: INSTALL,
  'clean-install': INSTALL,
  it: [...INSTALL, 'pretest', 'test', 'posttest'],
  'install-test': [...INSTALL, 'pretest', 'test', 'posttest'],
  rebuild: INSTALL,
  publish: PUBLISH,
  pack: PUBLISH,
  version: VERSION,
};
const RUN = new Set(['run', 'run-script', 'rum', 'urn']);

type Wanted = { names: readonly string[]; parameters: readonly string[] };
type Manifest = {
  file: ScriptFile;
  scripts: Readonly<Record<string, string>>;
  before: Readonly<Record<string, string>> | undefined;
};

/** The scripts of package.json, deno.json or composer.json that a command runs. */
export function packageRuns(disk: ScriptDisk, command: RunningCommand): ScriptRun[] {
  const { name, directory } = command;
  const files =
    name === 'deno' ? ['deno.json', 'deno.jsonc'] : [name === 'composer' ? 'composer.json' : 'package.json'];
  if (/^(?:node|bun)$/.test(name) && !command.args.some((arg) => !arg.startsWith('-') || arg.startsWith('--run')))
    return [];
  const manifest = findManifest(disk, folderOf(command) ?? directory, files);
  if (manifest === undefined) return [];
  // A text that was cut cannot be parsed, so that nobody knows its scripts.
  if (manifest.file.isCut) return [{ file: manifest.file, key: manifest.file.path, isNew: () => true, script: '' }];
  return wantedScripts(command, manifest).flatMap(({ names, parameters }) =>
    names.flatMap((script) => runOf(manifest, script, parameters)),
  );
}

function runOf({ file, scripts, before }: Manifest, name: string, parameters: readonly string[]): ScriptRun[] {
  const text = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  if (text === undefined) return [];
  const isNew = file.isChanged && (before === undefined || before[name] !== text);
  const script = parameters.length === 0 ? text : `${text} ${quoteWords(parameters)}`;
  return [{ file, key: `${file.path} ${name}`, isNew: () => isNew, script, directory: dirname(file.path) }];
}

/** The folder in `--prefix DIR`, `-C DIR` and `--cwd DIR`. */
function folderOf({ args, directory }: RunningCommand): string | undefined {
  for (const [index, arg] of args.entries()) {
    const found = /^(?:--prefix|--cwd|--dir|--working-dir|--workspace|-w|-C|-d)(?:=(.*))?$/.exec(arg);
    const folder = found === null ? undefined : (found[1] ?? args[index + 1]);
    if (folder !== undefined && folder !== '') return resolve(directory, folder);
  }
  return undefined;
}

function wantedScripts(command: RunningCommand, manifest: Manifest): Wanted[] {
  const { name, args } = command;
  const separator = args.indexOf('--');
  const own = separator < 0 ? args : args.slice(0, separator);
  const parameters = separator < 0 ? [] : args.slice(separator + 1);
  switch (name) {
    case 'run-s':
    case 'run-p':
    case 'npm-run-all':
    case 'concurrently':
      return namedByPattern(name, own, manifest);
    case 'node': {
      const script = own.flatMap(
        (arg, index) => /^--run(?:=(.*))?$/.exec(arg)?.[1] ?? (arg === '--run' ? [own[index + 1] ?? ''] : []),
      );
      return script.map((one) => withHooks(one, parameters, false));
    }
    default:
      return wantedByWords(name, parseSubcommand(name, own).words, parameters, manifest);
  }
}

function wantedByWords(
  name: string,
  words: readonly string[],
  parameters: readonly string[],
  { scripts }: Manifest,
): Wanted[] {
  const [first = '', second = '', ...rest] = words;
  if (name === 'deno') return first === 'task' ? [{ names: [second], parameters: [...rest, ...parameters] }] : [];
  if (RUN.has(first)) return [withHooks(second, [...(name === 'npm' ? [] : rest), ...parameters], true)];
  if (name === 'composer')
    return [{ names: [first, `pre-${first}-cmd`, `post-${first}-cmd`, 'post-autoload-dump'], parameters: [] }];
  if (first === '' || first === 'install' || first === 'add')
    return name === 'npm' && first === '' ? [] : [{ names: INSTALL, parameters: [] }];
  if (name === 'npm') return Object.hasOwn(OF_NPM, first) ? [{ names: OF_NPM[first] ?? [], parameters }] : [];
  // Other package managers run a script by its name alone. `bun test` is its own test runner.
  if (name === 'bun' && /^(?:test|build|x|create|init|link|upgrade|pm|publish)$/.test(first)) return [];
  return Object.hasOwn(scripts, first)
    ? [withHooks(first, [second, ...rest].filter(Boolean).concat(parameters), true)]
    : [];
}

function withHooks(name: string, parameters: readonly string[], hooks: boolean): Wanted {
  return { names: hooks ? [`pre${name}`, name, `post${name}`] : [name], parameters };
}

/** `run-s clean build:*` and `concurrently npm:watch-*`. */
function namedByPattern(name: string, args: readonly string[], { scripts }: Manifest): Wanted[] {
  const patterns = args.flatMap((arg) => {
    if (name !== 'concurrently') return arg.startsWith('-') ? [] : [arg.split(' ')[0] ?? ''];
    return /^(?:npm|yarn|pnpm|bun):(\S+)/.exec(arg)?.[1] ?? [];
  });
  return patterns
    .filter((pattern) => pattern.length < 60)
    .flatMap((pattern) => {
      const matches = new RegExp(`^(?:${globSource(pattern)})$`);
      return Object.keys(scripts).filter((script) => matches.test(script));
    })
    .map((script) => withHooks(script, [], true));
}

/** The nearest file with one of these names, in this folder or above. */
function findManifest(disk: ScriptDisk, folder: string, names: readonly string[]): Manifest | undefined {
  let at = folder;
  for (let level = 0; level <= MAX_PARENTS; level += 1) {
    for (const name of names) {
      const file = disk.read(resolve(at, name));
      if (file !== undefined) {
        const before = file.before === undefined ? undefined : scriptsIn(file.before);
        return { file, scripts: scriptsIn(file.text), before };
      }
    }
    if (dirname(at) === at) break;
    at = dirname(at);
  }
  return undefined;
}

function scriptsIn(text: string): Readonly<Record<string, string>> {
  try {
    const found: unknown = JSON.parse(text.replace(/^\s*\/\/.*$/gm, ''));
    const { scripts, tasks } = (found ?? {}) as { scripts?: unknown; tasks?: unknown };
    const entries = Object.entries((scripts ?? tasks ?? {}) as Record<string, unknown>);
    return Object.fromEntries(entries.flatMap(([name, value]) => textOf(value).map((script) => [name, script])));
  } catch {
    // An invalid file: the package manager will report it and run nothing.
    return {};
  }
}

/** A script is a text, a list of texts (Composer) or an object with a `command` (Deno). */
function textOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return [value.filter((one) => typeof one === 'string').join('\n')];
  const { command } = (value ?? {}) as { command?: unknown };
  return typeof command === 'string' ? [command] : [];
}
