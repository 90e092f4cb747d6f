/** Calls that delete files, start programs or change settings, in languages and libraries that few programs use. */
export const UNCLEAR_CALLS = new RegExp(
  [
    // Haskell, Java and its relatives.
    '\\b(?:callCommand|callProcess|readProcess\\w*|createProcess|spawnCommand|removeDirectoryRecursive|removePathForcibly)\\b',
    '\\bdeleteDir\\s*\\(|\\bdeleteRecursively\\s*\\(|\\bgetRuntime\\(\\)|\\bProcessBuilder\\b|sys\\.process\\b|["\']\\s*\\.!+|\\bFiles\\.(?:delete\\w*|walk\\w*)\\b|["\'`]\\s*\\.execute\\(\\)',
    '\\bdeleteDirectory\\s*\\(|\\bcleanDirectory\\s*\\(|\\bdeleteTree\\s*\\(|\\bdelTree\\b|\\bsend2trash\\b|\\bos\\.RemoveAll\\b|\\bdel_dir_r\\b|\\bfile:delete\\b|\\bFile\\.rm(?:_rf)?!?\\(',
    // Lisps.
    '\\(\\s*(?:clojure\\.java\\.shell/)?sh\\s+"|\\bdelete-tree\\b|\\brun-program\\b|\\bdelete-directory\\S*|\\bio/delete-file\\b|\\(\\s*system\\*?\\s+"',
    // Swift, C# and F#.
    '\\bremoveItem\\s*\\(|\\b(?:Directory|File)\\.Delete\\s*\\(|\\bProcess\\.Start\\s*\\(|\\bFile\\.WriteAll\\w+\\s*\\(\\s*["\']/',
    // Tcl, m4, Nix, gnuplot, R, bpftrace.
    '\\bfile\\s+delete\\b|(?:^|[\\n\\[])\\s*exec\\s+\\w|\\be?syscmd\\s*\\(|\\bbuiltins\\.exec\\b|(?:^|[;\\n])\\s*system\\s+["\']|\\bfile\\.remove\\s*\\(|\\bos\\.remove\\s*\\(\\s*[^"\')\\s]',
    // Other machines, schedules and archives over the system.
    '\\bexec_command\\s*\\(|\\bConnection\\([^)]*\\)\\.(?:run|sudo)\\s*\\(|\\bCronTab\\s*\\(|\\bextractall\\s*\\(\\s*["\']/["\']|\\bsetuid\\s*\\(\\s*0',
    // AppleScript.
    '\\btell\\s+app\\w*\\s+["“][^"”]+["”]\\s+to\\s+(?:delete|empty|do script|make (?:new )?login item|log out|sleep|set)\\b|\\bdo script\\b|\\$\\.system\\s*\\(',
    // Files that a search finds are emptied.
    '\\bopen\\s*\\(\\s*\\w+\\s*,\\s*["\']w["\'][\\s\\S]{0,80}\\br?glob\\b|\\br?glob\\b[\\s\\S]{0,120}\\bopen\\s*\\(\\s*\\w+\\s*,\\s*["\']w|\\bwriteFile(?:Sync)?\\s*\\(\\s*\\w+\\s*,\\s*(?:""|\'\')',
    '\\.write_(?:text|bytes)\\s*\\(\\s*b?(?:""|\'\')\\s*\\)[\\s\\S]{0,80}\\br?glob\\b|\\bFile\\.truncate\\s*\\(\\s*[a-z_]\\w*\\s*,\\s*0',
    // Cloud libraries that change permissions or stop something.
    '\\.(?:attach|put|create|update|detach|modify|reboot|disable|authorize|revoke)_(?:user|role|group|policy|access|login|security|bucket|db|instance|instances|key|network)\\w*\\s*\\(',
  ].join('|'),
);

/** Expressions whose value is the home directory of a user, by language. */
const HOME_VALUE = `\\b(?:homedir|home_dir|UserHomeDir|user_home!?)\\b|\\bPath\\.home\\(|expand(?:user|_path)\\b|Dir\\.home|\\bpw_?dir\\b|getpw(?:uid|nam)|(?:process|Bun)\\.env\\??\\.(?:HOME|USERPROFILE)\\b|\\$(?:ENV\\{["']?|env:)HOME\\b|(?:env\\w*|ENV|_SERVER)(?:\\.(?:get|fetch)\\(|\\[|\\()\\s*b?["'\`]HOME|user\\.home\\b`;
const HOME = `(?:${HOME_VALUE}|["'\`](?:~|/home|/Users|/root)/)`;

