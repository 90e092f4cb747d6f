/** Names joined to one pattern; written one family to a line. */
const oneOf = (...families: string[]) => `(?:${families.join('|')})`;

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
  '(?:fs\\.|fsPromises\\.|promises\\.)?(?:rm|rmdir|unlink)(?:Sync)?|rimraf|removeSync|Deno\\.remove(?:Sync)?',
  'FileUtils\\.(?:rm\\w*|remove\\w*)|File\\.(?:delete|unlink|rm\\w*!?)|Dir\\.(?:rmdir|delete|unlink)',
  'unlink|delete-(?:directory|file)|os\\.removeAll|file\\.remove|remove|delete',
);
/** Calls that give a file another name; the other name may be someone else's. */
const MOVE = oneOf(
  'os\\.(?:rename|replace)|shutil\\.move|(?:fs\\.|promises\\.)?rename(?:Sync)?|File\\.rename|FileUtils\\.(?:mv|move)',
  'rename|move|os\\.rename|Deno\\.rename(?:Sync)?|rename-file|file\\.rename',
);

const literalCall = (names: string) =>
  new RegExp(
    `(?<!\\w)${names}!?\\s*[(\\s]\\s*\\[?\\s*(?:${QUOTED})((?:\\s*,\\s*\\[?\\s*(?:"[^"\\n]{0,500}"|'[^'\\n]{0,500}'))*)\\s*\\]?`,
    'g',
  );

/** Calls whose first argument is a text. */
export const LITERAL_RUN = literalCall(RUN);
export const LITERAL_DELETE = literalCall(DELETE);
export const LITERAL_MOVE = literalCall(MOVE);
/** `new Deno.Command("rm", { args: ["-rf", "x"] })`: the words stand in a list of their own. */
export const LISTED_ARGUMENTS = /^\s*,\s*\{[^}]{0,200}?\bargs\s*:\s*\[([^\]]{0,500})\]/;

