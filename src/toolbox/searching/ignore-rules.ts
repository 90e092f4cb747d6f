import { dirname, join, relative, sep } from 'node:path';
import type { Ignore } from 'ignore';
import type { Environment } from '../../contracts/index.ts';

/** Ignore files by precedence: a rule of an earlier kind wins at any depth. */
const KINDS = ['.rgignore', '.ignore', '.gitignore'] as const;
type Kind = (typeof KINDS)[number];
const MAX_PARENTS = 40;

/** The ignore rules of one directory. A .gitignore applies only inside a checkout, up to its root. */
type Level = { folder: string; isCheckout: boolean; rules: Partial<Record<Kind, Ignore>> };

/** The ignore rules that apply to a directory: its own and those of its parents. */
export interface IgnoreScope {
  /** The scope of a subdirectory with the given entries. */
  enter(folder: string, names: ReadonlySet<string>): Promise<IgnoreScope>;
  ignores(path: string, isFolder: boolean): boolean;
}

/** The scope of a walk before its root is entered. */
export async function createIgnoreScope(
  root: string,
  environment: Environment,
  parents: boolean,
): Promise<IgnoreScope> {
  return scopeWith(await readLevels(root, environment, parents), environment);
}

/** Whether a named directory is itself ignored by rules above it. */
export async function isRootIgnored(root: string, environment: Environment): Promise<boolean> {
  const levels = await readLevels(root, environment, true);
  return levels.length > 0 && isIgnored(levels, root, true);
}

function scopeWith(levels: readonly Level[], environment: Environment): IgnoreScope {
  return {
    enter: async (folder, names) => scopeWith([...levels, await readLevel(folder, names, environment)], environment),
    ignores: (path, isFolder) => isIgnored(levels, path, isFolder),
  };
}

/** The levels above the root, outermost first. Checkouts are detected even if the rules are not used. */
async function readLevels(root: string, environment: Environment, withRules: boolean): Promise<Level[]> {
  const levels: Level[] = [];
  for (let folder = dirname(root), below = root; folder !== below && levels.length < MAX_PARENTS; ) {
    const entries = await environment.list(folder).catch(() => []);
    const level = await readLevel(folder, new Set(entries.map(({ name }) => name)), environment);
    levels.unshift(withRules ? level : { ...level, rules: {} });
    below = folder;
    folder = dirname(folder);
  }
  return levels;
}

async function readLevel(folder: string, names: ReadonlySet<string>, environment: Environment): Promise<Level> {
  const level: Level = { folder, isCheckout: names.has('.git'), rules: {} };
  for (const kind of KINDS) {
    if (!names.has(kind)) continue;
    const bytes = await environment.readFile(join(folder, kind)).catch(() => undefined);
    if (bytes === undefined) continue;
    const { default: createMatcher } = await import('ignore');
    level.rules[kind] = createMatcher({ ignorecase: false }).add(new TextDecoder().decode(bytes));
  }
  return level;
}

/** For each kind, the innermost file with a rule for the path decides. */
function isIgnored(levels: readonly Level[], path: string, isFolder: boolean): boolean {
  const inCheckout = levels.some(({ isCheckout }) => isCheckout);
  for (const kind of KINDS) {
    if (kind === '.gitignore' && !inCheckout) continue;
    for (const { folder, isCheckout, rules } of levels.toReversed()) {
      const said = rules[kind] && verdict(rules[kind], folder, path, isFolder);
      if (said !== undefined) return said;
      // A .gitignore above the checkout does not apply.
      if (kind === '.gitignore' && isCheckout) break;
    }
  }
  return false;
}

function verdict(matcher: Ignore, folder: string, path: string, isFolder: boolean): boolean | undefined {
  const inside = relative(folder, path).split(sep).join('/');
  if (inside === '' || inside.startsWith('../')) return undefined;
  const { ignored, unignored } = matcher.test(isFolder ? `${inside}/` : inside);
  return ignored || unignored ? ignored : undefined;
}
