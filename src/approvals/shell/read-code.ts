import {
  DELETES_HOME,
  DELETES_TREE,
  FORKS,
  IMPORTS,
  KILLS_ALL,
  KILLS_ONE,
  LISTED_ARGUMENTS,
  LITERAL_DELETE,
  LITERAL_MOVE,
  LITERAL_RUN,
  REACHES_NETWORK,
  RUNS_FETCHED,
  SHUTS_DOWN,
  UNCLEAR,
  WHOLE_ENVIRONMENT,
  WRITES,
} from './code-patterns.ts';
import { quoteWords } from './shell-command.ts';

/** What a program in another language would do, as far as its text shows. */
export type CodeReading = {
  /** Texts that it hands to a shell, and what it does to files, said as shell commands; some only look like that. */
  scripts: { script: string; certain: boolean }[];
  /** It runs programs or deletes files that cannot be told from the text. */
  unclear: boolean;
  forkBomb: boolean;
  /** Paths that stand in it, and whether it writes any files. */
  paths: string[];
  writes: boolean;
  /** It hands all variables, and with them every key, to another machine. */
  sendsEnvironment: boolean;
};

const MAX_CODE = 40_000;

/** A program that is nothing but a shell hands over to whoever types into it. */
const BARE_SHELL = /^\s*(?:\S*\/)?(?:ba|da|z|k)?sh(?:\s+-[il]+)*\s*(?:[<>&\d\s]*)$/;

