import { basename, dirname, join } from 'node:path';
import type { Environment, FileStat, ToolContext } from '../contracts/index.ts';
import { ToolDenied, ToolFailure } from '../tools/index.ts';
import { nearestNames } from '../util/index.ts';

/** Larger files are for the terminal's own tools. */
const MAX_SIZE = 64 * 1024 * 1024;
/** How far into a file a NUL byte is looked for. */
const BINARY_PROBE = 8192;
const MAX_SUGGESTIONS = 3;

/** The bytes of a text file, after everything that is no such file was refused with a reason. */
export async function readTextBytes(path: string, environment: Environment): Promise<Uint8Array> {
  refuseNul(path);
  const found = await environment.stat(path);
  if (!found) throw new ToolFailure(await missingFile(path, environment));
  refuseUnreadable(path, found);
  const bytes = await environment.readFile(path);
  if (isBinary(bytes)) throw new ToolFailure(`${path} is a binary file (${bytes.length} bytes), not text.`);
  return bytes;
}

/** The text of a file that will be changed: it has to survive the way there and back to the byte. */
export async function readTextToChange(path: string, environment: Environment): Promise<string> {
  const bytes = await readTextBytes(path, environment);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ToolFailure(`${path} is not valid UTF-8; change it with a command in the terminal.`);
  }
}

export function refuseNul(path: string): void {
  if (path.includes('\0')) throw new ToolFailure('A path cannot contain a NUL character.');
}

/** Text has no NUL bytes, and nearly everything else has one early on. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, BINARY_PROBE).includes(0);
}

/** Reading a pipe or a device may never end. */
function refuseUnreadable(path: string, { kind, size }: FileStat): void {
  if (kind === 'directory') throw new ToolFailure(`${path} is a folder. List it with search_files (target: files).`);
  if (kind === 'other') throw new ToolFailure(`${path} is a device, pipe or socket, not a file.`);
  if (size > MAX_SIZE)
    throw new ToolFailure(`${path} has ${size} bytes, too many for this tool; use the terminal (sed, tail).`);
}

async function missingFile(path: string, environment: Environment): Promise<string> {
  const entries = await environment.list(dirname(path)).catch(() => []);
  const names = entries.map(({ name }) => name);
  // It is there, and yet it is not: only a link can be so.
  if (names.includes(basename(path)))
    return `${path} is a link to ${await environment.resolvePath(path)}, which does not exist.`;
  const alike = nearestNames(basename(path), names, MAX_SUGGESTIONS).map((name) => join(dirname(path), name));
  const hint = alike.length > 0 ? ` Did you mean ${alike.join(', ')}?` : '';
  return `There is no file ${path} (paths start from ${environment.workingDirectory}).${hint}`;
}

/** Asks where a path is protected, by its own place or by where its links lead; throws where it may not be written. */
export async function requireWriteApproval(path: string, toolName: string, context: ToolContext): Promise<void> {
  refuseNul(path);
  const { approvals, environment } = context;
  const target = await environment.resolvePath(path);
  const place = join(await environment.resolvePath(dirname(path)), basename(path));
  for (const subject of new Set([target, place])) {
    const judgement = approvals.judgeWrite(subject, environment.workingDirectory);
    const decision = await approvals.decide({ toolName, subject, judgement }, context);
    if (!decision.allowed) throw new ToolDenied(decision.message);
  }
}
