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
};

const QUOTED = `"((?:[^"\\\\\\n]|\\\\.){0,2000})"|'((?:[^'\\\\\\n]|\\\\.){0,2000})'|\`((?:[^\`\\\\]|\\\\.){0,2000})\``;
/** Calls that start a program, in all languages together. */
const RUN =
  '(?:os\\.(?:system|popen|exec\\w*|spawn\\w*|startfile)|subprocess\\.\\w+|commands\\.getoutput|pty\\.spawn|(?:child_process\\.)?(?:exec|execFile|spawn|fork)(?:File)?(?:Sync)?|\\$`|Bun\\.spawn|Deno\\.(?:Command|run)|system|exec|popen|qx|%x|shell_exec|passthru|proc_open|os\\.execute|io\\.popen|IO\\.popen|Open3\\.\\w+|Kernel\\.\\w+|shell-command(?:-to-string)?|call-process|do shell script|System\\.cmd|os:cmd|Runtime\\.getRuntime\\(\\)\\.exec|Process\\.spawn)';
/** Calls that delete files. */
const DELETE =
  '(?:shutil\\.rmtree|rmtree|remove_tree|os\\.(?:remove|unlink|rmdir|removedirs)|(?:fs\\.|fsPromises\\.|promises\\.)?(?:rm|rmdir|unlink)(?:Sync)?|FileUtils\\.(?:rm\\w*|remove\\w*)|File\\.(?:delete|unlink|rm\\w*!?)|Dir\\.(?:rmdir|delete|unlink)|unlink|delete-(?:directory|file)|os\\.removeAll|Deno\\.remove|file\\.remove|rimraf|removeSync|remove)';

const literalCall = (names: string) =>
  new RegExp(
    `(?<!\\w)${names}!?\\s*[(\\s]\\s*\\[?\\s*(?:${QUOTED})((?:\\s*,\\s*\\[?\\s*(?:"[^"\\n]{0,500}"|'[^'\\n]{0,500}'))*)\\s*\\]?`,
    'g',
  );
