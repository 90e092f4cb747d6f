import type { SshConnection } from './ssh-connection.ts';
import { DirectoryMissing, followSsh, NotConnected, type SshLaunched } from './ssh-launch.ts';
import { COMMAND_SCRIPT } from './ssh-scripts.ts';
import type { SshShell, SshShells } from './ssh-shells.ts';
import { newMark } from './shell-script.ts';

export type BeginOptions = {
  connection: SshConnection;
  shells: SshShells;
  shell: string;
  writeFile(path: string, content: string): Promise<void>;
};

/** Begins a command on the other side. When it resolves the command runs there. */
export async function beginSsh(
  options: BeginOptions,
  command: string,
  call: SshShell,
  input: boolean,
): Promise<SshLaunched> {
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
      if (thrown instanceof NotConnected) return attempt();
      throw thrown;
    });
  } catch (thrown) {
    if (thrown instanceof NotConnected) throw connection.explain(thrown.message);
    throw thrown instanceof DirectoryMissing ? shells.missing(call.directory) : thrown;
  }
}

async function launch({ connection, shell }: BeginOptions, text: string, call: SshShell, input: boolean) {
  const { spawn } = await import('node:child_process');
  await connection.open();
  const mark = newMark();
  const parameters = [mark, call.directory, shell, call.script, text, call.report, ...call.rest];
  const child = spawn('ssh', connection.args(COMMAND_SCRIPT, parameters, { shell }), {
    env: connection.env,
    detached: true,
    stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  return followSsh(child, mark, connection);
}
