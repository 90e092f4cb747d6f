import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import type { McpServerSettings } from '../config/index.ts';
import { expandText, type Variables } from './expand-variables.ts';

type RootContext = { variables: Variables; workingDirectory: string };

/**
 * The directories in which a server should work: those of its `roots` setting, otherwise those that its arguments name,
 * otherwise the working directory. Some servers, such as the filesystem server, allow only these directories. So
 * directories that the user passed as arguments must stay allowed, and no others may become allowed.
 */
export async function findRoots(
  name: string,
  { roots, args }: Pick<McpServerSettings, 'roots' | 'args'>,
  { variables, workingDirectory }: RootContext,
): Promise<readonly string[]> {
  const places = { workspaceFolder: workingDirectory };
  const expand = (text: string, key: string) =>
    expandText(text.replace(/^~(?=\/|$)/, '${HOME}'), variables, places, `mcp_servers.${name}.${key}`);
  if (roots !== undefined) return roots.map((root) => resolve(workingDirectory, expand(root, 'roots')));
  const named = args.flatMap((argument, index) =>
    isOption(args[index - 1]) ? [] : [expand(argument, `args[${index}]`)],
  );
  const isRoot = await Promise.all(named.map(isDirectory));
  const directories = named.filter((_, index) => isRoot[index]);
  return directories.length > 0 ? directories : [workingDirectory];
}

/** The value of an option, as in `uv --directory DIR`, is where the server's own code is. */
function isOption(argument: string | undefined): boolean {
  return argument?.startsWith('-') ?? false;
}

async function isDirectory(path: string): Promise<boolean> {
  if (!isAbsolute(path)) return false;
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
