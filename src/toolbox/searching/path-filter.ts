import { basename, relative, sep } from 'node:path';
import { expandBraces } from '../../util/index.ts';

/** Whether a path below a root fits a glob. */
export type PathFilter = (path: string) => boolean;

/** A glob without a slash is for names at any depth; one with `!` in front is for all that does not fit. */
export async function createPathFilter(glob: string, root: string, caseSensitive: boolean): Promise<PathFilter> {
  if (glob.startsWith('!')) {
    const excluded = await createPathFilter(glob.slice(1), root, caseSensitive);
    return (path) => !excluded(path);
  }
  const { default: createMatcher } = await import('ignore');
  // Globs know {a,b} and {a}, ignore files do not.
  const plain = glob.replace(/^\.\//, '').replace(/\{([^{},]*)\}/g, '$1');
  const matcher = createMatcher({ ignorecase: !caseSensitive }).add(expandBraces(plain));
  const namesOnly = !plain.includes('/');
  return (path) => {
    // A root that is itself a file has no path below the root, only a name.
    const below = namesOnly ? basename(path) : relative(root, path).split(sep).join('/') || basename(path);
    return matcher.ignores(below);
  };
}
