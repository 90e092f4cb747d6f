/**
 * Folders that programs fill, and that can be had again from what is kept. A project that has sources under such a name
 * says so with a line like `!dist/` in its .gitignore.
 */
const FILLED_BY_PROGRAMS = [
  'node_modules/',
  'bower_components/',
  '.yarn/cache/',
  '.pnpm-store/',
  'dist/',
  '.next/',
  '.nuxt/',
  '.turbo/',
  '.parcel-cache/',
  '.cache/',
  'coverage/',
  'venv/',
  '.venv/',
  '__pycache__/',
  '.mypy_cache/',
  '.pytest_cache/',
  '.ruff_cache/',
  '.tox/',
  '*.egg-info/',
  '.gradle/',
  '.terraform/',
  '.hg/',
  '.svn/',
  '.worktrees/',
  '.DS_Store',
];

/** What the program itself writes down about turns: going back must not take it away. */
const WRITTEN_BY_US = ['trajectory_samples.jsonl', 'failed_trajectories.jsonl'];

/** For `info/exclude` of a store, which any .gitignore of the project overrules. */
export const EXCLUDED = `${[...FILLED_BY_PROGRAMS, ...WRITTEN_BY_US].join('\n')}\n`;

/**
 * For `info/attributes` of a store, which overrules every .gitattributes: files are kept to the byte, and no filter of
 * anybody is run.
 */
export const ATTRIBUTES = '* -text !eol -ident -filter !working-tree-encoding !diff !merge\n';

/** A path as a pattern that fits nothing else. */
export function patternOf(path: string): string {
  return `/${path.replace(/[\\*?[\]!# ]/g, '\\$&')}`;
}
