import type { LaunchedChild } from '../launched.ts';
import { startInPty } from '../pty-process.ts';
import type { RemoteConnection, RemoteStart } from './remote-connection.ts';

/** How long a leaving program waits for the other side. */
const LEAVE_MS = 3000;

/** A program of this machine that leads to another one. */
export type LeadingProgram = {
  program: string;
  /** The variables it gets itself. */
  env: Record<string, string>;
  /** Its arguments for a script on the other side. */
  args(script: string, parameters: readonly string[], options?: { shell?: string; terminal?: boolean }): string[];
  /** A command over there ends when the terminal that this side gave it is gone. */
  endsWithTerminal: boolean;
  /** It may not hear of a new size that comes soon after its start. */
  missesSizes?: boolean;
  /** What has to come before all input of a script, where there is such a thing. */
  firstInput?: string | undefined;
};

/** What begins commands on the other side, by a program that leads there. */
export function throughProgram(leading: LeadingProgram): Pick<RemoteConnection, 'begin' | 'beginTerminal' | 'leave'> {
  const { program, env, args, firstInput } = leading;
  return {
    async begin({ script, parameters, shell, input }: RemoteStart & { input: boolean }): Promise<LaunchedChild> {
      const { spawn } = await import('node:child_process');
      const hasInput = input || firstInput !== undefined;
      const stdio = [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe'] as const;
      const child = spawn(program, args(script, parameters, { shell }), { env, detached: true, stdio: [...stdio] });
      // One that ends without reading says why itself.
      child.stdin?.on('error', () => undefined);
      if (firstInput !== undefined) child.stdin?.write(firstInput);
      if (!input) child.stdin?.end();
      return child;
    },
    async beginTerminal({ script, parameters, shell, mark, size }) {
      const words = args(script, parameters, { shell, terminal: true });
      // The program runs in a terminal of this side, which gives it its size and tells it of changes.
      const started = await startInPty({ file: program, args: words, directory: '/', env, mark, size });
      const { resize } = started.running;
      const { endsWithTerminal: endsAlone, missesSizes = false } = leading;
      return { ...started, ...(resize && { resize }), endsAlone, missesSizes };
    },
    leave: (script, parameters) => runBeforeLeaving(program, args(script, parameters), env, firstInput),
  };
}

/** Runs a program to its end for one that leaves, which cannot wait for events. */
export function runBeforeLeaving(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
  input = '',
): void {
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  spawnSync(program, args, { env, input, stdio: ['pipe', 'ignore', 'ignore'], timeout: LEAVE_MS });
}
