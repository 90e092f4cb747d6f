import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { JsonObject } from '../../base/index.ts';
import type { Environment, Hooks, Logger, ToolHookCall } from '../../contracts/index.ts';
import type { TextScan } from '../../scanning/index.ts';
import { isInside } from '../../util/index.ts';
import { findHintFile } from './context-files.ts';
import { withParents } from './project-files.ts';
import type { ContextFile } from './read-context-file.ts';

export type HintOptions = { environment: Environment; logger: Logger; scan?: TextScan };

const HINT_LIMIT = 8000;
const MAX_HINTS = 12;
const MAX_DIRECTORIES = 5000;
/** Tools whose `path` is a file, not a directory. */
const FILE_TOOLS = new Set(['read_file', 'write_file', 'patch']);
/** Directories with third-party or generated files. */
const IGNORED_DIRECTORIES = new Set([
  'node_modules',
  '.git',
  'vendor',
  '.venv',
  'venv',
  '__pycache__',
  'dist',
  'build',
  'target',
]);

/**
 * Appends the context file of a subdirectory to the result of the first call that touches it. Each directory is
 * checked only once.
 */
export function createDirectoryHints({ environment, logger, scan }: HintOptions): Hooks {
  const top = environment.workingDirectory;
  const known = new Set<string>([top]);
  let given = 0;

  /** The unvisited directories on the path, outermost first; marks them as visited. */
  function newOnes(directory: string): string[] {
    if (known.has(directory) || !isInside(top, directory) || known.size > MAX_DIRECTORIES) return [];
    const way = withParents(directory).filter((each) => isInside(top, each) && !known.has(each));
    for (const each of way) known.add(each);
    return way.reverse().filter((each) => !isIgnored(relative(top, each)));
  }

  async function look(directory: string, except: ReadonlySet<string>): Promise<string | undefined> {
    const warn = (message: string) => logger.warn(message);
    const project = { files: environment, directory, gitRoot: directory, limit: HINT_LIMIT, scan, warn };
    const file = await findHintFile(project);
    if (file === undefined || except.has(file.path) || given >= MAX_HINTS) return undefined;
    given++;
    return hintText(file, top);
  }

  return {
    name: 'directory hints',
    async transformToolResult(call, content) {
      if (given >= MAX_HINTS) return undefined;
      const paths = pathsOf(call, environment);
      const directories = paths.flatMap((path) => newOnes(FILE_TOOLS.has(call.toolName) ? dirname(path) : path));
      if (directories.length === 0) return undefined;
      const hints: string[] = [];
      for (const directory of directories) hints.push((await look(directory, new Set(paths))) ?? '');
      const found = hints.filter((hint) => hint !== '');
      return found.length === 0 ? undefined : [content, ...found].join('\n\n');
    },
  };
}

function hintText({ path, text }: ContextFile, top: string): string {
  const name = relative(top, path);
  return `[Project instructions for ${dirname(name)}${sep}, from ${name}]\n${text}\n[End of ${name}]`;
}

function isIgnored(way: string): boolean {
  return way.split(sep).some((part) => IGNORED_DIRECTORIES.has(part));
}

/** The paths a call touches: those in its arguments, and the working directory after a command. */
function pathsOf({ toolName, args }: ToolHookCall, environment: Environment): string[] {
  const named = [args['path'], args['workdir'], ...patchedFiles(args)].filter((path) => typeof path === 'string');
  const current = environment.currentDirectory();
  const absolute = named.map((path) => (isAbsolute(path) ? join(path) : join(current, path)));
  return toolName === 'terminal' ? [...absolute, current] : absolute;
}

function patchedFiles(args: JsonObject): string[] {
  const { patch } = args;
  if (typeof patch !== 'string') return [];
  return [...patch.matchAll(/^\*\*\* (?:Update|Add) File: (.+)$/gm)].map((match) => (match[1] as string).trim());
}
