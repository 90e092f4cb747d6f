import { dirname, extname, isAbsolute, join } from 'node:path';
import type { JsonObject } from '../base/index.ts';
import type { LanguageServerSettings } from '../config/index.ts';
import type { Environment, Logger } from '../contracts/index.ts';
import { isInside, quoteShellWord } from '../util/index.ts';
import { KNOWN_SERVERS, type ServerProgram, type ServerRow } from './known-servers.ts';

export type FinderOptions = {
  environment: Environment;
  servers: Readonly<Record<string, LanguageServerSettings>>;
  /** Whether servers are used that are not configured. */
  detect: boolean;
  /** Programs below this directory belong to the project. */
  projectRoot: string;
  /** Whether a server may run code of the project: its own programs, its build scripts, its plugins. */
  mayRunProjectCode: boolean;
  /** Whether the approval rules let a command run without a question. */
  mayRun(commandLine: string, directory: string): Promise<boolean>;
  logger: Logger;
};

/** The servers for a file, in the order in which they are tried. */
export type FoundServers = {
  name: string;
  root: string;
  languageId: string;
  commands: readonly (readonly string[])[];
  initializationOptions: JsonObject | undefined;
};

/** Finds the language server for a file. */
export interface ServerFinder {
  /** Whether a server is known for this kind of file, installed or not. */
  covers(path: string): boolean;
  find(path: string): Promise<FoundServers | undefined>;
}

type Row = Omit<ServerRow, 'programs'> & {
  programs: readonly ServerProgram[];
  initializationOptions?: JsonObject | undefined;
};

const PROJECT_PROGRAM_FOLDERS = ['node_modules/.bin', '.venv/bin', 'venv/bin'];

export function createServerFinder(options: FinderOptions): ServerFinder {
  const { environment, mayRun, mayRunProjectCode } = options;
  const rows = createRows(options);
  const top = environment.workingDirectory;
  const refused = new Set<string>();
  let onPath: Promise<ReadonlyMap<string, string>> | undefined;
  const rowOf = (path: string) => rows.find(({ languages }) => Object.hasOwn(languages, extensionOf(path)));

  async function isAllowed(command: readonly string[], runsProjectCode: boolean, root: string): Promise<boolean> {
    const [program = ''] = command;
    const real = await environment.resolvePath(program);
    const isOfProject = isInside(await environment.resolvePath(options.projectRoot), real);
    const isRefused = (isOfProject || runsProjectCode) && !mayRunProjectCode;
    if (!isRefused && (await mayRun(command.map(quoteShellWord).join(' '), root))) return true;
    const reason = isRefused ? 'it would run code of a project that is not trusted' : 'it needs approval';
    if (!refused.has(program)) options.logger.info('language server not used', { command: command.join(' '), reason });
    refused.add(program);
    return false;
  }

  async function locate(program: string, root: string): Promise<string[]> {
    if (isAbsolute(program)) return [program];
    if (program.includes('/')) return [join(root, program)];
    onPath ??= findOnPath(environment, rows);
    const found = (await onPath).get(program);
    const own = mayRunProjectCode ? await findInProject(environment, program, root) : undefined;
    return [own, found].filter((each) => each !== undefined);
  }

  return {
    covers: (path) => rowOf(path) !== undefined,
    async find(path) {
      const row = rowOf(path);
      if (row === undefined) return undefined;
      const root = await findRoot(environment, dirname(path), row.rootMarkers, top);
      const commands: string[][] = [];
      for (const { program, args, runsProjectCode = false } of row.programs) {
        for (const located of await locate(program, root)) {
          const command = [located, ...args];
          if (await isAllowed(command, runsProjectCode, root)) commands.push(command);
        }
      }
      if (commands.length === 0) return undefined;
      const { name, languages, initializationOptions } = row;
      return { name, root, languageId: languages[extensionOf(path)] ?? '', commands, initializationOptions };
    },
  };
}

/** Configured servers come first, so that they replace the built-in ones for their file extensions. */
function createRows({ servers, detect }: FinderOptions): readonly Row[] {
  const configured = Object.entries(servers).flatMap(([name, settings]) => {
    const known = KNOWN_SERVERS.find((row) => row.name === name);
    return settings.disabled ? [] : configuredRow(name, settings, known);
  });
  return [...configured, ...(detect ? KNOWN_SERVERS.filter(({ name }) => servers[name] === undefined) : [])];
}

function configuredRow(name: string, settings: LanguageServerSettings, known: ServerRow | undefined): Row[] {
  const { command, extensions, languageId, rootMarkers, initializationOptions } = settings;
  const [program, ...args] = command ?? [];
  const programs = program === undefined ? known?.programs : [{ program, args }];
  const languages = extensions
    ? Object.fromEntries(extensions.map((each) => [each, languageId ?? languageOf(each)]))
    : known?.languages;
  if (programs === undefined || languages === undefined) return [];
  return [{ name, programs, languages, rootMarkers: rootMarkers ?? known?.rootMarkers ?? [], initializationOptions }];
}

/** The language id of an extension; most ids that are not in the table are the extension itself. */
function languageOf(extension: string): string {
  return KNOWN_SERVERS.find(({ languages }) => Object.hasOwn(languages, extension))?.languages[extension] ?? extension;
}

function extensionOf(path: string): string {
  return extname(path).slice(1).toLowerCase();
}

/** The nearest folder with one of the files, up to the working directory. */
async function findRoot(
  environment: Environment,
  directory: string,
  markers: readonly string[],
  top: string,
): Promise<string> {
  for (let at = directory; isInside(top, at); at = dirname(at)) {
    const found = await Promise.all(markers.map((marker) => isFile(environment, join(at, marker))));
    if (found.includes(true)) return at;
    if (at === top) break;
  }
  return top;
}

async function findInProject(environment: Environment, program: string, root: string): Promise<string | undefined> {
  const top = environment.workingDirectory;
  for (let at = root; isInside(top, at); at = dirname(at)) {
    for (const folder of PROJECT_PROGRAM_FOLDERS) {
      const path = join(at, folder, program);
      if (await isFile(environment, path)) return path;
    }
    if (at === top) break;
  }
  return undefined;
}

/** Looks for all programs with one command, because the environment may be on another machine. */
async function findOnPath(environment: Environment, rows: readonly Row[]): Promise<ReadonlyMap<string, string>> {
  const programs = rows
    .flatMap((row) => row.programs.map(({ program }) => program))
    .filter((each) => !each.includes('/'));
  const words = [...new Set(programs)].map(quoteShellWord).join(' ');
  const search = await environment.start(`for program in ${words}; do command -v "$program"; done`, {
    killOnExit: true,
  });
  let output = '';
  search.onOutput((text) => (output += text));
  await search.ended;
  // Functions and aliases are printed without a path.
  const paths = output.split('\n').filter((line) => line.startsWith('/'));
  return new Map(paths.map((path) => [path.slice(path.lastIndexOf('/') + 1), path]));
}

async function isFile(environment: Environment, path: string): Promise<boolean> {
  return (await environment.stat(path).catch(() => undefined))?.kind === 'file';
}