const HOME =
  /(?:rmtree|rmSync|rm_rf|rm_r|rmdirSync|rm|remove_dir_all|rm_rf!|remove)\s*\(\s*(?:os\.path\.expanduser\(\s*['"]~\/?['"]|(?:pathlib\.)?Path\.home\(\)|os\.environ\[?\(?['"]HOME|os\.homedir\(\)|require\(['"](?:node:)?os['"]\)\.homedir\(\)|process\.env\.HOME|Dir\.home|ENV\[['"]HOME|\$HOME|getenv\(['"]HOME)/;
/** What is left of running or deleting once the calls that could be read are taken out. */
const UNCLEAR =
  /\brmtree\b|\bos\.(?:remove|unlink|rmdir|removedirs|system|popen|exec[lv]\w*|spawn\w*|kill|fork|dup2)\b|\bshutil\.move\b|\brm(?:dir)?Sync\b|\bunlink(?:Sync)?\b|\brm_rf\b|\bsubprocess\b|\bchild_process\b|\bexecSync\b|\bspawnSync\b|\bFile\.delete\b|\bFileUtils\b|\bfork\b|\bsystem\s*[("'`]|\b(?:exec|eval|popen|shell_exec|passthru|proc_open)\s*\(|`[^`]*\brm\b|%x[[({]|\bqx[\s/({[]|__import__\s*\(|\bgetattr\s*\(\s*(?:os|__)|importlib|\bpty\.spawn|os\.execute|io\.popen|do shell script|delete-directory|delete-file|shell-command|call-process|\bOpen3\b|\bIO\.popen|Remove-Item|\bReal(?:ly)?Delete\b|Deno\.(?:run|Command|remove)|Bun\.spawn|new Function\s*\(|process\.kill|Process\.kill|marshal\.loads|pickle\.loads|\.rm_rf!|remove_dir_all|fs\.rm\b|\.rmdir\(|\.unlink\(|\bDir\.delete\b|socket\.socket|fsockopen|IO::Socket|TCPSocket|\bsocket\s*\(|sockaddr_in/;
/** Statements that only name a module. */
const IMPORTS =
  /^\s*(?:import\s+[\w, .]+|from\s+[\w.]+\s+import\s+[\w, ]+)\s*(?:;|$)|(?:const|let|var)\s+(?:\w+|\{[^}]*\})\s*=\s*require\(\s*['"][\w:]+['"]\s*\)|import\s+[\w*{}, ]+\s+from\s+['"][\w:]+['"]|require\s*\(?['"](?:node:)?(?:child_process|fileutils|open3|fs)['"]\)?/gm;
const FORKS =
  /\bwhile\b[^\n;]{0,40}\bfork\b|\bfork\b\s*(?:\(\))?\s*while\b|\bloop\s*(?:do|\{)[^}]{0,20}\bfork\b|\bfor\s*\(\s*;;\s*\)\s*\{?\s*fork\b|while\s*\(?\s*(?:true|1)\s*\)?[^\n]{0,60}\.fork\(/;
const WRITES =
  /\bopen\s*\([^)]{0,200}['"](?:w|a|x|r\+)|write|save|dump|\bFile\.(?:write|open)|Sync\(|copy|rename|symlink|chmod|truncate|>\s*["']/;
const MAX_CODE = 40_000;

/** A program that is nothing but a shell hands over to whoever types into it. */
const BARE_SHELL = /^\s*(?:\S*\/)?(?:ba|da|z|k)?sh(?:\s+-[il]+)*\s*(?:[<>&\d\s]*)$/;

export function readCode(code: string): CodeReading {
  const text = spellImports(code.slice(0, MAX_CODE));
  const scripts: CodeReading['scripts'] = [];
  let rest = text.replace(IMPORTS, ' ');
  rest = rest.replace(literalCall(RUN), (whole, ...found: (string | undefined)[]) => {
    const [first, more] = [found[0] ?? found[1] ?? found[2] ?? '', found[3] ?? ''];
    const listed = [first, ...[...more.matchAll(/"([^"]*)"|'([^']*)'/g)].map((word) => word[1] ?? word[2] ?? '')];
    const script = listed.length > 1 && !/\s/.test(first) ? quoteWords(listed) : unquote(first);
    // `exec` is a method of many things, such as patterns.
    scripts.push({ script, certain: !/^exec\s*\(/.test(whole) });
    return isComputedText(whole) || BARE_SHELL.test(script) ? whole : ' ';
  });
  rest = rest.replace(literalCall(DELETE), (whole, ...found: (string | undefined)[]) => {
    const path = unquote(found[0] ?? found[1] ?? found[2] ?? '');
    const tree = DELETES_TREE.test(whole) || /recursive\s*[:=]|\bt\)/.test(text);
    scripts.push({ script: quoteWords(['rm', ...(tree ? ['-r'] : []), path]), certain: false });
    return isComputedText(path) ? whole : ' ';
  });
  for (const ticks of rest.matchAll(/`([^`$]{1,500})`|(?:%x|qx)\s*[[({/]([^\])}/]{1,500})[\])}/]/g))
    scripts.push({ script: ticks[1] ?? ticks[2] ?? '', certain: false });
  if (HOME.test(text)) scripts.push({ script: 'rm -r ~', certain: false });
  return {
    scripts,
    unclear: UNCLEAR.test(rest),
    forkBomb: FORKS.test(text),
    paths: pathsIn(text),
    writes: WRITES.test(text),
  };
}

const DELETES_TREE = /tree|rm_r|rmSync|rmdir|recursive|rm_rf|directory|remove_?[aA]ll|rimraf|\brm\s*\(/;
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

const words = (text: string) => new Set(text.split(' '));

/** Languages, and the options behind which they take a program as text. */
const INTERPRETERS: readonly { names: RegExp; option: RegExp }[] = [
  { names: /^(?:python[\d.]*|pypy\d?|ipython\d?|jython|micropython)$/, option: /^-[a-zA-Z]*c(.*)$/ },
  { names: /^(?:perl|ruby|irb|jruby)[\d.]*$/, option: /^-[a-zA-Z]*?[eE](.*)$/ },
  { names: /^(?:node|nodejs|tsx|ts-node|bun)$/, option: /^(?:-[a-z]*[ep]|--eval=?|--print=?)(.*)$/ },
  { names: /^deno$/, option: /^eval()$/ },
  { names: /^php[\d.]*$/, option: /^(?:-r|--run=?)(.*)$/ },
  {
    names: /^(?:lua|luajit|julia|R|Rscript|elixir|groovy|scala|racket|ghc|osascript|guile|crystal)[\d.]*$/,
    option: /^(?:-[ec]|--eval=?|--expr=?)(.*)$/,
  },
  { names: /^(?:emacs|emacsclient|sbcl|clisp|ecl)$/, option: /^(?:-eval|--eval=?|-f)(.*)$/ },
  { names: /^erl$/, option: /^-eval()$/ },
  { names: /^(?:pwsh|powershell)(?:\.exe)?$/i, option: /^-(?:c|command|e|ec|enc|encodedcommand)()$/i },
  { names: /^(?:tclsh|wish)[\d.]*$/, option: /^-c(.*)$/ },
];

export function isInterpreter(name: string): boolean {
  return INTERPRETERS.some(({ names }) => names.test(name));
}

/** The program text in the arguments, or on standard input where no file is named. */
export function codeGiven(name: string, args: readonly string[], input: string | undefined): string | undefined {
  const language = INTERPRETERS.find(({ names }) => names.test(name));
  if (language === undefined) return undefined;
  const at = args.findIndex((arg) => language.option.test(arg));
  if (at >= 0) {
    const attached = language.option.exec(args[at] ?? '')?.[1] ?? '';
    return [attached, ...args.slice(at + 1)].join('\n');
  }
  const file = args.find((arg) => !arg.startsWith('-'));
  return file === undefined || args.includes('-') ? input : undefined;
}

const AWK = words('awk gawk mawk nawk goawk');

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
