import type { CommandOptions } from '../../contracts/index.ts';
import type { RemoteConnection } from './remote-connection.ts';
import { DirectoryMissing, followRemote, NotConnected, type RemoteLaunched } from './remote-launch.ts';
import { COMMAND_SCRIPT, LINGERING_SCRIPT } from './remote-scripts.ts';
import type { RemoteShell, RemoteShells } from './remote-shells.ts';
import { newMark } from '../shell-script.ts';

export type BeginOptions = {
  connection: RemoteConnection;
  shells: RemoteShells;
  shell: string;
  writeFile(path: string, content: string): Promise<void>;
};

export type RemoteCommand = {
  command: string;
  call: RemoteShell;
  input: boolean;
  /** When nobody waits for its beginning any more. */
  stop?: Pick<CommandOptions, 'signal' | 'timeoutMs'>;
};

/** Begins a command on the other side. When it resolves the command runs there, or is to be stopped. */
export async function beginRemote(
  options: BeginOptions,
  { command, call, input, stop }: RemoteCommand,
): Promise<RemoteLaunched> {
  const { connection, shells } = options;
  const text = await shells.asArgument(command, options.writeFile);
  const attempt = async () => {
    const launched = await launch(options, text, call, input);
    await (stop === undefined ? launched.begun : untilBegunOrStopped(launched, stop));
    return launched;
  };
  try {
    // Again where the connection was found dead before anything was begun.
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

async function untilBegunOrStopped(
  { begun }: RemoteLaunched,
  { signal, timeoutMs }: Pick<CommandOptions, 'signal' | 'timeoutMs'>,
): Promise<void> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const timer = setTimeout(stop, timeoutMs);
  const onAbort = () => stop();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) stop();
  try {
    await Promise.race([begun, stopped]);
  } finally {
    clearTimeout(timer);
    // The signal is that of the whole turn, which may have many commands.
    signal.removeEventListener('abort', onAbort);
  }
}

async function launch({ connection, shell }: BeginOptions, text: string, call: RemoteShell, input: boolean) {
  await connection.open();
  const mark = newMark();
  const parameters = [mark, call.directory, shell, call.script, text, call.report, ...call.rest];
  const script = connection.lingers ? LINGERING_SCRIPT : COMMAND_SCRIPT;
  const child = await connection.begin({ script, parameters, shell, input });
  return followRemote(child, mark, connection);
}
