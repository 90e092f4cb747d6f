import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '../../base/index.ts';
import { markFolder, removeAbandonedFolders } from '../../util/index.ts';
import { failure } from './acp-failure.ts';

export type AgentCommand = {
  command: string;
  args: readonly string[];
  /** All it gets; whoever puts this together keeps other providers' keys out of it. */
  env: Readonly<Record<string, string>>;
};

/** How a command ended: it could not be started, or it was there and is gone. */
export type ProcessEnd = { error: Error } | { code: number | null; signal: NodeJS.Signals | null };

export type AgentProcess = {
  /** Where it runs: an empty folder of its own. */
  readonly folder: string;
  write(text: string): Promise<void>;
  /** The end of what it said on standard error. */
  complaints(): string;
  /** While nothing holds it, it does not keep this program from ending. */
  hold(): void;
  letGo(): void;
  /** Ends it and all it started: politely first, then for good. */
  end(): void;
};

export type ProcessListener = { onOutput(bytes: Uint8Array): void; onEnd(end: ProcessEnd): void };

/** How long it may go on after SIGTERM before it is killed. */
const TERMINATION_GRACE_MS = 2000;
/** How long output is still awaited after its end, which something it started may hold open for ever. */
const DRAIN_MS = 200;
const COMPLAINTS_KEPT = 4000;

/**
 * Starts the command in a process group of its own, so that all of it can be ended at once, and in an empty folder: it
 * is an agent with tools of its own, and what it looks at without asking must not be the person's project.
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
    // Whatever it started and left behind is of its group, and goes with it.
    signalGroup(child, 'SIGKILL');
    folder.remove();
  };
  // If this program is killed itself, nothing here runs; then its end of the pipe closes, which tells an agent to end.
  process.once('exit', clearAway);
  child.stdout.on('data', listener.onOutput);
  child.stderr.on('data', (bytes: Buffer) => {
    complaints = (complaints + bytes.toString()).slice(-COMPLAINTS_KEPT);
  });
  // What could not be written is noticed where its answer is awaited.
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
    complaints: () => complaints.trim(),
    hold: () => setHold(child, 'ref'),
    letGo: () => setHold(child, 'unref'),
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
    // Nothing of it is left.
  }
}

/** Calls back once: when it is gone and its output is read, or when it never was. */
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

/** Where a command runs: an empty folder of its own. */
type AgentFolder = { readonly path: string; remove(): void };

const PREFIX = 'hermes-acp-';

/** Makes it, beside the word whose it is. Those of programs that were killed are removed first. */
function makeAgentFolder(): AgentFolder {
  let folder = '';
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    removeAbandonedFolders(tmpdir(), PREFIX);
    folder = mkdtempSync(join(tmpdir(), PREFIX));
    markFolder(folder);
    const path = join(folder, 'empty');
    mkdirSync(path);
    return { path, remove };
  } catch (thrown) {
    if (folder !== '') remove();
    throw failure('format_error', `No folder could be made for the command: ${errorMessage(thrown)}`);
  }
}
