import { basename, dirname, join } from 'node:path';
import { unlessIsolated } from '../approvals/index.ts';
import type { Environment, FileStat, ToolContext } from '../contracts/index.ts';
import { ToolDenied, ToolFailure } from '../tools/index.ts';
import { nearestNames } from '../util/index.ts';
import { isBinary } from './text/encoding.ts';
import { explainFileErrors } from './text/file-errors.ts';

/** What is changed is held in memory whole, several times over. */
const MAX_CHANGED_SIZE = 64 * 1024 * 1024;
const MAX_SUGGESTIONS = 3;

/** A file that was found, under the name its links lead to. */
export type FoundFile = FileStat & { resolved: string };

/** Finds a regular file that may be read; everything else is refused with a reason. */
export async function findFile(path: string, context: ToolContext, toolName: string): Promise<FoundFile> {
  refuseNul(path);
  const { environment } = context;
  return explainFileErrors(path, 'read', async () => {
    const resolved = await environment.resolvePath(path);
    await requireReadApproval(resolved, context, toolName);
    const found = await environment.stat(path);
    if (!found) throw new ToolFailure(await missingFile(path, environment));
    refuseNoFile(path, found);
    return { ...found, resolved };
  });
}

/** A file's text and what it was when it was read. */
export type TextToChange = { text: string; found: FoundFile };

/** The text of a file that will be changed: it has to survive the way there and back to the byte. */
export async function readTextToChange(path: string, context: ToolContext, toolName: string): Promise<TextToChange> {
  const found = await findFile(path, context, toolName);
  if (found.size > MAX_CHANGED_SIZE)
    throw new ToolFailure(`${path} has ${found.size} bytes, too many to change here; use the terminal (sed).`);
  const bytes = await explainFileErrors(path, 'read', () => context.environment.readFile(path));
  return { text: decodeExactly(bytes, path), found };
}

/** The bytes as text, if the text gives the same bytes again. */
function decodeExactly(bytes: Uint8Array, path: string): string {
  if (isBinary(bytes)) throw new ToolFailure(`${path} is a binary file (${bytes.length} bytes), not text.`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ToolFailure(`${path} is not valid UTF-8; change it with a command in the terminal.`);
  }
}

export function refuseNul(path: string): void {
  if (path.includes('\0')) throw new ToolFailure('A path cannot contain a NUL character.');
}

/** Reading a pipe or a device may never end. */
export function refuseNoFile(path: string, { kind }: FileStat): void {
  if (kind === 'directory') throw new ToolFailure(`${path} is a folder. List it with search_files (target: files).`);
  if (kind === 'other') throw new ToolFailure(`${path} is a device, pipe or socket, not a file.`);
}

async function missingFile(path: string, environment: Environment): Promise<string> {
  const entries = await environment.list(dirname(path)).catch(() => []);
  const names = entries.map(({ name }) => name);
  // It is there, and yet it is not: only a link can be so.
  if (names.includes(basename(path)))
    return `${path} is a link to ${await environment.resolvePath(path)}, which does not exist.`;
  const alike = await similarPaths(path, names, environment);
  const hint = alike.length > 0 ? ` Did you mean ${alike.join(', ')}?` : '';
  return `There is no file ${path} (paths start from ${await environment.resolvePath('.')}).${hint}`;
}

/** Names like the last part of a path; where its folder is missing too, like that of the folder. */
async function similarPaths(path: string, names: readonly string[], environment: Environment): Promise<string[]> {
  const folder = dirname(path);
  const alike = nearestNames(basename(path), names, MAX_SUGGESTIONS).map((name) => join(folder, name));
  if (alike.length > 0 || folder === dirname(folder) || (await environment.stat(folder))) return alike;
  const entries = await environment.list(dirname(folder)).catch(() => []);
  const folders = entries.filter(({ kind }) => kind === 'directory').map(({ name }) => name);
  const moved = nearestNames(basename(folder), folders, MAX_SUGGESTIONS).map((name) => join(dirname(folder), name));
  return moved.map((place) => join(place, basename(path)));
}

/** Asks where a file holds secrets; throws where it may not be read. */
async function requireReadApproval(resolved: string, context: ToolContext, toolName: string): Promise<void> {
  const { approvals, environment } = context;
  const judgement = unlessIsolated(approvals.judgeRead(resolved), environment);
  const decision = await approvals.decide({ toolName, subject: resolved, judgement }, context);
  if (!decision.allowed) throw new ToolDenied(decision.message);
}

/** Asks where a path is protected, by its own place or by where its links lead; throws where it may not be written. */
export async function requireWriteApproval(path: string, toolName: string, context: ToolContext): Promise<void> {
  refuseNul(path);
  const { approvals, environment } = context;
  const subjects = await explainFileErrors(path, 'write', async () => {
    const place = join(await environment.resolvePath(dirname(path)), basename(path));
    return new Set([await environment.resolvePath(path), place]);
  });
  for (const subject of subjects) {
    const judgement = unlessIsolated(approvals.judgeWrite(subject, environment.workingDirectory), environment);
    const decision = await approvals.decide({ toolName, subject, judgement }, context);
    if (!decision.allowed) throw new ToolDenied(decision.message);
  }
}
