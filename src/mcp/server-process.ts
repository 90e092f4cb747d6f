import type { ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { errorMessage } from '../base/index.ts';
import { createExitTasks, killTree, listTree, type ProcessTree, terminateTree } from '../environments/index.ts';
import { processStartTime, takeEnd } from '../util/index.ts';
import { killTaggedScript } from '../util/operating-system/kill-tagged-script.ts';
import type { RedactServerSecrets } from './expand-variables.ts';
import { ServerFailure } from './server-failure.ts';

const MAX_REASON_LENGTH = 300;
/** Last lines that Node and npm print after an error without describing it. */
const NODE_TRAILER = /^Node\.js v\d/;
const NPM_TRAILER = /^npm (?:error|ERR!) A complete log/;
const ERROR = /^(?:Uncaught )?[\w.]*(?:Error|Exception)\b/;
const NPM_REASON = /^npm (?:error|ERR!) (?!code |errno |syscall )\S/;
/**
 * Reads the process tag from stdin and then waits for the end of stdin. A second line means that the server has
 * already exited. Without that line Hermes was killed: the script then ends the server's process group, its descendants
 * in other groups, and every other process with the tag.
 */
const reaperScript = () =>
  [
    // An incomplete tag is discarded: an empty one would match every process.
    'read -r mark || mark=',
    'read -r _ && exit 0',
    'tree() {',
    '  for child in $(ps -A -o ppid= -o pid= 2>/dev/null | while read -r parent pid; do',
    '    [ "$parent" = "$1" ] && echo "$pid"; done); do echo "$child"; tree "$child"; done',
    '}',
    // Listed first: a process whose parent has ended is no longer a descendant.
    'others=$(tree "$1")',
    '[ -n "$others" ] && kill -s TERM $others 2>/dev/null',
    '{ kill -s TERM -- "-$1" 2>/dev/null || [ -n "$others" ]; } && sleep 2',
    'kill -s KILL -- "-$1" 2>/dev/null',
    '[ -n "$others" ] && kill -s KILL $others 2>/dev/null',
    '[ -n "$mark" ] || exit 0',
    killTaggedScript(),
  ].join('\n');

export type ServerCommand = {
  serverName: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  directory: string;
  /** Redacts secrets from the server's stderr. */
  hideSecrets: RedactServerSecrets;
};

export type ServerProcess = {
  write(text: string): Promise<void>;
  /** Ends the whole process tree, after giving the server time to exit by itself. */
  end(): Promise<void>;
};

export type ProcessListener = { onOutput(chunk: Uint8Array): void; onExit(reason: ServerFailure): void };

const MAX_STDERR_LENGTH = 2000;
/** How long a server may take to exit by itself after its stdin was closed. */
const EXIT_GRACE_MS = 300;
const PROCESS_TAG_VARIABLE = 'HERMES_MCP_MARK';

/**
 * Starts a server in its own process group and with a process tag in its environment, so that the whole process tree
 * can be found and killed: servers are usually started through `npx` or `uvx` and are not the first process.
 */
export async function startServerProcess(options: ServerCommand, listener: ProcessListener): Promise<ServerProcess> {
  const { spawn } = await import('node:child_process');
  const marker = randomBytes(9).toString('hex');
  const { command, args, env, directory } = options;
  const child = spawn(command, args, {
    cwd: directory,
    env: { ...env, [PROCESS_TAG_VARIABLE]: marker },
    detached: true,
    stdio: 'pipe',
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(startFailure(options, error)));
  });
  child.on('error', () => undefined);
  const tree: ProcessTree = { pid: child.pid ?? -1, tag: `${PROCESS_TAG_VARIABLE}=${marker}` };
  const exitTasks = createExitTasks();
  const killNow = () => killTree(tree);
  exitTasks.add(killNow);
  const dismissReaper = startOrphanReaper(spawn, tree);
  watchServerProcess(child, options, listener);
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        child.stdin.write(text, (error) => (error ? reject(error) : resolve()));
      }),
    async end() {
      const members = listTree(tree).map((pid) => ({ pid, startTime: processStartTime(pid) }));
      child.stdin.end();
      // Most servers exit when stdin is closed, and may need a moment to clean up.
      await Promise.race([waitForExit(child), new Promise((resolve) => setTimeout(resolve, EXIT_GRACE_MS).unref())]);
      await terminateTree(tree);
      await terminateEscaped(members, tree);
      exitTasks.remove(killNow);
      dismissReaper();
      child.stdout.destroy();
      child.stderr.destroy();
    },
  };
}

