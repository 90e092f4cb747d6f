import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createApprovalGuard, isEnvFile } from '../../../approvals/index.ts';
import type { ApprovalGuard, Environment } from '../../../contracts/index.ts';
import { isInside } from '../../../util/index.ts';

export type FileGateOptions = {
  /** The home directory of Hermes. */
  home: string;
  /** Folders whose files may always be sent, as the owner wrote them. */
  allowedFolders: readonly string[];
};

/** What a turn has made. */
export type TurnFiles = {
  environment: Environment;
  /** The folders with the files that the chat itself sent. */
  ownFolders: readonly string[];
  /** Changed files in the workspace are those of the turn from this time on; undefined if it ran no tools. */
  startedAt: number | undefined;
  /** Paths that file tools of the session wrote. */
  written: readonly string[];
  /** Whether a tool call or its result contains a file name. */
  isMentioned(name: string): boolean;
};

export type CheckedFile = { allowed: true; bytes: Uint8Array; path: string } | { allowed: false; reason: string };

/**
 * Decides for all platforms which files an answer may send. A path in the text of a model proves nothing: the file
 * must be one that the turn made or that lies in an allowed folder, after links are resolved, and never one with
 * credentials. The bytes are those of the file that was checked, even if the path is changed in the meantime.
 */
export interface FileGate {
  check(path: string, turn: TurnFiles, maxBytes: number): Promise<CheckedFile>;
}

const NOT_MADE =
  'only files that this turn made, or that are in a folder of gateway.media_delivery_allow_dirs, can be sent';

export function createFileGate({ home, allowedFolders }: FileGateOptions): FileGate {
  const allowed = allowedFolders.map((folder) => join(folder.replace(/^~(?=\/|$)/, homedir())));
  return {
    async check(path, turn, maxBytes) {
      if (path.includes('\0')) return refuse('the path is not valid');
      try {
        const { environment } = turn;
        // Its own guard, because neither the approval mode nor the allow-list of the user applies to sending.
        const guard = createApprovalGuard({ mode: 'manual', hermesHome: home, workspace: 'off', attended: false });
        const resolved = await environment.resolvePath(path);
        const found = await environment.stat(path);
        if (found === undefined) return refuse('there is no such file');
        const denial =
          (await findDenial(resolved, { guard, home, allowed, turn })) ??
          ((await isMade(resolved, found.modifiedMs, turn)) || (await isAllowed(resolved, allowed, turn))
            ? undefined
            : NOT_MADE);
        if (denial !== undefined) return refuse(denial);
        if (found.kind !== 'file') return refuse('it is not a regular file');
        if (found.size === 0) return refuse('it is empty');
        if (found.size > maxBytes) return refuse(`it is larger than ${Math.floor(maxBytes / 1024 / 1024)} MB`);
        return { allowed: true, bytes: await readChecked(resolved, environment, maxBytes), path: resolved };
      } catch (thrown) {
        return refuse(thrown instanceof Unreadable ? thrown.message : 'it cannot be read');
      }
    },
  };
}

const refuse = (reason: string): CheckedFile => ({ allowed: false, reason });

class Unreadable extends Error {}

type Rules = { guard: ApprovalGuard; home: string; allowed: readonly string[]; turn: TurnFiles };

/** Why a file is never sent, even if the turn made it. */
async function findDenial(resolved: string, { guard, home, allowed, turn }: Rules): Promise<string | undefined> {
  if (guard.judgeRead(resolved).verdict !== 'allow' || isEnvFile(resolved)) return 'it may contain credentials';
  const homes = await Promise.all([home, join(homedir(), '.hermes')].map(realOrSame));
  const isOwn = (await Promise.all(turn.ownFolders.map(realOrSame))).some((folder) => isInside(folder, resolved));
  if (!isOwn && homes.some((folder) => isInside(folder, resolved)) && !(await isProject(resolved, homes, turn)))
    return 'it belongs to the home directory of Hermes';
  if (await isAllowed(resolved, allowed, turn)) return undefined;
  return guard.judgeWrite(resolved, '/').verdict === 'allow' ? undefined : 'it is a protected file';
}

/** Whether the working directory is a folder inside the home directory of Hermes, and the file is in it. */
async function isProject(resolved: string, homes: readonly string[], { environment }: TurnFiles): Promise<boolean> {
  const folder = await realOrSame(environment.workingDirectory);
  return !homes.includes(folder) && isInside(folder, resolved) && homes.some((home) => isInside(home, folder));
}

async function isAllowed(resolved: string, allowed: readonly string[], { ownFolders }: TurnFiles): Promise<boolean> {
  const folders = await Promise.all([...allowed, ...ownFolders].map(realOrSame));
  return folders.some((folder) => isInside(folder, resolved));
}

/** Written by a file tool of the session, or changed in the workspace during the turn. */
async function isMade(resolved: string, modifiedMs: number, turn: TurnFiles): Promise<boolean> {
  const { environment, startedAt, written, isMentioned } = turn;
  for (const path of written) if ((await environment.resolvePath(path)) === resolved) return true;
  // Some file systems round times down to the second.
  if (startedAt === undefined || modifiedMs < Math.floor(startedAt / 1000) * 1000) return false;
  const isIn = async (folder: string) => isInside(await environment.resolvePath(folder), resolved);
  if (await isIn(environment.workingDirectory)) return true;
  // Other programs write to the temporary folder of this machine too.
  const isPrivate = environment.isolated || environment.sandbox !== undefined;
  return ((await isIn('/tmp')) || (await isIn(tmpdir()))) && (isPrivate || isMentioned(basename(resolved)));
}

function realOrSame(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/**
 * Reads a file of this machine through a handle that is compared with the checked path after it was opened, so that
 * the file cannot be exchanged. In another environment, commands see only what may be read there.
 */
async function readChecked(resolved: string, environment: Environment, maxBytes: number): Promise<Uint8Array> {
  const isHost = environment.localFiles && environment.sandbox === undefined;
  const isShared = environment.localFiles && isInside(environment.workingDirectory, resolved);
  if (isHost || isShared) return readOnHost(resolved, maxBytes);
  const bytes = await environment.readFile(resolved, { offset: 0, length: maxBytes + 1 });
  if ((await environment.resolvePath(resolved)) !== resolved || bytes.length > maxBytes)
    throw new Unreadable('it was changed while it was read');
  return bytes;
}

async function readOnHost(resolved: string, maxBytes: number): Promise<Uint8Array> {
  const handle = await open(resolved, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const opened = await handle.stat();
    const now = await stat(resolved);
    const isSame = opened.ino === now.ino && opened.dev === now.dev && (await realpath(resolved)) === resolved;
    if (!isSame || !opened.isFile() || opened.size > maxBytes) throw new Unreadable('it was changed while it was read');
    if (opened.nlink > 1) throw new Unreadable('it is linked to another file');
    if (process.getuid !== undefined && opened.uid !== process.getuid())
      throw new Unreadable('it belongs to another user');
    const bytes = Buffer.alloc(opened.size);
    const { bytesRead } = await handle.read(bytes, 0, opened.size, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
