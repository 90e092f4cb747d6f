import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { errorMessage } from '../base/index.ts';
import { createExitTasks, endTree, killTree, type ProcessTree } from '../environments/index.ts';
import { takeEnd } from '../util/index.ts';
import type { HideSecrets } from './hide-secrets.ts';
import { lastWords } from './last-words.ts';
import { watchForOutliving } from './outliving.ts';
import { ServerFailure } from './server-failure.ts';

export type ServerCommand = {
  serverName: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  directory: string;
  /** For what it complains about. */
  hideSecrets: HideSecrets;
};

export type ServerProcess = {
  write(text: string): Promise<void>;
  /** Ends it and all it started: it may do so by itself first. */
  end(): Promise<void>;
};

export type ProcessListener = { onOutput(chunk: Uint8Array): void; onExit(reason: ServerFailure): void };

const COMPLAINTS_KEPT = 2000;
/** How long a server may take to end by itself once nobody talks to it any more. */
const POLITE_MS = 300;
const MARK = 'HERMES_MCP_MARK';

/**
 * Starts a server. It leads a group of its own and carries a mark, so that all it started can be found and ended with
 * it: servers are mostly started by `npx` or `uvx`, and are not their first process.
 */
export async function startServerProcess(options: ServerCommand, listener: ProcessListener): Promise<ServerProcess> {
  const { spawn } = await import('node:child_process');
  const mark = randomBytes(9).toString('hex');
  const { command, args, env, directory } = options;
  const child = spawn(command, args, { cwd: directory, env: { ...env, [MARK]: mark }, detached: true, stdio: 'pipe' });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(notStarted(options, error)));
  });
  child.on('error', () => undefined);
  const tree: ProcessTree = { pid: child.pid ?? -1, mark: `${MARK}=${mark}` };
  const exitTasks = createExitTasks();
  const killNow = () => killTree(tree);
  exitTasks.add(killNow);
  const sendWatchAway = watchForOutliving(spawn, tree);
  listen(child, options, listener);
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        child.stdin.write(text, (error) => (error ? reject(error) : resolve()));
      }),
    async end() {
      child.stdin.end();
      // Most end when their input does, and have something to put in order first.
      await Promise.race([untilExit(child), new Promise((resolve) => setTimeout(resolve, POLITE_MS).unref())]);
      await endTree(tree);
      exitTasks.remove(killNow);
      sendWatchAway();
      child.stdout.destroy();
      child.stderr.destroy();
    },
  };
}

function listen(
  child: ChildProcessWithoutNullStreams,
  { serverName, hideSecrets }: ServerCommand,
  listener: ProcessListener,
): void {
  let complaints = '';
  child.stdout.on('data', listener.onOutput);
  child.stderr.on('data', (chunk: Buffer) => {
    complaints = takeEnd(complaints + chunk.toString(), COMPLAINTS_KEPT);
  });
  // What could not be written is noticed where its answer is awaited.
  child.stdin.on('error', () => undefined);
  child.once('exit', (code, signal) => {
    const how = signal === null ? `with code ${code}` : `by ${signal}`;
    const words = complaints.trim();
    const said = words === '' ? '' : ` Its last words: "${lastWords(hideSecrets(words))}".`;
    listener.onExit(new ServerFailure('unreachable', `${serverName} ended ${how}.${said}`));
  });
}

function untilExit(child: ChildProcessWithoutNullStreams): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    child.once('exit', () => resolve());
  });
}

function notStarted({ serverName, command, directory }: ServerCommand, error: Error): ServerFailure {
  if (!existsSync(directory))
    return new ServerFailure('settings', `${serverName} could not be started: there is no folder ${directory}.`, {
      hint: `Change mcp_servers.${serverName}.cwd.`,
    });
  const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  const why = missing ? `the program ${command} was not found` : errorMessage(error);
  const hint = `Install ${command}, or give its whole path as mcp_servers.${serverName}.command.`;
  const message = `${serverName} could not be started: ${why}.`;
  return new ServerFailure('unreachable', message, { cause: error, ...(missing && { hint }) });
}
