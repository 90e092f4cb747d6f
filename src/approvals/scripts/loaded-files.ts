import { basename, dirname, join, resolve } from 'node:path';
import type { RunningCommand } from './find-runs.ts';
import type { ScriptDisk, ScriptFile } from './script-disk.ts';
import type { ScriptRun } from './script-run.ts';

/** The number of files that are read to find those that were changed in this session. */
const MAX_FILES = 40;
const MAX_CODE = 40_000;
const PYTHON_IMPORT = /(?:^|[;\n:])[ \t]*(?:from\s+([.\w]+)\s+import\s+([\w, ]+)|import\s+([\w., ]+))/g;
const OTHER_IMPORT =
  /\b(?:(?:require|import|from|load)\s*\(?\s*["'`](\.{1,2}\/[^"'`\n]{1,200})|require_relative\s*\(?\s*["']([^"'\n]{1,200}))/g;
const EXTENSIONS = ['', '.js', '.ts', '.mjs', '.cjs', '.tsx', '.rb', '/index.js', '/index.ts'];
/** Tools that read the files in their arguments as text, but run their own settings. */
const BUILD_TOOLS =
  /^(?:vite|webpack|rollup|next|nuxt|astro|eslint|prettier|tailwindcss|postcss|babel|tsup|esbuild|gulp|grunt)$/;
/** Compilers, test runners and build tools, and the files that they compile, run or load if none is named. */
const SOURCES: readonly (readonly [programs: RegExp, files: RegExp])[] = [
  [/^py\.?test$/, /^(?:conftest|test_.*|.*_test)\.py$/],
  [
    /^(?:vitest|jest|mocha|ava|tap|playwright|cypress)$/,
    /\.(?:test|spec|config)\.[cm]?[jt]sx?$|^(?:\.mocharc\.c?js|(?:vitest|jest)\.setup\.[cm]?[jt]s)$/,
  ],
  [BUILD_TOOLS, /^(?:[\w-]+\.config|gulpfile|Gruntfile|\.eslintrc|\.prettierrc|\.babelrc)\.[cm]?[jt]s$/],
  [/^(?:pip3?|pipx)$/, /^setup\.py$/],
  [
    /^(?:nox|invoke|inv|fab|doit|scons|locust|scrapy|airflow)$/,
    /^(?:noxfile|tasks|fabfile|dodo|locustfile|SConstruct)(?:\.py)?$/,
  ],
  [/^rake$/, /^(?:R|r)akefile(?:\.rb)?$/],
  [/^rspec$/, /_spec\.rb$/],
  [/^phpunit$/, /Test\.php$/],
  [/^(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|tcc)$/, /\.(?:c|cc|cpp|cxx|m)$/],
  [/^go$/, /\.go$/],
  [/^(?:rustc|cargo)$/, /\.rs$/],
  [/^(?:javac?|kotlinc?)$/, /\.(?:java|kts?)$/],
  [/^swiftc?$/, /\.swift$/],
  [/^zig$/, /\.zig$/],
];
/** Folders in which these files usually are. */
const FOLDERS = ['.', 'src', 'test', 'tests', 'spec', '__tests__'];

/** A loaded file from this session is judged like a script that the user had before, because most of it is plain code. */
function loadedRun(file: ScriptFile, words: readonly string[]): ScriptRun {
  const { path, text } = file;
  return {
    file: { ...file, isChanged: false },
    key: `${path} loaded`,
    isNew: () => false,
    words: [...words, text.replace(/^\s*(?:#(?!!)|\/\/).*$/gm, '')],
  };
}

/** The modules from this session that code imports, also through modules that the user had before. */
export function importedRuns(disk: ScriptDisk, command: RunningCommand, code: string, words: string[]): ScriptRun[] {
  const { name, directory, program } = command;
  const seen = new Set<string>();
  const runs: ScriptRun[] = [];
  const follow = (text: string, folders: readonly string[]) => {
    for (const path of name.startsWith('py') ? pythonPaths(text, folders) : otherPaths(text, folders)) {
      if (seen.has(path) || seen.size > MAX_FILES) continue;
      seen.add(path);
      const file = disk.read(path);
      if (file?.isChanged) runs.push(loadedRun(file, words));
      else if (file !== undefined) follow(file.text, [directory, dirname(path)]);
    }
  };
  follow(code.slice(0, MAX_CODE), program === undefined ? [directory] : [directory, dirname(program)]);
  return runs;
}

function pythonPaths(text: string, folders: readonly string[]): string[] {
  const names = [...text.matchAll(PYTHON_IMPORT)].flatMap(([, from, members = '', modules = '']) =>
    from === undefined
      ? modules.split(',')
      : [from, ...members.split(',').map((member) => `${from.replace(/\.+$/, '')}.${member.trim()}`)],
  );
  return names.flatMap((name) => {
    const [first = ''] = name.trim().split(/\s/);
    const path = first.replace(/^\.+/, '').replaceAll('.', '/');
    if (path === '') return [];
    return folders.flatMap((folder) => [join(folder, `${path}.py`), join(folder, path, '__init__.py')]);
  });
}

function otherPaths(text: string, folders: readonly string[]): string[] {
  const names = [...text.matchAll(OTHER_IMPORT)].map((found) => found[1] ?? found[2] ?? '');
  return names.flatMap((name) => {
    const base = resolve(folders.at(-1) ?? '/', name);
    return EXTENSIONS.map((extension) => base + extension);
  });
}

/** pytest loads the `conftest.py` of every folder above a test. */
function conftestsOf(path: string): string[] {
  if (!path.endsWith('.py')) return [];
  const folder = dirname(path);
  return [join(folder, 'conftest.py'), ...(folder === '.' || folder === '/' ? [] : conftestsOf(`${folder}.py`))];
}

/** The sources and tests from this session that a compiler or a test runner uses. */
export function sourceRuns(disk: ScriptDisk, { name, args, directory }: RunningCommand): ScriptRun[] {
  const files = SOURCES.find(([programs]) => programs.test(name))?.[1];
  if (files === undefined) return [];
  const named = args
    .map((arg) => arg.replace(/::.*$/, ''))
    .filter(
      (arg) => /\.\w+$/.test(arg) && !arg.startsWith('-') && (!BUILD_TOOLS.test(name) || files.test(basename(arg))),
    );
  const listed = [...FOLDERS, ...args.filter((arg) => /^\.{0,2}[\w/.-]+$/.test(arg) && !/\.\w+$/.test(arg))].flatMap(
    (folder) =>
      disk
        .list(resolve(directory, folder))
        .filter((one) => files.test(one))
        .map((one) => join(folder, one)),
  );
  const paths = [...new Set(named.length > 0 ? [...named, ...named.flatMap(conftestsOf)] : listed)].slice(0, MAX_FILES);
  // The code of a language without an interpreter is read like that of Python, in which backticks run nothing.
  return paths
    .flatMap((path) => disk.read(resolve(directory, path)) ?? [])
    .filter(({ isChanged }) => isChanged)
    .map((file) => loadedRun(file, /[jt]sx?$/.test(file.path) ? ['node', '-e'] : ['python3', '-c']));
}
