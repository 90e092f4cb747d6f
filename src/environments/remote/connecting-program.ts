import type { LaunchedChild } from '../launched-command.ts';
import { startInPty } from '../pty-process.ts';
import type { RemoteBegin, RemoteConnection } from './remote-connection.ts';

/** How long to wait for the remote side at exit. */
const EXIT_TIMEOUT_MS = 3000;

/** A local program that connects to a remote shell, such as `ssh` or `docker exec`. */
export type ConnectingProgram = {
  program: string;
  /** The environment variables of the program itself. */
  env: Record<string, string>;
  /** The arguments with which the program runs a remote script. */
  args(script: string, parameters: readonly string[], options?: { shell?: string; terminal?: boolean }): string[];
  /** A remote command ends when its local terminal is closed. */
  endsWithTerminal: boolean;
  /** The program may ignore a resize right after its start. */
  mayMissResize?: boolean;
  /** Text to send before all other input of a script. */
  firstInput?: string | undefined;
};

/** Starts remote commands with a local program. */
export function connectWithProgram(
  leading: ConnectingProgram,
): Pick<RemoteConnection, 'begin' | 'startTerminal' | 'runAtExit'> {
  const { program, env, args, firstInput } = leading;
  return {
    async begin({ script, parameters, shell, input }: RemoteBegin): Promise<LaunchedChild> {
      const { spawn } = await import('node:child_process');
      const hasInput = input || firstInput !== undefined;
      const stdio = [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe'] as const;
      const child = spawn(program, args(script, parameters, { shell }), { env, detached: true, stdio: [...stdio] });
      // A program that exits without reading stdin reports its error itself.
      child.stdin?.on('error', () => undefined);
      if (firstInput !== undefined) child.stdin?.write(firstInput);
      if (!input) child.stdin?.end();
      return child;
    },
    async startTerminal({ script, parameters, shell, mark, size }) {
      const words = args(script, parameters, { shell, terminal: true });
      // The program runs in a local terminal, which provides the size and its changes.
      const started = await startInPty({ file: program, args: words, directory: '/', env, mark, size });
      const { resize } = started.running;
      const { endsWithTerminal, mayMissResize = false } = leading;
      return { ...started, ...(resize && { resize }), endsWithTerminal, mayMissResize };
    },
    runAtExit: (script, parameters) => runAtExit(program, args(script, parameters), env, firstInput),
  };
}

/** Runs a program synchronously, for use at exit. */
export function runAtExit(program: string, args: readonly string[], env: Record<string, string>, input = ''): void {
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  spawnSync(program, args, { env, input, stdio: ['pipe', 'ignore', 'ignore'], timeout: EXIT_TIMEOUT_MS });
}
