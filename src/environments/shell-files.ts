import { posix } from 'node:path';
import type { DirectoryEntry, Environment, FileStat } from '../contracts/index.ts';
import {
  LIST_SCRIPT,
  MISSING,
  READ_SCRIPT,
  REMOVE_SCRIPT,
  RESOLVE_SCRIPT,
  STAT_SCRIPT,
  WRITE_SCRIPT,
} from './file-scripts.ts';

/** Runs a script of `sh` where the files are. */
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

/** Files that are reached only through a shell, with programs that every system has. */
export function createShellFiles({ runScript, currentDirectory, homeDirectory }: ShellFilesOptions): FileOperations {
  async function absolute(path: string): Promise<string> {
    if (path.includes('\0')) throw fileError('EINVAL', 'a path cannot contain NUL', path);
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
  throw fileError('EIO', `stat gave an answer that cannot be read: ${text.trim()}`, path);
}

function parseEntry(text: string): DirectoryEntry {
  return { name: text.slice(1), kind: KINDS[text[0] ?? ''] ?? 'other' };
}

/** What programs say in the C locale, and the code that goes with it. */
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
  return fileError(code, text === '' ? 'it could not be reached' : text, path);
}

/** In the form that file functions of this machine give, because that is what callers look at. */
function fileError(code: string, text: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${text.includes(path) ? text : `${path}: ${text}`}`), { code });
}
