import type { RemoteConnection } from './remote-connection.ts';
import { DirectoryMissing, followRemote, NotConnected, type RemoteLaunched } from './remote-launch.ts';
import { COMMAND_SCRIPT, LINGERING_SCRIPT } from './remote-scripts.ts';
import type { RemoteShell, RemoteShells } from './remote-shells.ts';
import { newMark } from './shell-script.ts';

export type BeginOptions = {
  connection: RemoteConnection;
  shells: RemoteShells;
  shell: string;
  writeFile(path: string, content: string): Promise<void>;
};

/** Begins a command on the other side. When it resolves the command runs there. */
export async function beginRemote(
  options: BeginOptions,
  command: string,
  call: RemoteShell,
  input: boolean,
): Promise<RemoteLaunched> {
  const { connection, shells } = options;
  const text = await shells.asArgument(command, options.writeFile);
  const attempt = async () => {
    const launched = await launch(options, text, call, input);
    await launched.begun;
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

async function launch({ connection, shell }: BeginOptions, text: string, call: RemoteShell, input: boolean) {
  await connection.open();
  const mark = newMark();
  const parameters = [mark, call.directory, shell, call.script, text, call.report, ...call.rest];
  const script = connection.lingers ? LINGERING_SCRIPT : COMMAND_SCRIPT;
  const child = await connection.begin({ script, parameters, shell, input });
  return followRemote(child, mark, connection);
}
