import { posix } from 'node:path';
import type { DirectoryEntry, Environment, FileStat } from '../contracts/index.ts';

/** The exit code for a missing file. */
const MISSING = 44;
/** Messages are parsed, so they must be in English; a broken pipe must not leave half a file. */
const BEGIN = 'LC_ALL=C; export LC_ALL; fail() { printf "%s\\n" "$1" >&2; exit 1; }; p=$1';
/** Resolves the symbolic links of a path component by component, as far as it exists. The result is in `r`. */
const FOLLOW = `
follow() {
  r= todo=$p/ left=40
  while [ -n "$todo" ]; do
    part=\${todo%%/*} todo=\${todo#*/}
    case $part in
      '' | .) continue ;;
      ..) r=\${r%/*}; continue ;;
    esac
    if [ -L "$r/$part" ]; then
      [ "$left" -gt 0 ] || fail "$p: too many symbolic links"
      left=$((left - 1)) link=$(readlink "$r/$part"; printf x) link=\${link%x}
      link=\${link%?}
      todo=$link/$todo
      case $link in /*) r= ;; esac
    else
      r=$r/$part
    fi
  done
  [ -n "$r" ] || r=/
}`;
const REQUIRE_FILE = `
[ -d "$p" ] && fail "$p: is a directory"
if [ ! -e "$p" ]; then ls -dL "$p" >/dev/null || exit 1; fi
[ -f "$p" ] || fail "$p is not a regular file"`;
const READ_SCRIPT = `${BEGIN}
${REQUIRE_FILE}
if [ -n "$3" ]; then tail -c +$(($2 + 1)) "$p" | head -c "$3"
elif [ "$2" -gt 0 ]; then tail -c +$(($2 + 1)) "$p"
else cat "$p"; fi`;
/** Distinguishes "not found" from "permission denied". */
const STAT_SCRIPT = `${BEGIN}
if [ -f "$p" ]; then k=f; elif [ -d "$p" ]; then k=d; elif [ -e "$p" ]; then k=o
else
  e=$(ls -dL "$p" 2>&1 >/dev/null)
  case $e in *'No such file'* | *'Not a directory'*) exit ${MISSING} ;; *) fail "$e" ;; esac
fi
printf '%s ' "$k"
stat -L -c '%s %.6Y' "$p" 2>/dev/null || stat -L -f '%z %Fm' "$p"`;
const LIST_SCRIPT = `${BEGIN}
ls -d "$p/." >/dev/null && cd "$p" || exit 1
[ -r . ] || fail "$p: Permission denied"
for f in * .[!.]* ..?*; do
  if [ -L "$f" ]; then k=o; elif [ -f "$f" ]; then k=f; elif [ -d "$f" ]; then k=d; elif [ -e "$f" ]; then k=o; else continue; fi
  printf '%s%s\\0' "$k" "$f"
done`;
const REMOVE_SCRIPT = `${BEGIN}
[ -L "$p" ] || { [ -d "$p" ] && fail "$p: is a directory"; ls -d "$p" >/dev/null || exit 1; }
rm -f "$p"`;
const RESOLVE_SCRIPT = `${BEGIN}
${FOLLOW}
follow
printf %s "$r"`;
/**
 * Checks the length before replacing the file: if the connection is lost, a partial upload looks like a complete but shorter file.
 */
const WRITE_SCRIPT = `${BEGIN}
${FOLLOW}
follow
d=\${r%/*}
[ -d "$r" ] && fail "$r: is a directory"
[ -e "$r" ] && [ ! -f "$r" ] && fail "$r is not a regular file"
mkdir -p "\${d:-/}" || exit 1
t=$d/.hermes-$$.tmp
trap 'rm -f "$t"' EXIT
trap 'exit 1' HUP INT TERM
if [ -f "$r" ]; then
  m=$(stat -c %a "$r" 2>/dev/null || stat -f %Lp "$r") || exit 1
  (umask 077; cat >"$t") && chmod "$m" "$t" || exit 1
else
  cat >"$t" || exit 1
fi
[ "$(wc -c <"$t")" -eq "$2" ] || fail "$r: only a part of the content arrived; the file was not changed"
mv -f "$t" "$r"`;

