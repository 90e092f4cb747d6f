import { posix } from 'node:path';
import type { CommandOptions } from '../../contracts/index.ts';
import { quoteShellWord } from '../../util/index.ts';
import { newProcessTag, remoteScript } from '../shell-script.ts';
import type { RemoteConnection } from './remote-connection.ts';
import { DirectoryMissing, followRemote, NotConnected, type RemoteLaunched } from './remote-launch.ts';
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
  const attempt = async () => {
    const launched = await launch(options, text, call, input);
    await (stop === undefined ? launched.started : waitUntilStarted(launched, stop));
    return launched;
  };
  try {
    // Retry if the connection turned out to be dead before anything started.
    return await attempt().catch((thrown: unknown) => {
      if (!(thrown instanceof NotConnected)) throw thrown;
      connection.forget?.();
      return attempt();
    });
  } catch (thrown) {
    if (thrown instanceof NotConnected) throw connection.explain(thrown.message);
    throw thrown instanceof DirectoryMissing ? shells.missing(call.directory) : thrown;
  }
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

async function launch({ connection, shell }: RemoteCommandOptions, text: string, call: RemoteShell, input: boolean) {
  await connection.open();
  const mark = newProcessTag();
  const parameters = [mark, call.directory, shell, call.script, text, call.report, ...call.rest];
  const script = connection.waitsForOrphans ? WAITING_COMMAND_SCRIPT : COMMAND_SCRIPT;
  const child = await connection.begin({ script, parameters, shell, input });
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
}) {
  const bash = shell.endsWith('bash');
  let directory = options.directory;
  let previous = '';
  let source: string | undefined;
  let count = 0;
  let outdated: string[] = [];

  return {
    directory: () => directory,
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
          const [after = start, before = ''] = directories;
          if (wanted === undefined) [directory, previous] = [after, before];
          return after;
        },
      };
    },
    /**
     * The error for a missing directory. If it was the current directory, the next command starts in the working
     * directory.
     */
    missing(path: string): Error {
      if (path === directory) directory = options.directory;
      return Object.assign(new Error(`ENOENT: no such directory: ${path}`), { code: 'ENOENT' });
    },
    async asArgument(command: string, write: (path: string, content: string) => Promise<void>): Promise<string> {
      if (Buffer.byteLength(command) <= MAX_ARGUMENT_BYTES) return command;
      const file = `${folder}/${++count}`;
      await write(file, command);
      return `eval "$(cat ${quoteShellWord(file)}; rm -f ${quoteShellWord(file)})"`;
    },
  };
}
