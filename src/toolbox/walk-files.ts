import { basename, join, relative, sep } from 'node:path';
import type { Environment } from '../contracts/index.ts';
import { expandBraces } from '../util/index.ts';
import { createIgnoreScope, type IgnoreScope } from './ignore-rules.ts';

/** Walks the files below a folder in a fixed order, leaving out what ignore files leave out. Links are not followed. */
export async function* walkFiles(root: string, environment: Environment): AsyncGenerator<string> {
  yield* walkFolder(root, await createIgnoreScope(root, environment), environment);
}

async function* walkFolder(folder: string, outer: IgnoreScope, environment: Environment): AsyncGenerator<string> {
  const scope = await outer.enter(folder);
  // A folder that may not be read is no reason to give up on the others.
  const entries = await environment.list(folder).catch(() => []);
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name, kind } of sorted) {
    const path = join(folder, name);
    if (kind === 'other' || scope.ignores(path, kind === 'directory')) continue;
    if (kind === 'file') yield path;
    else yield* walkFolder(path, scope, environment);
  }
}

/** Whether a path below a root fits a glob. A glob without a slash is for names at any depth. */
export type PathFilter = (path: string) => boolean;

export async function createPathFilter(glob: string, root: string): Promise<PathFilter> {
  const { default: createMatcher } = await import('ignore');
  // Globs know {a,b} and {a}, ignore files do not.
  const plain = glob.replace(/^\.\//, '').replace(/\{([^{},]*)\}/g, '$1');
  const matcher = createMatcher().add(expandBraces(plain));
  // A root that is itself a file has no path below the root, only a name.
  return (path) => matcher.ignores((relative(root, path) || basename(path)).split(sep).join('/'));
}