export const DELETES_HOME =
  /(?:rmtree|rmSync|rm_rf|rm_r|rmdirSync|rm|remove_dir_all|rm_rf!|remove)\s*\(\s*(?:os\.path\.expanduser\(\s*['"]~\/?['"]|(?:pathlib\.)?Path\.home\(\)|os\.environ\[?\(?['"]HOME|os\.homedir\(\)|require\(['"](?:node:)?os['"]\)\.homedir\(\)|process\.env\.HOME|Dir\.home|ENV\[['"]HOME|\$HOME|getenv\(['"]HOME)/;
export const DELETES_TREE = /tree|rm_r|rmSync|rmdir|recursive|rm_rf|directory|remove_?[aA]ll|rimraf|\brm\s*\(/;

/** What is left of running or deleting once the calls that could be read are taken out, by language and by kind. */
export const UNCLEAR = new RegExp(
  [
    '\\brmtree\\b|\\bos\\.(?:remove|unlink|rmdir|removedirs|system|popen|exec[lv]\\w*|spawn\\w*|posix_spawn\\w*|kill|killpg|fork|dup2|truncate|rename|replace)\\b|\\bshutil\\.move\\b|\\bsubprocess\\b|\\bctypes\\b|create_subprocess_',
    '__import__\\s*\\(|\\bgetattr\\s*\\(\\s*(?:os|__)|importlib|\\bpty\\.spawn|marshal\\.loads|pickle\\.loads',
    '\\brm(?:dir)?Sync\\b|\\bunlink(?:Sync)?\\b|\\bchild_process\\b|\\bexecSync\\b|\\bspawnSync\\b|\\bfs\\.rm\\b|\\btruncateSync\\b|process\\.kill|process\\.binding|new Function\\s*\\(|\\brunIn\\w*Context\\b|Deno\\.(?:run|Command|remove)|Bun\\.spawn|Bun\\.\\$',
    '\\brm_rf\\b|\\bFile\\.delete\\b|\\bFileUtils\\b|\\bDir\\.delete\\b|\\bOpen3\\b|\\bIO\\.popen|Process\\.kill|\\bspawn\\s*\\(|\\.rm_rf!',
    '\\bsystem\\s*[("\'`]|\\b(?:exec|eval|popen|shell_exec|passthru|proc_open|pcntl_exec|create_function|loadstring|dofile)\\s*\\(|`[^`]*\\brm\\b|%x[[({]|\\bqx[\\s/({[]',
    'os\\.execute|io\\.popen|os\\.(?:remove|rename)\\s*\\(|["\']\\.execute\\(\\)|do shell script|delete-directory|delete-file|shell-command|call-process|Remove-Item|\\bReal(?:ly)?Delete\\b|remove_dir_all|\\btell application "Finder" to (?:delete|empty)',
    '\\.rmdir\\(|\\.unlink\\(|\\bfork\\b|\\bunlink\\b|\\btruncate\\s*\\(?\\s*["\'$]|\\bopen\\s*\\(?[^;)\\n]{0,40}["\']\\s*\\|',
    '(?<![\\w.])eval\\s+(?:[$]|[\\w:]+\\s*\\()|(?<![\\w.])rename\\s*[($]|\\b(?:rename|move)\\b[^;\\n]{0,60}\\bglob\\b',
    'socket\\.socket|fsockopen|IO::Socket|TCPSocket|\\bsocket\\s*\\(|sockaddr_in',
  ].join('|'),
);
/** Text from the network that is run: a call of `eval` by name, or an include of an address. */
export const RUNS_FETCHED =
  /\.then\(\s*(?:eval|Function)\b|(?<![\w.])eval\s+\S*(?:open|get|read|fetch)|\b(?:include|require)(?:_once)?\s*\(?\s*["']https?:/;

/** Statements that only name a module. */
export const IMPORTS =
  /^\s*(?:import\s+[\w, .]+|from\s+[\w.]+\s+import\s+[\w, ]+)\s*(?:;|$)|(?:const|let|var)\s+(?:\w+|\{[^}]*\})\s*=\s*require\(\s*['"][\w:]+['"]\s*\)|import\s+[\w*{}, ]+\s+from\s+['"][\w:]+['"]|require\s*\(?['"](?:node:)?(?:child_process|fileutils|open3|fs)['"]\)?/gm;
export const FORKS =
  /\bwhile\b[^\n;]{0,40}\bfork\b|\bfork\b\s*(?:\(\))?\s*while\b|\bloop\s*(?:do|\{)[^}]{0,20}\bfork\b|\bfor\s*\(\s*;;\s*\)\s*\{?\s*fork\b|while\s*\(?\s*(?:true|1)\s*\)?[^\n]{0,60}\.fork\(|\bwhile\s*\(?\s*(?:True|true|1)\s*\)?\s*[:{]\s*(?:\w+\.){0,2}fork\s*\(/;
export const WRITES =
  /\bopen\s*\([^)]{0,200}['"](?:w|a|x|r\+)|write|save|dump|\bFile\.(?:write|open)|Sync\(|copy|rename|symlink|chmod|truncate|>\s*["']/;

/** A signal to process -1, which is all of them; some languages name the process first, others the signal. */
export const KILLS_ALL =
  /\b(?:os\.kill|process\.kill|posix_kill|(?:posix|signal|unistd|require\([^)]*\))\.kill|syscall\.Kill)\s*\(\s*-1(?!\d)|(?:\bProcess\.kill|(?<![\w.])kill)\s*\(?\s*[^\n;()-][^\n;()]{0,40},\s*-1(?!\d)|(?<![\w.])kill\s*\(?\s*-\d+\s*,\s*-1(?!\d)/;
/** A signal to one process that is named by its number. */
export const KILLS_ONE = /\b(?:os|process|Process)\.kill\s*\(\s*(?:['"]?\w+['"]?\s*,\s*)?\d{2,}\b/g;
/** What a Mac does when it is asked nicely. */
export const SHUTS_DOWN =
  /\btell app(?:lication)? "?(?:System Events|Finder|loginwindow)"?[\s\S]{0,40}\b(?:shut down|restart)\b/;
/** The whole environment as one value, keys and all. */
export const WHOLE_ENVIRONMENT =
  /\bos\.environ\b(?!\s*(?:\[|\.(?!copy|items)|\())|\bprocess\.env\b(?!\s*(?:\?\.|\.|\[))|\bENV\.(?:to_h|to_a|inspect|map)|%ENV\b|\bDeno\.env\.toObject|\bgetenv\(\s*\)|\$_ENV\b(?!\s*\[)/;
/** Ways of such a program to another machine. */
export const REACHES_NETWORK =
  /\bfetch\s*\(|https?:\/\/|\burlopen\b|\brequests\.|\bhttp\.client\b|\bhttps?\.request\b|\bNet::HTTP\b|\bcurl_init\b|\bLWP\b|\bsocket\b/;