export function readCode(code: string): CodeReading {
  const text = spellImports(code.slice(0, MAX_CODE));
  const scripts: CodeReading['scripts'] = [];
  const rest = takeDeletes(takeRuns(text.replace(IMPORTS, ' '), scripts), text, scripts).replace(KILLS_ONE, ' ');
  for (const ticks of rest.matchAll(/`([^`$]{1,500})`|(?:%x|qx)\s*[[({/]([^\])}/]{1,500})[\])}/]/g))
    scripts.push({ script: ticks[1] ?? ticks[2] ?? '', certain: false });
  if (DELETES_HOME.test(text)) scripts.push({ script: 'rm -r ~', certain: false });
  if (KILLS_ALL.test(withoutTexts(text))) scripts.push({ script: 'kill -9 -1', certain: false });
  if (SHUTS_DOWN.test(text)) scripts.push({ script: 'shutdown now', certain: false });
  return {
    scripts,
    unclear: UNCLEAR.test(rest) || RUNS_FETCHED.test(text),
    forkBomb: FORKS.test(text),
    paths: pathsIn(text),
    writes: WRITES.test(text),
    sendsEnvironment: WHOLE_ENVIRONMENT.test(text) && REACHES_NETWORK.test(text),
  };
}

type Found = (string | undefined)[];
const textOf = (found: Found) => found[0] ?? found[1] ?? found[2] ?? '';
const listOf = (text: string) => [...text.matchAll(/"([^"]*)"|'([^']*)'/g)].map((word) => word[1] ?? word[2] ?? '');

/** Takes out the calls that start a program with words that can be read, and says them as scripts. */
function takeRuns(text: string, scripts: CodeReading['scripts']): string {
  return text.replace(LITERAL_RUN, (whole, ...found: Found) => {
    const first = textOf(found);
    const behind = text.slice(Number(found[4]) + whole.length);
    const listed = [first, ...listOf(found[3] ?? ''), ...listOf(LISTED_ARGUMENTS.exec(behind)?.[1] ?? '')];
    const script = listed.length > 1 && !/\s/.test(first) ? quoteWords(listed) : unquote(first);
    // `exec` is a method of many things, such as patterns.
    scripts.push({ script, certain: !/^exec\s*\(/.test(whole) });
    return isComputedText(whole) || BARE_SHELL.test(script) ? whole : ' ';
  });
}

/** The same for files that are deleted or given another name. */
function takeDeletes(text: string, whole: string, scripts: CodeReading['scripts']): string {
  const take = (command: (path: string, found: Found, call: string) => string[]) => {
    return (call: string, ...found: Found) => {
      const path = unquote(textOf(found));
      scripts.push({ script: quoteWords(command(path, found, call)), certain: false });
      return isComputedText(path) ? call : ' ';
    };
  };
  const recursive = /recursive\s*[:=]|\bt\)/.test(whole);
  return text
    .replace(
      LITERAL_DELETE,
      take((path, found, call) => {
        const tree = DELETES_TREE.test(call) || recursive;
        return ['rm', ...(tree ? ['-r'] : []), path, ...listOf(found[3] ?? '')];
      }),
    )
    .replace(
      LITERAL_MOVE,
      take((path, found) => ['mv', path, ...listOf(found[3] ?? '')]),
    );
}

/** What stands in quotes is not called. */
function withoutTexts(text: string): string {
  return text.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '""');
}

const RISKY_MODULE = 'os|subprocess|shutil|pty|commands';

/** Names that were imported under another one, put back: `from os import system as s` makes `s(` to `os.system(`. */
function spellImports(code: string): string {
  let text = code;
  for (const [, module = '', alias = ''] of code.matchAll(
    new RegExp(`\\bimport\\s+(${RISKY_MODULE})\\s+as\\s+(\\w+)`, 'g'),
  ))
    text = text.replace(new RegExp(`\\b${alias}\\.`, 'g'), `${module}.`).replace(`import ${module} as ${alias}`, '');
  for (const [whole, module = '', list = ''] of code.matchAll(
    new RegExp(`\\bfrom\\s+(${RISKY_MODULE})\\s+import\\s+([\\w ,]+)`, 'g'),
  )) {
    text = text.replace(whole, '');
    for (const one of list.split(',')) {
      const [name = '', , alias = name] = one.trim().split(/\s+/);
      if (/^\w+$/.test(alias))
        text = text.replace(new RegExp(`(?<![\\w.])${alias}\\s*(?=\\()`, 'g'), `${module}.${name}`);
    }
  }
  return text;
}

/** Texts that are put together at run time: f-strings, `${…}`, `#{…}`. */
function isComputedText(text: string): boolean {
  return /\$\{|#\{|\bf["']|["']\s*[+%.]\s*\w|\$\w/.test(text);
}

function unquote(text: string): string {
  return text.replace(/\\(["'`\\])/g, '$1');
}

/** Absolute paths and those from the home folder that stand in quotes. */
function pathsIn(text: string): string[] {
  return [...text.matchAll(/["'`]((?:\/|~\/)[^"'`\n]{1,300})["'`]/g)].map((found) => found[1] ?? '');
}

const AWK = new Set(['awk', 'gawk', 'mawk', 'nawk', 'goawk']);

export function isAwk(name: string): boolean {
  return AWK.has(name);
}

/** awk runs programs in three ways, a function, a pipe into one and one that lines are taken from, and writes files. */
export function readAwk(code: string): { scripts: string[]; written: string[]; unclear: boolean } {
  const scripts: string[] = [];
  const written: string[] = [];
  const take = (_: string, text = '') => {
    scripts.push(text);
    return ' ';
  };
  const rest = code
    .slice(0, MAX_CODE)
    .replace(/\bsystem\s*\(\s*"((?:[^"\\]|\\.)*)"\s*\)/g, take)
    .replace(/\|&?\s*"((?:[^"\\]|\\.)*)"/g, (whole, text: string) => {
      // Into a shell goes what only the lines know.
      if (/^\s*(?:\S*\/)?(?:ba|da|z|k)?sh\b/.test(text)) return whole;
      return take(whole, text);
    })
    .replace(/"((?:[^"\\]|\\.)*)"\s*\|&?\s*getline/g, take);
  for (const found of code.matchAll(/>>?\s*"([^"]+)"/g)) written.push(found[1] ?? '');
  return {
    scripts,
    written,
    unclear: /\bsystem\s*\(|\|&?\s*"(?:\S*\/)?(?:ba|da|z|k)?sh\b|\|\s*getline|\/inet\/tcp/.test(rest),
  };
}
