import { type CodeEffect, effectsOf, permissionScripts, statementsIn } from './code-calls.ts';
import { namesMetadataService } from '../files/hosts.ts';
import { variablesInCode, variablesNamed } from './code-environment.ts';
import { deletesBelowHome, hostsIn, replacedEnvFiles, UNCLEAR_CALLS, usesHome } from './code-effects.ts';
import { quoteWords } from './shell-command.ts';
import { spellTexts } from './spelled-code.ts';

const QUOTED = `"((?:[^"\\\\\\n]|\\\\.){0,2000})"|'((?:[^'\\\\\\n]|\\\\.){0,2000})'|\`((?:[^\`\\\\]|\\\\.){0,2000})\``;
/** Calls that start a program, by language. */
const RUN = oneOf(
  'os\\.(?:system|popen|exec\\w*|spawn\\w*|posix_spawn\\w*|startfile)|subprocess\\.\\w+|commands\\.getoutput|pty\\.spawn|asyncio\\.create_subprocess_\\w+',
  '(?:child_process\\.)?(?:exec|execFile|spawn|fork)(?:File)?(?:Sync)?|\\$`|Bun\\.spawn|Deno\\.(?:Command|run)|execa(?:Sync|Command\\w*)?',
  'system|exec|popen|qx|%x|shell_exec|passthru|proc_open|pcntl_exec',
  'os\\.execute|io\\.popen|vim\\.fn\\.(?:system|jobstart)',
  'IO\\.popen|Open3\\.\\w+|Kernel\\.\\w+|Process\\.spawn',
  'shell-command(?:-to-string)?|call-process|do shell script|System\\.(?:cmd|shell)|os:cmd|Runtime\\.getRuntime\\(\\)\\.exec|system2',
);
/** Calls that delete files. */
const DELETE = oneOf(
  'shutil\\.rmtree|rmtree|remove_tree|os\\.(?:remove|unlink|rmdir|removedirs)',
  '(?:fs\\.|fsPromises\\.|promises\\.)?(?:rm|rmdir|unlink)(?:Sync)?|rimraf|removeSync|emptyDir(?:Sync)?|Deno\\.remove(?:Sync)?',
  'FileUtils\\.(?:rm\\w*|remove\\w*)|File\\.(?:delete|unlink|rm\\w*!?)|Dir\\.(?:rmdir|delete|unlink)',
  'unlink|delete-(?:directory|file)|os\\.removeAll|file\\.remove|(?<!\\.)(?:remove|delete)',
);
/** Calls that rename a file, which may overwrite another one. */
const MOVE = oneOf(
  'os\\.(?:rename|replace)|shutil\\.move|(?:fs\\.|promises\\.)?rename(?:Sync)?|File\\.rename|FileUtils\\.(?:mv|move)',
  'rename|move|os\\.rename|Deno\\.rename(?:Sync)?|rename-file|file\\.rename',
);
/** Calls whose first argument is a string literal. */
const LITERAL_RUN = literalCall(RUN);
const LITERAL_DELETE = literalCall(DELETE);
const LITERAL_MOVE = literalCall(MOVE);
/** Calls that cannot be anything but a deletion of files. */
const DELETES_FILE =
  /^(?:os\.(?:remove|unlink)|(?:fs\.|fsPromises\.|promises\.)?(?:unlinkSync|rmSync)|fs\.(?:unlink|rm)|Deno\.remove(?:Sync)?|File\.(?:delete|unlink)|FileUtils\.rm\w*)\b/;
