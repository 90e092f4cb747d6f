import { basename, dirname, join } from 'node:path';
import { distance } from 'fastest-levenshtein';
import type { Environment, FileStat } from '../contracts/index.ts';
import { ToolDenied, ToolFailure, type ToolRunContext } from '../tools/index.ts';

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
  const alike = await similarNames(path, environment);
  const hint = alike.length > 0 ? ` Did you mean ${alike.join(', ')}?` : '';
  return `There is no file ${path} (paths start from ${environment.workingDirectory}).${hint}`;
}

/** Names in the same folder that a slip away could have been meant. */
async function similarNames(path: string, environment: Environment): Promise<string[]> {
  const wanted = basename(path).toLowerCase();
  const entries = await environment.list(dirname(path)).catch(() => []);
  return entries
    .map(({ name }) => ({ name, edits: distance(wanted, name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.max(2, name.length / 3) || name.toLowerCase().includes(wanted))
    .sort((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => join(dirname(path), name));
}

/** Asks where a path is protected, links followed first; throws where it may not be written. */
export async function requireWriteApproval(path: string, toolName: string, context: ToolRunContext): Promise<void> {
  refuseNul(path);
  const { approvals, environment } = context;
  const target = await environment.resolvePath(path);
  const judgement = approvals.judgeWrite(target, environment.workingDirectory);
  const decision = await approvals.decide({ toolName, subject: target, judgement }, context);
  if (!decision.allowed) throw new ToolDenied(decision.message);
}
