import { posix } from 'node:path';
import type { CommandOptions } from '../../contracts/index.ts';
import { quoteShellWord } from '../../util/index.ts';
import { newProcessTag, remoteScript } from '../shell-script.ts';
import type { RemoteConnection } from './remote-connection.ts';
import { DirectoryMissing, followRemote, lostBeforeStart, NotConnected, type RemoteLaunched } from './remote-launch.ts';
import { COMMAND_SCRIPT, WAITING_COMMAND_SCRIPT } from './remote-scripts.ts';

/**
 * Longer commands are sent as a file, because everything is sent as one argument and the kernel limits an argument to
 * 128 KiB.
 */
const MAX_ARGUMENT_BYTES = 60_000;

export type RemoteCommandOptions = {
  connection: RemoteConnection;
  shells: RemoteShells;
  shell: string;
  writeFile(path: string, content: string): Promise<void>;
};

export type RemoteCommand = {
  command: string;
  call: RemoteShell;
  input: boolean;
  /** When to stop waiting for the command to start. */
  stop?: Pick<CommandOptions, 'signal' | 'timeoutMs'>;
};

/** Starts a command remotely. Resolves when the command runs, or when waiting was cancelled or timed out. */
export async function startRemoteCommand(
  options: RemoteCommandOptions,
  { command, call, input, stop }: RemoteCommand,
): Promise<RemoteLaunched> {
  const { connection, shells } = options;
  const text = await shells.asArgument(command, options.writeFile);
  let claim = '';
  const attempt = async () => {
    claim = connection.startsOnce ? shells.newClaim() : '';
    const launched = await launch(options, { text, call, input, claim });
    await (stop === undefined ? launched.started : waitUntilStarted(launched, stop));
    if (launched.record() !== undefined) shells.discard(claim);
    return launched;
  };
  try {
    return await attempt().catch(async (thrown: unknown) => {
      if (!(thrown instanceof NotConnected)) throw thrown;
      connection.forget?.();
      // The connection turned out to be dead, so the command is sent again if nothing was started.
      if (await mayHaveStarted(connection, claim)) throw lostBeforeStart(thrown.message);
      shells.discard(claim);
      return attempt();
    });
  } catch (thrown) {
    if (thrown instanceof NotConnected) throw connection.explain(thrown.message);
    throw thrown instanceof DirectoryMissing ? shells.missing(call.directory) : thrown;
  }
}

/** Creates the file without which the command does not start. If it exists, the command was started. */
const CLAIM_SCRIPT = '(set -C; : >"$1") 2>/dev/null';

async function mayHaveStarted(connection: RemoteConnection, claim: string): Promise<boolean> {
  return claim !== '' && (await connection.run(CLAIM_SCRIPT, [claim])).code !== 0;
}

async function waitUntilStarted(
  { started }: RemoteLaunched,
  { signal, timeoutMs }: Pick<CommandOptions, 'signal' | 'timeoutMs'>,
): Promise<void> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const timer = setTimeout(stop, timeoutMs);
  const onAbort = () => stop();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) stop();
  try {
    await Promise.race([started, stopped]);
  } finally {
    clearTimeout(timer);
    // The signal belongs to the whole turn, which may run many commands.
    signal.removeEventListener('abort', onAbort);
  }
}

type Launch = { text: string; call: RemoteShell; input: boolean; claim: string };

async function launch({ connection, shell }: RemoteCommandOptions, { text, call, input, claim }: Launch) {
  await connection.open();
  const mark = newProcessTag();
  const parameters = [mark, call.directory, shell, call.script, text, call.report, ...call.rest];
  const script = connection.waitsForOrphans ? WAITING_COMMAND_SCRIPT : COMMAND_SCRIPT;
  const child = await connection.begin({ script, parameters, shell, input, claim });
  return followRemote(child, mark, connection);
}

/** How to start one remote shell. */
export type RemoteShell = {
  directory: string;
  script: string;
  /** The file to which the shell writes its final directory. */
  report: string;
  /** Further script parameters: whether to load saved state, the previous directory, and files to remove. */
  rest: readonly string[];
  /** Takes over the state of the shell if `counts` is set. Returns its final directory. */
  finish(counts: boolean, directories: readonly string[] | undefined): string;
};

type RemoteShells = ReturnType<typeof createRemoteShells>;

/** The shell state of a remote machine. It is stored there; only the file number is known here. */
export function createRemoteShells({
  shell,
  folder,
  ...options
}: {
  shell: string;
  folder: string;
  directory: string;
  /** The directory with links resolved. */
  realDirectory: string;
}) {
  const bash = shell.endsWith('bash');
  let { directory, realDirectory } = options;
  let previous = '';
  let source: string | undefined;
  let count = 0;
  let outdated: string[] = [];

  return {
    directory: () => directory,
    /** The path with links resolved, if it is the current directory; otherwise undefined. */
    knownDirectory(path: string): string | undefined {
      const isCurrent = [directory, realDirectory].includes(posix.resolve(directory, path));
      return isCurrent && realDirectory !== '' ? realDirectory : undefined;
    },
    begin(command: string, wanted: string | undefined, keep = true): RemoteShell {
      const start = wanted === undefined ? directory : posix.resolve(directory, wanted);
      const target = keep ? `${folder}/${++count}` : undefined;
      const report = target === undefined ? '' : `${target}.d`;
      const rest = [source === undefined ? '' : '1', previous, ...outdated];
      outdated = [];
      return {
        directory: start,
        script: remoteScript({ bash, source, target }, command),
        report,
        rest,
        finish(counts, directories) {
          if (target === undefined || !counts || directories === undefined) {
            if (target !== undefined) outdated.push(target, report);
            return directories?.[0] ?? start;
          }
          outdated.push(report, ...(source === undefined ? [] : [source]));
          source = target;
          const [after = start, before = '', real = ''] = directories;
          if (wanted === undefined) [directory, previous, realDirectory] = [after, before, real];
          return after;
        },
      };
    },
    /**
     * The error for a missing directory. If it was the current directory, the next command starts in the working
     * directory.
     */
    missing(path: string): Error {
      if (path === directory || path === realDirectory) ({ directory, realDirectory } = options);
      return Object.assign(new Error(`ENOENT: no such directory: ${path}`), { code: 'ENOENT' });
    },
    newClaim: () => `${folder}/${++count}.c`,
    /** Removes a file with the next command. */
    discard: (file: string) => void (file !== '' && outdated.push(file)),
    async asArgument(command: string, write: (path: string, content: string) => Promise<void>): Promise<string> {
      if (Buffer.byteLength(command) <= MAX_ARGUMENT_BYTES) return command;
      const file = `${folder}/${++count}`;
      await write(file, command);
      return `eval "$(cat ${quoteShellWord(file)}; rm -f ${quoteShellWord(file)})"`;
    },
  };
}