/** Runs an `sh` script where the files are. */
export type RunScript = (
  script: string,
  args: readonly string[],
  input?: Uint8Array,
) => Promise<{ code: number; output: Buffer; errors: string }>;

export type ShellFilesOptions = {
  runScript: RunScript;
  currentDirectory(): Promise<string>;
  homeDirectory(): Promise<string>;
};

type FileOperations = Pick<Environment, 'readFile' | 'writeFile' | 'removeFile' | 'stat' | 'list' | 'resolvePath'>;

/** File operations through a shell, with programs that every system has. */
export function createShellFiles({ runScript, currentDirectory, homeDirectory }: ShellFilesOptions): FileOperations {
  async function absolute(path: string): Promise<string> {
    if (path.includes('\0')) throw fileError('EINVAL', 'the path contains a NUL character', path);
    const atHome = path === '~' || path.startsWith('~/');
    return atHome ? posix.join(await homeDirectory(), path.slice(1)) : posix.resolve(await currentDirectory(), path);
  }

  async function run(script: string, path: string, args: readonly string[] = [], input?: Uint8Array) {
    const target = await absolute(path);
    const result = await runScript(script, [target, ...args], input);
    if (result.code !== 0 && result.code !== MISSING) throw readError(result.errors, target);
    return { ...result, target };
  }

  return {
    async readFile(path, { offset = 0, length } = {}) {
      return (await run(READ_SCRIPT, path, [String(offset), String(length ?? '')])).output;
    },
    async writeFile(path, content) {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      await run(WRITE_SCRIPT, path, [String(bytes.length)], bytes);
    },
    async removeFile(path) {
      await run(REMOVE_SCRIPT, path);
    },
    async stat(path) {
      const { code, output, target } = await run(STAT_SCRIPT, path);
      return code === MISSING ? undefined : parseStat(output.toString(), target);
    },
    async list(path) {
      const { output } = await run(LIST_SCRIPT, path);
      return output.toString().split('\0').slice(0, -1).map(parseEntry);
    },
    async resolvePath(path) {
      return (await run(RESOLVE_SCRIPT, path)).output.toString();
    },
  };
}

const KINDS: Readonly<Record<string, FileStat['kind']>> = { f: 'file', d: 'directory', o: 'other' };

function parseStat(text: string, path: string): FileStat {
  const [kind = '', size, modified] = text.trim().split(/\s+/);
  const stat = { kind: KINDS[kind] ?? 'other', size: Number(size), modifiedMs: Number(modified) * 1000 };
  if (Number.isFinite(stat.size) && Number.isFinite(stat.modifiedMs)) return stat;
  throw fileError('EIO', `unexpected output of stat: ${text.trim()}`, path);
}

function parseEntry(text: string): DirectoryEntry {
  return { name: text.slice(1), kind: KINDS[text[0] ?? ''] ?? 'other' };
}

/** Error messages in the C locale and their codes. */
const ERROR_CODES: readonly (readonly [RegExp, string])[] = [
  [/no such file/i, 'ENOENT'],
  [/permission denied|not permitted/i, 'EACCES'],
  [/is a directory/i, 'EISDIR'],
  [/not a directory/i, 'ENOTDIR'],
  [/read-only file system/i, 'EROFS'],
  [/no space left/i, 'ENOSPC'],
  [/symbolic links/i, 'ELOOP'],
];

function readError(errors: string, path: string): Error {
  const text = errors.trim().split('\n').at(-1) ?? '';
  const [, code = 'EIO'] = ERROR_CODES.find(([pattern]) => pattern.test(text)) ?? [];
  return fileError(code, text === '' ? 'the file operation failed' : text, path);
}

/** Has the same form as the errors of `node:fs`, which callers expect. */
function fileError(code: string, text: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${text.includes(path) ? text : `${path}: ${text}`}`), { code });
}
