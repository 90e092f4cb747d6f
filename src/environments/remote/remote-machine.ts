import { ConfigurationError } from '../../base/index.ts';
import type { RemoteConnection } from './remote-connection.ts';
import { PROBE_SCRIPT } from './remote-scripts.ts';

/** What there is to know about the other side. */
export type RemoteMachine = {
  connection: RemoteConnection;
  shell: string;
  home: string;
  /** Private, and removed with the connection. */
  folder: string;
  workingDirectory: string;
  system: string;
};

/** Connects, and looks around once. */
export async function reachMachine(
  connection: RemoteConnection,
  name: string,
  directory: string,
  makesDirectory = false,
): Promise<RemoteMachine> {
  try {
    const { code, output, errors } = await connection.run(PROBE_SCRIPT, [directory, makesDirectory ? 'make' : '']);
    if (code !== 0) {
      const where = code === 3 ? `there is no folder ${directory}` : errors.trim();
      throw new ConfigurationError(`${name} cannot be used: ${where}`, { hint: 'Check terminal.cwd.' });
    }
    const [shell = '/bin/sh', home = '/', folder = '/tmp', workingDirectory = '/', system = ''] = output
      .toString()
      .split('\0');
    return { connection, shell, home, folder, workingDirectory, system };
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
}
