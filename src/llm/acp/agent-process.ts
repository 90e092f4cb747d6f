import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '../../base/index.ts';
import { markFolderOwner, removeAbandonedFolders } from '../../util/index.ts';
import { failure } from './acp-failure.ts';

export type AgentCommand = {
  command: string;
  args: readonly string[];
  /** The complete environment. The caller must not include keys of other providers. */
  env: Readonly<Record<string, string>>;
};

/** How a process ended: it could not be started, or it exited. */
export type ProcessEnd = { error: Error } | { code: number | null; signal: NodeJS.Signals | null };

export type AgentProcess = {
  /** The working directory of the process, which is empty. */
  readonly folder: string;
  write(text: string): Promise<void>;
  /** The end of the process's stderr output. */
  stderrTail(): string;
  /** Between `hold` and `release` the process keeps the event loop alive. */
  hold(): void;
  release(): void;
  /** Ends the process group: SIGTERM first, then SIGKILL. */
  end(): void;
};

export type ProcessListener = { onOutput(bytes: Uint8Array): void; onEnd(end: ProcessEnd): void };

/** Time between SIGTERM and SIGKILL. */
const TERMINATION_GRACE_MS = 2000;
/** How long to read output after the exit; a child process may keep the pipe open forever. */
const DRAIN_MS = 200;
const STDERR_TAIL_LENGTH = 4000;

/**
 * Starts the command in its own process group, so that its child processes can be killed with it, and in an empty
 * directory: the agent has its own tools and must not read the user's project without asking.
 */
export async function startAgentProcess(
  { command, args, env }: AgentCommand,
  listener: ProcessListener,
): Promise<AgentProcess> {
  const { spawn } = await import('node:child_process');
  const folder = makeAgentFolder();
  const child = spawn(command, args, { cwd: folder.path, env: { ...env }, detached: true, stdio: 'pipe' });
  let complaints = '';
  let killer: NodeJS.Timeout | undefined;
  const clearAway = () => {
    // Kills child processes that are still running in the group.
    signalGroup(child, 'SIGKILL');
    folder.remove();
  };
  // This listener does not run if Hermes itself is killed. In that case stdin closes, which tells the agent to exit.
  process.once('exit', clearAway);
  child.stdout.on('data', listener.onOutput);
  child.stderr.on('data', (bytes: Buffer) => {
    complaints = (complaints + bytes.toString()).slice(-STDERR_TAIL_LENGTH);
  });
  // A failed write is noticed later, when no response to it arrives.
  child.stdin.on('error', () => undefined);
  untilEnded(child, (end) => {
    clearTimeout(killer);
    process.off('exit', clearAway);
    clearAway();
    listener.onEnd(end);
  });
  return {
    folder: folder.path,
    write: (text) => new Promise((resolve) => void child.stdin.write(text, () => resolve())),
    stderrTail: () => complaints.trim(),
    hold: () => setHold(child, 'ref'),
    release: () => setHold(child, 'unref'),
    end() {
      if (killer !== undefined) return;
      child.stdin.end();
      signalGroup(child, 'SIGTERM');
      killer = setTimeout(() => signalGroup(child, 'SIGKILL'), TERMINATION_GRACE_MS);
      killer.unref();
    },
  };
}

function signalGroup(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The process group no longer exists.
  }
}

/** Calls back once: after the process exited and its output was read, or if it could not be started. */
function untilEnded(child: ChildProcessWithoutNullStreams, onEnd: (end: ProcessEnd) => void): void {
  let over = false;
  const finish = (end: ProcessEnd) => {
    if (over) return;
    over = true;
    child.stdout.destroy();
    child.stderr.destroy();
    onEnd(end);
  };
  child.once('error', (error) => finish({ error }));
  child.once('exit', (code, signal) => void setTimeout(() => finish({ code, signal }), DRAIN_MS));
  child.once('close', (code, signal) => finish({ code, signal }));
}

type Holdable = { ref?(): void; unref?(): void };

function setHold(child: ChildProcessWithoutNullStreams, how: 'ref' | 'unref'): void {
  child[how]();
  for (const stream of [child.stdin, child.stdout, child.stderr] as Holdable[]) stream[how]?.();
}

/** The empty working directory of a command. */
type AgentFolder = { readonly path: string; remove(): void };

const PREFIX = 'hermes-acp-';

/** Creates the directory with an owner file next to it. Directories left by killed processes are removed first. */
function makeAgentFolder(): AgentFolder {
  let folder = '';
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    removeAbandonedFolders(tmpdir(), PREFIX);
    folder = mkdtempSync(join(tmpdir(), PREFIX));
    markFolderOwner(folder);
    const path = join(folder, 'empty');
    mkdirSync(path);
    return { path, remove };
  } catch (thrown) {
    if (folder !== '') remove();
    throw failure('format_error', `Could not create a directory for the command: ${errorMessage(thrown)}`);
  }
}
