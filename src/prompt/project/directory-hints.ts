import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { JsonObject } from '../../base/index.ts';
import type { ContextFileMode, Environment, Hooks, Logger, ToolHookCall } from '../../contracts/index.ts';
import type { TextScan } from '../../scanning/index.ts';
import { isInside } from '../../util/index.ts';
import { findHintFiles } from './context-files.ts';
import { withParents } from './project-files.ts';
import type { ContextFile } from './read-context-file.ts';

export type HintOptions = {
  environment: Environment;
  logger: Logger;
  /** Whether only the first kind of context file is used (default) or all kinds. */
  mode?: ContextFileMode | undefined;
  scan?: TextScan;
};

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
 * Appends the context files of a subdirectory to the result of the first call that touches it. Each directory is
 * checked only once.
 */
export function createDirectoryHints({ environment, logger, mode, scan }: HintOptions): Hooks {
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

  async function look(directory: string, except: ReadonlySet<string>): Promise<string[]> {
    const warn = (message: string) => logger.warn(message);
    const found = await findHintFiles({
      files: environment,
      directory,
      root: top,
      limit: HINT_LIMIT,
      mode,
      scan,
      warn,
    });
    const files = found.filter(({ path }) => !except.has(path)).slice(0, Math.max(0, MAX_HINTS - given));
    given += files.length;
    return files.map((file) => hintText(file, directory, top));
  }

  return {
    name: 'directory hints',
    async transformToolResult(call, content) {
      if (given >= MAX_HINTS) return undefined;
      const paths = pathsOf(call, environment);
      const directories = paths.flatMap((path) => newOnes(FILE_TOOLS.has(call.toolName) ? dirname(path) : path));
      if (directories.length === 0) return undefined;
      const hints: string[] = [];
      for (const directory of directories) hints.push(...(await look(directory, new Set(paths))));
      return hints.length === 0 ? undefined : [content, ...hints].join('\n\n');
    },
  };
}

function hintText({ path, text }: ContextFile, directory: string, top: string): string {
  const name = relative(top, path);
  return `[Project instructions for ${relative(top, directory)}${sep}, from ${name}]\n${text}\n[End of ${name}]`;
}

function isIgnored(way: string): boolean {
  return way.split(sep).some((part) => IGNORED_DIRECTORIES.has(part));
}

/** The paths a call touches: those in its arguments, and the working directory after a command. */
function pathsOf({ toolName, args }: ToolHookCall, environment: Environment): string[] {
  const named = [args['path'] ?? [], args['workdir'], ...patchedFiles(args)]
    .flat()
    .filter((path) => typeof path === 'string');
  const current = environment.currentDirectory();
  const absolute = named.map((path) => (isAbsolute(path) ? join(path) : join(current, path)));
  return toolName === 'terminal' ? [...absolute, current] : absolute;
}

function patchedFiles(args: JsonObject): string[] {
  const { patch } = args;
  if (typeof patch !== 'string') return [];
  return [...patch.matchAll(/^\*\*\* (?:Update|Add) File: (.+)$/gm)].map((match) => (match[1] as string).trim());
}