/** Whether code uses the home directory, to which it may add the names in its string literals. */
export function usesHome(code: string): boolean {
  return new RegExp(HOME_VALUE, 'i').test(code);
}
const DELETES_TREE =
  /\b(?:rmtree|rmSync|rmdirSync|rm_rf|rm_r|remove_tree|removeSync|emptyDirSync|emptyDir|rimraf|remove_dir_all|deltree|(?<=\bawait |\bfs\.|[pP]romises\.)rm)!?\s*\(?([^;\n]{0,200})/g;
const ASSIGNED_HOME = new RegExp(`\\b(\\w+)\\s*=\\s*[^;\\n=]{0,120}${HOME}`, 'g');

/** Whether code deletes a folder below the home directory, which it names directly or through a variable. */
export function deletesBelowHome(code: string): boolean {
  const calls = [...code.matchAll(DELETES_TREE)].map((found) => found[1] ?? '');
  if (calls.length === 0) return false;
  const home = new RegExp(HOME);
  const names = [...code.matchAll(ASSIGNED_HOME)].map((found) => found[1] ?? '');
  return calls.some((call) => home.test(call) || names.some((name) => new RegExp(`\\b${name}\\b`).test(call)));
}

const ENV_NAME = `["'\`]([^"'\`\\n]{0,200}\\.env[\\w.]{0,40})["'\`]`;
/** Calls that replace the file in their first argument, in their second one, or in the object they belong to. */
const REPLACES_FIRST = new RegExp(
  `(?:write(?:Text)?File(?:Sync)?|put_contents|File\\.write|createWriteStream|Bun\\.write|truncate(?:Sync)?|outputFile(?:Sync)?)\\s*\\(\\s*${ENV_NAME}|\\bopen\\s*\\(\\s*${ENV_NAME}\\s*,\\s*(?:mode\\s*=\\s*)?["'](?:w|x)`,
  'g',
);
const REPLACES_SECOND = new RegExp(
  `(?:copyFile(?:Sync)?|copy2?|copyfile|move|rename(?:Sync)?|cp(?:Sync)?|FileUtils\\.(?:cp|mv|copy|move))\\s*\\(?\\s*[^,\\n]{1,120},\\s*${ENV_NAME}`,
  'g',
);
const REPLACES_OWN = new RegExp(
  `Path\\(\\s*${ENV_NAME}\\s*\\)\\s*\\.\\s*(?:write_|unlink|rename|replace|open\\(\\s*["']w)`,
  'g',
);
const PERL_OPEN = /\bopen\b[^;\n]{0,60}["']\+?>(?!>)\s*([^"'\n]{0,200}\.env[\w.]{0,40})["']/g;

/** The environment files of a project that code replaces. */
export function replacedEnvFiles(code: string): string[] {
  if (!code.includes('.env')) return [];
  return [REPLACES_FIRST, REPLACES_SECOND, REPLACES_OWN, PERL_OPEN].flatMap((pattern) =>
    [...code.matchAll(pattern)].flatMap((found) => found.slice(1).find((one) => one !== undefined) ?? []),
  );
}

/** The hosts of the addresses in string literals, and of connections that are opened to a name. */
export function hostsIn(code: string): string[] {
  const addresses = [...code.matchAll(/\b(?:https?|wss?|ftp):\/\/(?:[^@/"'`\s]*@)?([\w.-]+)/g)].map(
    (found) => found[1] ?? '',
  );
  const connections = [
    ...code.matchAll(
      /(?:Connection|connect|create_connection|request|lookup|SMTP|FTP|open)\s*\(\s*\(?\s*(?:\d+\s*,\s*)?["']([\w-]+(?:\.[\w-]+)+)["']/g,
    ),
  ].map((found) => found[1] ?? '');
  const options = [...code.matchAll(/\bhost(?:name)?["']?\s*[:=]>?\s*["'`]([\w-]+(?:\.[\w-]+)+)["'`]/g)].map(
    (found) => found[1] ?? '',
  );
  const suffixes = [...code.matchAll(/\+\s*["'`]\.([\w-]+(?:\.[\w-]+)+)["'`]/g)].map((found) => found[1] ?? '');
  return [...new Set([...addresses, ...connections, ...options, ...suffixes])].filter(
    (host) => host.includes('.') && !/\.(?:js|py|json|txt|md|ts)$/.test(host),
  );
}