const MOVES = /^\S*(?:rename|replace|move|mv)/;
/** `new Deno.Command("rm", { args: ["-rf", "x"] })`: the arguments are in a separate list. */
const LISTED_ARGUMENTS = /^\s*,\s*\{[^}]{0,200}?\bargs\s*:\s*\[([^\]]{0,500})\]/;
const DELETES_HOME =
  /(?:rmtree|rmSync|rm_rf|rm_r|rmdirSync|rm|remove_dir_all|rm_rf!|remove)\s*\(\s*(?:os\.path\.expanduser\(\s*['"]~\/?['"]|(?:pathlib\.)?Path\.home\(\)|os\.environ\[?\(?['"]HOME|os\.homedir\(\)|require\(['"](?:node:)?os['"]\)\.homedir\(\)|process\.env\.HOME|Dir\.home|ENV\[['"]HOME|\$HOME|getenv\(['"]HOME)(?!['"]?[\])]*\s*(?:\+|\/\s*["'`\w]|\.\s*["'`]))/;
const DELETES_TREE =
  /tree|emptyDir|removeSync|remove_(?:entry|dir)|rm_r|rmSync|rmdir|recursive|rm_rf|directory|remove_?[aA]ll|rimraf|\brm\s*\(/;
/** Run and delete calls that remain after all readable calls were removed, by language and kind. */
const UNCLEAR = new RegExp(
  [
    '\\brmtree\\b|\\bos\\.(?:remove|unlink|rmdir|removedirs|system|popen|exec[lv]\\w*|spawn\\w*|posix_spawn\\w*|kill|killpg|fork|dup2|truncate|rename|replace)\\b|\\bshutil\\.move\\b|\\bsubprocess\\b|\\bctypes\\b|create_subprocess_',
    '__import__\\s*\\(|\\bgetattr\\s*\\(\\s*(?:os|__)|importlib|\\bpty\\.spawn|marshal\\.loads|pickle\\.loads',
    '\\brm(?:dir)?Sync\\b|\\bunlink(?:Sync)?\\b|\\bchild_process\\b|\\bexecSync\\b|\\bspawnSync\\b|\\bfs\\.rm\\b|\\btruncateSync\\b|process\\.kill|process\\.binding|new Function\\s*\\(|\\brunIn\\w*Context\\b|Deno\\.(?:run|Command|remove)|Bun\\.spawn|Bun\\.\\$',
    '\\brm_rf\\b|\\bFile\\.delete\\b|\\bFileUtils\\b|\\bDir\\.delete\\b|\\bOpen3\\b|\\bIO\\.popen|Process\\.kill|\\bspawn\\s*\\(|\\.rm_rf!',
    '\\bsystem\\s*[("\'`]|\\b(?:exec|eval|popen|shell_exec|passthru|proc_open|pcntl_exec|create_function|loadstring|dofile)\\s*\\(|`[^`]*\\brm\\b|%x[[({]|\\bqx[\\s/({[]',
    'os\\.execute|io\\.popen|os\\.(?:remove|rename)\\s*\\(|["\']\\.execute\\(\\)|do shell script|delete-directory|delete-file|shell-command|call-process|Remove-Item|\\bReal(?:ly)?Delete\\b|remove_dir_all|\\btell application "Finder" to (?:delete|empty)',
    '\\.rmdir\\(|\\.unlink\\(|\\bfork\\b|\\bunlink\\b|\\btruncate\\s*\\(?\\s*["\'$]|\\bopen\\s*\\(?[^;)\\n]{0,40}["\']\\s*\\|',
    '(?<![\\w.])eval\\s+(?:[$]|[\\w:]+\\s*\\(|[["\'][^\\n]{0,2000}\\.\\w*(?:pack|decode)\\w*)|(?<![\\w.])rename\\s*[($]|\\b(?:rename|move)\\b[^;\\n]{0,60}\\bglob\\b',
    'socket\\.socket|fsockopen|IO::Socket|TCPSocket|\\bsocket\\s*\\(|sockaddr_in',
  ].join('|'),
);
/** Calls that get text or a file from the network. */
const GETS =
  /\bfetch\s*\(|\burlopen\b|\burlretrieve\b|\b(?:requests|httpx|axios|session|client|http|https|aiohttp|urllib3|superagent|needle|got|Req|HTTPoison|Tesla|Faraday|HTTParty|RestClient)\.(?:get|request|body_to_string)!?\s*\(|\bgot\s*\(|\bURI\.open\b|\bopen-uri\b|\bNet::HTTP\.get|\bLWP\b|\bget\s*\(\s*["']https?:|\b(?:file_get_contents|fopen|copy|readfile|open|slurp|url|readLines|source|download(?:\.file|_file|File)?|curl_init|load|include)\s*\(?\s*["']https?:|\bcurl_exec\b|\bhttpc[:.]request|\bdownload\s*\(|\burl-(?:retrieve|copy-file|insert)|\bDownload(?:String|File|Data)\b|\bInvoke-(?:WebRequest|RestMethod)\b|\bi(?:wr|rm)\s|\bwget\.download\b|\bHttpClient\b|\bOkHttp\w*|\bcreate_connection\b|\bNSURL\b|\bURLSession\b|\bhttp::geturl\b/;
/** Calls that run a text as code. */
const EVALUATES =
  /(?<![\w.$])(?:eval|exec|execfile|compile|loadstring|load|dofile|evaluate|include_string|Function)\s*\(|(?<![\w.])eval\s+[[\w$"'`]|\b(?:instance_eval|class_eval|module_eval|exec_module|runInThisContext|runInNewContext|eval-buffer|eval-region|eval_string|eval_quoted|load-string|marshal\.loads|load_source|createScript|EvalScript)\b|\bimport\s*\(\s*["'`]data:|\bvm\.(?:run|Script|compile)\w*|\biex\b|\|\s*iex\b|\bCode\.eval\w*|\binclude\s*\(\s*download/;
/** Code that names an address to run: `eval` passed as a callback, an import or an include of a URL. */
const RUNS_ADDRESS =
  /\.then\(\s*(?:eval|Function)\b|(?<![\w.])eval\s+\S*(?:open|get|read|fetch)|\b(?:include|require|source|load|load-file|dofile)(?:_once)?\s*\(?\s*(?:url\s*\(\s*)?["']https?:|\b(?:import|from)\s*\(?\s*["'`]https?:\/\/(?!(?:deno\.land|jsr\.io|esm\.sh|unpkg\.com|cdn\.jsdelivr\.net|cdn\.skypack\.dev)\/)|\bimport\s*\(\s*["'`]data:|@Grab(?:Resolver)?\s*\(\s*["']https?:|\b(?:remotes|devtools|pak|pacman|BiocManager)::(?:install_\w+|pak|pkg_install|p_install_gh|install)\s*\(\s*["'][\w.:-]+\/|\bPkg\.(?:add|develop|clone)\s*\(\s*(?:\w*\(?url\s*=|["'](?:https?:|git@))/;
/** Import statements. */
const IMPORTS =
  /^\s*(?:import\s+[\w, .]+|from\s+[\w.]+\s+import\s+[\w, ]+)\s*(?:;|$)|(?:const|let|var)\s+(?:\w+|\{[^}]*\})\s*=\s*require\(\s*['"][\w:]+['"]\s*\)|import\s+[\w*{}, ]+\s+from\s+['"][\w:]+['"]|require\s*\(?['"](?:node:)?(?:child_process|fileutils|open3|fs)['"]\)?/gm;
const FORKS =
  /\bwhile\b[^\n;]{0,40}\bfork\b|\bfork\b\s*(?:\(\))?\s*while\b|\bloop\s*(?:do|\{)[^}]{0,20}\bfork\b|\bfor\s*\(\s*;;\s*\)\s*\{?\s*fork\b|while\s*\(?\s*(?:true|1)\s*\)?[^\n]{0,60}\.fork\(|\bwhile\s*\(?\s*(?:True|true|1)\s*\)?\s*[:{]\s*(?:\w+\.){0,2}fork\s*\(/;
const WRITES =
  /\bopen\s*\([^)]{0,200}['"](?:w|a|x|r\+)|write|save|dump|\bFile\.(?:write|open)|put_contents|unpack|extract|retrieve|download|["']\+?>|Sync\(|copy|rename|symlink|chmod|truncate|>\s*["']/i;
/** A signal to pid -1, which means all processes; the order of pid and signal depends on the language. */
const KILLS_ALL =
  /\b(?:os\.kill|process\.kill|posix_kill|(?:posix|signal|unistd|require\([^)]*\))\.kill|syscall\.Kill)\s*\(\s*-1(?!\d)|(?:\bProcess\.kill|(?<![\w.])kill)\s*\(?\s*[^\n;()-][^\n;()]{0,40},\s*-1(?!\d)|(?<![\w.])kill\s*\(?\s*-\d+\s*,\s*-1(?!\d)/;
/** A signal to a single pid. */
const KILLS_ONE = /\b(?:os|process|Process)\.kill\s*\(\s*(?:['"]?\w+['"]?\s*,\s*)?(\d{2,})\b/g;
/** A signal to the parent process. */
const KILLS_PARENT =
  /\bkill\b[^;\n]{0,60}\b(?:getppid|ppid)\b|\b(?:getppid|ppid|parent)\b[^;\n]{0,60}\.(?:kill|terminate|suspend|send_signal)\s*\(/;
/** Commands in backticks and similar quotes, and the languages where backticks mean something else. */
const TICKS = /`([^`$]{1,500})`|(?:%x|qx)\s*[[({/]([^\])}/]{1,500})[\])}/]/g;
const NO_BACKTICKS = /^(?:py|ipython|jython|micropython)/;
/** AppleScript that shuts a Mac down. */
const SHUTS_DOWN =
  /\btell app(?:lication)? "?(?:System Events|Finder|loginwindow)"?[\s\S]{0,40}\b(?:shut down|restart)\b/;
/** The whole environment as one value, including API keys. */
const WHOLE_ENVIRONMENT =
  /\bos\.environ\b(?!\s*(?:\[|\.(?!copy|items)|\())|\bprocess\.env\b(?!\s*(?:\?\.|\.|\[))|\bENV\.(?:to_h|to_a|inspect|map)|%ENV\b|\bDeno\.env\.toObject|\bgetenv\(\s*\)|\$_ENV\b(?!\s*\[)/;
/** Calls that print or write a value. */
const PRINTS =
  /\b(?:(?:F|S|p)?[pP]rint\w*|princ|prin1|insert|phpinfo|Get-ChildItem|gci|dir|pp|p|say|puts|echo|console|log\w*|write\w*|dump\w*|inspect|Dumper|var_dump|var_export|message|cat|format|display|stdout|stderr|output|open|parray|Write-\w+|IO)\b|\$env:|\benv:/;
/** Network access. */
const REACHES_NETWORK =
  /\bfetch\s*\(|https?:\/\/|\burlopen\b|\brequests\.|\bhttp\.client\b|\bhttps?\.request\b|\bNet::HTTP\b|\bcurl_init\b|\bLWP\b|\bsocket\b/;

/** Calls that send data to another machine. */
const SENDS =
  /\brequests\.(?:post|put|patch|request)\b|\bhttpx\.(?:post|put)\b|\burlopen\s*\([^)]*,|\bRequest\s*\([^)]*data|\bfetch\s*\([\s\S]{0,200}\b(?:body|POST|PUT)\b|\baxios\.(?:post|put)\b|\bhttps?\.request\b|\bNet::HTTP(?:\.|::)(?:post|put|Post|Put)|\bcurl_setopt\b|\bsendall\s*\(|\bsmtplib\b|\bnodemailer\b|\bstorbinary\b|\bupload_(?:file|blob)\w*\b|\bPutObjectCommand\b|\bput_object\b|\bparamiko\b|\bPOST\b|\bstor(?:binary|lines)\b|\bHTTPS?Connection\b|\bmail\s*\(|\bcreate_connection\b|\bsocket\b|\bInvoke-(?:RestMethod|WebRequest)\b|\bput_file\b|\bsend_file\b|\bUploadFile\b|->post\s*\(|\bHTTP::Request\b|\bput(?:binary|text)file\b|\bNet::(?:FTP|SFTP|SCP)\b|\.connect\s*\(\s*\d+\s*,|\b(?:http|session|client)\.(?:post|put|patch)\s*\(|https?:\/\/[^"'`\s]*[?&/=]["'`]\s*(?:\.\s*(?=[\w$(])|\+)|https?:\/\/[^"'`\s]*(?:\$\{|#\{)/;

/** The standard input. */
const READS_INPUT = /\bstdin\b|\bSTDIN\b|php:\/\/(?:input|stdin)|\bARGF\b|\/dev\/stdin|readFileSync\s*\(\s*0\b/;

/** What code in another language would do, as far as its text shows. */
export type CodeReading = {
  /**
   * Scripts that the code passes to a shell, and its file operations as shell commands. `certain` is false if the
   * text may be something else.
   */
  scripts: { script: string; certain: boolean }[];
  /** The code runs programs or deletes files that cannot be determined from its text. */
  unclear: boolean;
  forkBomb: boolean;
  /** The code gets something from the network, and runs what it got. */
  gets: boolean;
  runsFetched: boolean;
  /** The paths in its string literals, where `$_` is an unknown part, and whether it writes any files. */
  paths: string[];
  writes: boolean;
  /** The modules it imports or requires by a literal name. */
  modules: string[];
  /** The environment variables that the code uses as values. */
  variables: string[];
  /** The code prints something or writes a file. */
  prints: boolean;
  /** The SQL statements that it passes to a database. */
  statements: string[];
  effects: CodeEffect[];
  /** The code reads the memory of another process, or types into its terminal. */
  memory: boolean;
  /** The code asks the metadata service of a cloud, which gives out credentials. */
  asksMetadata: boolean;
  /** The paths of files, if the code sends data to another machine. */
  sendsFiles: string[];
  /** The code sends its standard input to another machine. */
  sendsInput: boolean;
  /** The hosts of the addresses in its string literals. */
  hosts: string[];
  /** The environment variables that it names, also where a client gets one as its key. */
  secrets: string[];
  /** The code sends all environment variables, including API keys, to another machine. */
  sendsEnvironment: boolean;
};

const MAX_CODE = 40_000;
/** The number of characters of the code that are searched for paths. */
const MAX_PATH_CODE = 20_000;
/** How far after a path the option of a call is searched. */
const OPTION_DISTANCE = 200;
/** A string literal to which something is added. */
const CONTINUES = /^\s*(?:\+|\.\s*[$"'`]|%\s*[\w(]|\.\s*(?:format|concat)\b)/;
/** Languages in which a path needs no quotes. */
const BARE_WORDS = /^(?:pwsh|powershell|tclsh|wish|expect)/i;
const BARE_PATH = /(?<![^\s([=,])(?:~|\$(?:env:)?HOME|\/)[^\s;|()"'`,\][]*/g;
/** A shell without a script, which runs its input. */
const BARE_SHELL = /^\s*(?:\S*\/)?(?:ba|da|z|k)?sh(?:\s+-[il]+)*\s*(?:[<>&\d\s]*)$/;

export function readCode(code: string, interpreter: string): CodeReading {
  const text = spellTexts(spellImports(code.slice(0, MAX_CODE)));
  const bare = withoutTexts(text);
  const scripts: CodeReading['scripts'] = [];
  const rest = takeDeletes(
    takeRuns(text.replace(IMPORTS, ' '), scripts, /child_process|shelljs/.test(text)),
    scripts,
  ).replace(KILLS_ONE, (_, pid: string) => {
    scripts.push({ script: `kill ${pid}`, certain: false });
    return ' ';
  });
  for (const ticks of NO_BACKTICKS.test(interpreter) ? [] : rest.matchAll(TICKS))
    scripts.push({ script: ticks[1] ?? ticks[2] ?? '', certain: false });
  for (const path of replacedEnvFiles(text))
    scripts.push({ script: quoteWords(['truncate', '-s', '0', path]), certain: false });
  if (deletesBelowHome(text)) scripts.push({ script: 'rm -r ~/$_', certain: false });
  scripts.push(...permissionScripts(text).map((script) => ({ script, certain: false })));
  if (DELETES_HOME.test(text)) scripts.push({ script: 'rm -r ~', certain: false });
  if (KILLS_ALL.test(bare)) scripts.push({ script: 'kill -9 -1', certain: false });
  if (KILLS_PARENT.test(text)) scripts.push({ script: 'kill $PPID', certain: false });
  if (SHUTS_DOWN.test(text)) scripts.push({ script: 'shutdown now', certain: false });
  const bareWords = BARE_WORDS.test(interpreter) ? text.matchAll(BARE_PATH) : [];
  const paths = [...pathsIn(text), ...[...bareWords].map((found) => found[0].replace('$env:', '$'))];
  // Commands of PowerShell are written like those of a shell.
  if (/^p(?:wsh|owershell)/i.test(interpreter)) scripts.push({ script: text, certain: /^[\w\s./~:=;|-]*$/.test(text) });
  return {
    scripts,
    unclear: UNCLEAR.test(rest) || UNCLEAR_CALLS.test(rest),
    gets: GETS.test(text),
    runsFetched: RUNS_ADDRESS.test(text) || (GETS.test(text) && (EVALUATES.test(bare) || importsWritten(text))),
    forkBomb: FORKS.test(bare),
    paths,
    writes: WRITES.test(text),
    modules: modulesIn(code.slice(0, MAX_CODE)),
    variables: variablesInCode(code.slice(0, MAX_CODE)),
    prints: PRINTS.test(text),
    statements: statementsIn(text),
    effects: effectsOf(text),
    memory: /\bTIOCSTI\b|\bPTRACE_|\bptrace\b|\bprocess_vm_readv\b|\/proc\/[^"'\s]{1,40}\/mem\b/.test(text),
    asksMetadata: REACHES_NETWORK.test(text) && namesMetadataService(text),
    sendsFiles: SENDS.test(text) ? paths : [],
    sendsInput: SENDS.test(text) && READS_INPUT.test(text),
    hosts: hostsIn(text),
    secrets: variablesNamed(code.slice(0, MAX_CODE)),
    sendsEnvironment: WHOLE_ENVIRONMENT.test(text) && REACHES_NETWORK.test(text),
  };
}

/** Whether the code runs a file that it names a second time, because it wrote it. */
function importsWritten(text: string): boolean {
  const files = [
    ...text.matchAll(/\b(?:import|require|run_path|dofile|source|load)\s*\(\s*["'`]([^"'`\n]{1,300})["'`]/g),
  ];
  return files.some(([, path = '']) => /[./]/.test(path) && text.split(path).length > 2);
}

type Found = (string | undefined)[];

const textOf = (found: Found) => found[0] ?? found[1] ?? found[2] ?? '';

const listOf = (text: string) => [...text.matchAll(/"([^"]*)"|'([^']*)'/g)].map((word) => word[1] ?? word[2] ?? '');

/** Removes the calls that start a program with literal arguments, and adds them as scripts. */
function takeRuns(text: string, scripts: CodeReading['scripts'], spawns: boolean): string {
  return text.replace(LITERAL_RUN, (whole, ...found: Found) => {
    const first = textOf(found);
    // `/x/.exec('text')` is a method of a regular expression.
    if (/\/[dgimsuvy]*\.$/.test(text.slice(0, Number(found[4])).slice(-8))) return ' ';
    const following = text.slice(Number(found[4]) + whole.length);
    const listed = [first, ...listOf(found[3] ?? ''), ...listOf(LISTED_ARGUMENTS.exec(following)?.[1] ?? '')];
    const script = listed.length > 1 && !/\s/.test(first) ? quoteWords(listed) : unquote(first);
    // `exec` is also a method of regular expressions and other objects.
    scripts.push({ script, certain: spawns || !/^exec\s*\(/.test(whole) });
    return isComputedText(whole) || BARE_SHELL.test(script) || CONTINUES.test(following) ? whole : ' ';
  });
}

/** Removes the calls that delete or rename files, and adds them as scripts. */
function takeDeletes(text: string, scripts: CodeReading['scripts']): string {
  const take = (command: (path: string, found: Found, call: string) => string[]) => {
    return (call: string, ...found: Found) => {
      const path = unquote(textOf(found));
      // The name of a temporary file, as in `rename(`${file}.tmp`, file)`, says nothing about the place.
      if (!/^[$#]\{/.test(path) || !MOVES.test(call))
        scripts.push({ script: quoteWords(command(path, found, call)), certain: DELETES_FILE.test(call) });
      const following = (found[5] ?? '').slice(Number(found[4]) + call.length);
      return isComputedText(path) || (DELETES_FILE.test(call) && CONTINUES.test(following)) ? call : ' ';
    };
  };
  // The option follows the path: `rm('x', { recursive: true })`.
  const isRecursive = (call: string, found: Found) => {
    const end = Number(found[4]) + call.length;
    return /recursive\s*[:=]|\bt\)/.test((found[5] ?? '').slice(end, end + OPTION_DISTANCE));
  };
  return text
    .replace(
      LITERAL_DELETE,
      take((path, found, call) => {
        const tree = DELETES_TREE.test(call) || isRecursive(call, found);
        return ['rm', ...(tree ? ['-r'] : []), path, ...listOf(found[3] ?? '')];
      }),
    )
    .replace(
      LITERAL_MOVE,
      take((path, found) => ['mv', path, ...listOf(found[3] ?? '')]),
    );
}

/** Empties string literals, because a call inside one is not executed. */
function withoutTexts(text: string): string {
  return text.replace(/"(?:[^"\\\n]|\\.){0,500}"|'(?:[^'\\\n]|\\.){0,500}'/g, '""');
}

const RISKY_MODULE = 'os|subprocess|shutil|pty|commands';

/** Undoes import aliases: after `from os import system as s`, `s(` becomes `os.system(`. */
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
  for (const [, call = '', alias = ''] of code.matchAll(
    /\b(exec|execSync|spawn|spawnSync|execFile|execFileSync|rm|rmSync|unlink|unlinkSync|rmdirSync)\s*(?::|\bas\b)\s*(\w+)(?=[^}]{0,200}\}\s*(?:=\s*(?:await\s+import|require)|from)\b)/g,
  ))
    text = text.replace(new RegExp(`(?<![\\w.])${alias}\\(`, 'g'), `${call}(`);
  return text;
}

/** Strings that are built at run time: f-strings, `${…}`, `#{…}`. */
function isComputedText(text: string): boolean {
  return /\$\{|#\{|\bf["']|["']\s*[+%.]\s*\w|\$\w/.test(text);
}

function unquote(text: string): string {
  return text.replace(/\\(["'`\\])/g, '$1');
}

/** The paths in string literals, with an unknown part as `$_`. Adjacent literals are also joined: `home / '.a' / 'b'`. */
function pathsIn(text: string): string[] {
  const spelled = text
    .slice(0, MAX_PATH_CODE)
    .replace(/\$\{[^}]{0,100}\}|#\{[^}]{0,100}\}|\$ENV\{\w+\}|\{\w+\}/g, '$$_');
  const joined = spelled
    .replace(/(["'`])\s*\+\s*\1/g, '')
    .replace(/\\?(["'`])\s*(?:,|\/|\.)\s*\\?\1/g, '/')
    .replace(/\/{2,}/g, '/');
  const found = [spelled, joined].flatMap((one) =>
    [...one.matchAll(/["'`]([^"'`\n]{1,300})["'`]/g)].map((literal) => literal[1] ?? ''),
  );
  const paths = [...new Set(found.map((path) => path.replace(/^\+?[<>]+|^file:\/\//, '')))].filter((path) =>
    /^[^\s:;(){}=]+$|^(?:~|\.{0,2})\/[^\n:;(){}=]+$/.test(path),
  );
  const hidden = paths.filter((path) => /^(?:\$_|%s)?\/?(?:\.\w|Library\/|snap\/)/.test(path));
  const inHome =
    hidden.length > 0 && usesHome(text) ? hidden.map((path) => `~/${path.replace(/^(?:\$_|%s)?\/?/, '')}`) : [];
  // Only the names of the files that it finds below the home directory are known at run time.
  if (WALKS.test(text) && READS.test(text) && usesHome(text)) inHome.push('~/**');
  if (/\bhermes(?:\.js)?["'`,\s]+config["'`,\s]+path\b/.test(text)) paths.push('$HERMES_HOME/config.yaml');
  const own = /\bHERMES_HOME\b/.test(text) ? paths.map((path) => `$HERMES_HOME/${path}`) : [];
  return [...paths, ...inHome, ...own];
}

/** Calls that list a folder with everything below it, and calls that read a file. */
const WALKS =
  /\bos\.walk\b|\brglob\b|\bglob\b|\brecursive\s*[:=]\s*[tT]rue|\bDir\[|\bFind\.find\b|\bfind\s*\(\s*sub\b|\bscandir\b|\biterdir\b|\breaddir\w*|\blistdir\b|\bDirectoryIterator\b/;
const READS =
  /\bopen\s*\(|\bread_(?:text|bytes)\b|\breadFile\w*|\bFile\.(?:read\w*|open|foreach)\b|\bIO\.(?:read\w*|foreach)\b|\bfile_get_contents\b|\breadfile\s*\(|\bcreateReadStream\b|\bopen\s+\w+\s*,/;

/** The module names in `import x from 'y'`, `import('y')` and `require('y')`. */
function modulesIn(code: string): string[] {
  return [...code.matchAll(/\b(?:import|require|from)\s*\(?\s*(?:["'`])([^"'`\n]{1,300})["'`]/g)].map(
    (found) => found[1] ?? '',
  );
}

const AWK = new Set(['awk', 'gawk', 'mawk', 'nawk', 'goawk']);

export function isAwk(name: string): boolean {
  return AWK.has(name);
}

/** The commands that an awk program runs (with `system`, a pipe or `getline`) and the files it writes and reads. */
export function readAwk(code: string): { scripts: string[]; written: string[]; read: string[]; unclear: boolean } {
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
      // The commands piped into a shell depend on the input lines, so they are unknown.
      if (/^\s*(?:\S*\/)?(?:ba|da|z|k)?sh\b/.test(text)) return whole;
      return take(whole, text);
    })
    .replace(/"((?:[^"\\]|\\.)*)"\s*\|&?\s*getline/g, take);
  for (const found of code.matchAll(/>>?\s*"([^"]+)"/g)) written.push(found[1] ?? '');
  return {
    scripts,
    written,
    read: [...code.matchAll(/getline\s*\w*\s*<\s*"([^"]+)"/g)].map((found) => found[1] ?? ''),
    unclear: /\bsystem\s*\(|\|&?\s*"(?:\S*\/)?(?:ba|da|z|k)?sh\b|\|\s*getline|\/inet\/tcp/.test(rest),
  };
}

/** An alternation over the calls of several languages. */
function oneOf(...families: string[]): string {
  return `(?:${families.join('|')})`;
}

/** A call of one of these names whose first argument is a string literal. */
function literalCall(names: string): RegExp {
  return new RegExp(
    `(?<!\\w)${names}!?\\s*[(\\s]\\s*\\[?\\s*(?:${QUOTED})((?:\\s*,\\s*\\[?\\s*(?:"[^"\\n]{0,500}"|'[^'\\n]{0,500}'))*)\\s*\\]?`,
    'g',
  );
}
