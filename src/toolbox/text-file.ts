import { basename, dirname, extname, isAbsolute, join } from 'node:path';
import { distance } from 'fastest-levenshtein';
import { unlessIsolated } from '../approvals/index.ts';
import type { Environment, FileStat, ToolContext } from '../contracts/index.ts';
import { ToolDenied, ToolFailure } from '../tools/index.ts';
import { nearestNames } from '../util/index.ts';
import { isBinary } from './text/encoding.ts';
import { explainFileErrors } from './text/file-errors.ts';

/** Size limit of files to edit, because an edited file is held in memory several times. */
const MAX_CHANGED_SIZE = 64 * 1024 * 1024;
const MAX_SUGGESTIONS = 3;

/** A file that exists, with its path after resolving links. */
export type FoundFile = FileStat & { resolved: string };

/** Finds a regular file that may be read, or throws with the reason. */
export async function findFile(path: string, context: ToolContext, toolName: string): Promise<FoundFile> {
  rejectNul(path);
  const { environment } = context;
  return explainFileErrors(path, 'read', async () => {
    const resolved = await environment.resolvePath(path);
    await requireReadApproval(resolved, context, toolName);
    const found = await environment.stat(path);
    if (!found) throw new ToolFailure(await missingFile(path, context));
    requireRegularFile(path, found);
    return { ...found, resolved };
  });
}

/** The text of a file and its stat when it was read. */
export type TextToChange = { text: string; found: FoundFile };

/** Reads a file that will be edited. Throws unless the text can be written back byte for byte. */
export async function readTextToChange(path: string, context: ToolContext, toolName: string): Promise<TextToChange> {
  const found = await findFile(path, context, toolName);
  if (found.size > MAX_CHANGED_SIZE)
    throw new ToolFailure(`${path} is too large to edit (${found.size} bytes); use sed in the terminal.`);
  const bytes = await explainFileErrors(path, 'read', () => context.environment.readFile(path));
  return { text: decodeExactly(bytes, path), found };
}

/** Decodes UTF-8 without loss, or throws. */
function decodeExactly(bytes: Uint8Array, path: string): string {
  if (isBinary(bytes)) throw new ToolFailure(`${path} is a binary file (${bytes.length} bytes), not text.`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ToolFailure(`${path} is not valid UTF-8; edit the file with a terminal command.`);
  }
}

export function rejectNul(path: string): void {
  if (path.includes('\0')) throw new ToolFailure('A path cannot contain a NUL character.');
}

/** Rejects directories, and pipes and devices, which may block a read forever. */
export function requireRegularFile(path: string, { kind }: FileStat): void {
  if (kind === 'directory')
    throw new ToolFailure(
      `${path} is a directory. List it with search_files (target: files, pattern: *, path: ${path}).`,
    );
  if (kind === 'other') throw new ToolFailure(`${path} is a device, pipe or socket, not a file.`);
}

async function missingFile(path: string, { environment, tools }: ToolContext): Promise<string> {
  const entries = await environment.list(dirname(path)).catch(() => []);
  const names = entries.map(({ name }) => name);
  // The name is listed but cannot be opened, so it is a dangling symbolic link.
  if (names.includes(basename(path)))
    return `${path} is a symbolic link to ${await environment.resolvePath(path)}, which does not exist.`;
  const alike = await similarPaths(path, names, environment);
  const notFound = `File not found: ${await environment.resolvePath(path)}.`;
  if (alike.length > 0) return `${notFound} Did you mean ${alike.join(', ')}?`;
  const canSearch = (await tools.names()).includes('search_files');
  return canSearch ? `${notFound} Find it with search_files (target: files, pattern: ${basename(path)}).` : notFound;
}

/** Similar file names in the directory, or in a similarly named directory if that one does not exist. */
async function similarPaths(path: string, names: readonly string[], environment: Environment): Promise<string[]> {
  const folder = dirname(path);
  const alike = closeNames(basename(path), names).map((name) => join(folder, name));
  if (alike.length > 0 || folder === dirname(folder) || (await environment.stat(folder))) return alike;
  const entries = await environment.list(dirname(folder)).catch(() => []);
  const folders = entries.filter(({ kind }) => kind === 'directory').map(({ name }) => name);
  const moved = closeNames(basename(folder), folders).map((name) => join(dirname(folder), name));
  return moved.map((location) => join(location, basename(path)));
}

/** The share of a name that may differ in a suggestion. */
const MAX_DIFFERENT = 0.4;

/** Names that are likely meant: few edits, or only another extension. */
function closeNames(wanted: string, names: readonly string[]): string[] {
  const stem = (name: string) => basename(name, extname(name)).toLowerCase();
  const isClose = (name: string) => {
    if (name.length < 2) return false;
    const edits = distance(wanted.toLowerCase(), name.toLowerCase());
    return edits <= MAX_DIFFERENT * Math.max(wanted.length, name.length) || stem(wanted) === stem(name);
  };
  return nearestNames(wanted, names.filter(isClose), MAX_SUGGESTIONS);
}

/** A path for a result: absolute if the shell has left the initial directory. */
export function shownPath(path: string, { environment }: ToolContext): string {
  const current = environment.currentDirectory();
  const isClear = isAbsolute(path) || path.startsWith('~') || current === environment.workingDirectory;
  return isClear ? path : join(current, path);
}

/** Asks for approval if the file contains secrets. Throws if reading is denied. */
async function requireReadApproval(resolved: string, context: ToolContext, toolName: string): Promise<void> {
  const { approvals, environment } = context;
  const judgement = unlessIsolated(approvals.judgeRead(resolved), environment);
  const decision = await approvals.decide({ toolName, subject: resolved, judgement, access: 'read' }, context);
  if (!decision.allowed) throw new ToolDenied(decision.message);
}

/** Asks for approval if the path or its link target is protected. Throws if writing is denied. */
export async function requireWriteApproval(path: string, toolName: string, context: ToolContext): Promise<void> {
  rejectNul(path);
  const { approvals, environment } = context;
  const subjects = await explainFileErrors(path, 'write', async () => {
    const target = join(await environment.resolvePath(dirname(path)), basename(path));
    return new Set([await environment.resolvePath(path), target]);
  });
  for (const subject of subjects) {
    const judgement = unlessIsolated(approvals.judgeWrite(subject, environment.workingDirectory), environment);
    const decision = await approvals.decide({ toolName, subject, judgement, access: 'write' }, context);
    if (!decision.allowed) throw new ToolDenied(decision.message);
  }
}