/**
 * Terminates descendants that no longer belong to the tree: they changed their session, did not inherit the tag, and
 * their parent has ended.
 */
async function terminateEscaped(
  members: readonly { pid: number; startTime: string }[],
  { tag }: ProcessTree,
): Promise<void> {
  const left = members.filter(({ pid, startTime }) => startTime !== '' && processStartTime(pid) === startTime);
  await Promise.all(left.map(({ pid }) => terminateTree({ pid, tag })));
}

function watchServerProcess(
  child: ChildProcessWithoutNullStreams,
  { serverName, hideSecrets }: ServerCommand,
  listener: ProcessListener,
): void {
  let complaints = '';
  child.stdout.on('data', listener.onOutput);
  child.stderr.on('data', (chunk: Buffer) => {
    complaints = takeEnd(complaints + chunk.toString(), MAX_STDERR_LENGTH);
  });
  // A failed write surfaces as a missing response.
  child.stdin.on('error', () => undefined);
  child.once('exit', (code, signal) => {
    const how = signal === null ? `exited with code ${code}` : `was killed by ${signal}`;
    const words = complaints.trim();
    const said = words === '' ? '' : ` Last stderr line: "${findFailureReason(hideSecrets(words))}".`;
    listener.onExit(new ServerFailure('unreachable', `${serverName} ${how}.${said}`, { isOwnText: said === '' }));
  });
}

function waitForExit(child: ChildProcessWithoutNullStreams): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    child.once('exit', () => resolve());
  });
}

function startFailure({ serverName, command, directory }: ServerCommand, error: Error): ServerFailure {
  if (!existsSync(directory))
    return new ServerFailure('settings', `Could not start ${serverName}: the folder ${directory} does not exist.`, {
      hint: `Change mcp_servers.${serverName}.cwd.`,
    });
  const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  const why = missing ? `the program ${command} was not found` : errorMessage(error);
  const hint = `Install ${command}, or set mcp_servers.${serverName}.command to its full path.`;
  const message = `Could not start ${serverName}: ${why}.`;
  return new ServerFailure('unreachable', message, { cause: error, isOwnText: true, ...(missing && { hint }) });
}

/** The line of a server's stderr that most likely explains its exit, without trailing whitespace. */
export function findFailureReason(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  const last = lines.at(-1) ?? '';
  return (reasonBeforeTrailer(last, lines) ?? last).slice(0, MAX_REASON_LENGTH);
}

function reasonBeforeTrailer(last: string, lines: readonly string[]): string | undefined {
  if (NODE_TRAILER.test(last)) return lines.findLast((line) => ERROR.test(line));
  if (NPM_TRAILER.test(last)) return lines.find((line) => NPM_REASON.test(line));
  return undefined;
}

/**
 * Most servers exit when their stdin is closed, but some do not, and a killed Hermes cannot kill them. So a small shell
 * script runs next to each server. Returns a function that ends the script once the server has exited.
 */
function startOrphanReaper(start: typeof spawn, tree: { pid: number; tag: string }): () => void {
  const watch = start('/bin/sh', ['-c', reaperScript(), 'sh', String(tree.pid)], {
    // Must not have the process tag in its environment, or it would be killed together with the server.
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without /bin/sh the server runs unwatched.
  watch.on('error', () => undefined);
  watch.stdin?.on('error', () => undefined);
  watch.stdin?.write(`${tree.tag}\n`);
  watch.unref();
  return () => watch.stdin?.end('\n');
}
