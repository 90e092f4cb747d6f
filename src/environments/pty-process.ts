import { ConfigurationError } from '../base/index.ts';
import type { ProcessEnding, RunningProcess, StartOptions } from '../contracts/index.ts';
import { recordOf } from './launched.ts';
import { createOutputListeners } from './output-listeners.ts';
import { signalName } from './signal-name.ts';
import { endTree, killTree, type ProcessTree } from './process-tree.ts';

export type PtyOptions = {
  file: string;
  args: string[];
  directory: string;
  env: Record<string, string>;
  mark: string;
  holder?: string;
  size: NonNullable<StartOptions['pty']>;
};

/** A started command in a terminal, and what a leaving program calls. */
export async function startInPty(options: PtyOptions): Promise<{ running: RunningProcess; endNow(): void }> {
  const { spawn } = await loadPty();
  const { size, mark, holder } = options;
  const pty = spawn(options.file, options.args, {
    ...{ cols: size.columns, rows: size.rows, cwd: options.directory, name: 'xterm-256color' },
    env: { ...options.env, TERM: 'xterm-256color' },
  });
  const output = createOutputListeners();
  pty.onData(output.push);
  let over = false;
  const ended = new Promise<ProcessEnding>((resolve) =>
    pty.onExit(({ exitCode, signal }) => {
      over = true;
      resolve(
        signal
          ? { exitCode: undefined, signalName: signalName(signal) ?? `signal ${signal}` }
          : { exitCode, signalName: undefined },
      );
    }),
  );
  const tree: ProcessTree = { pid: pty.pid, mark, ...(holder !== undefined && { holder }) };
  const write = async (data: string | Uint8Array) => {
    if (over) throw new Error(`process ${pty.pid} does not read any more`);
    // Its types know only text; bytes go through as they are.
    pty.write((typeof data === 'string' ? data : Buffer.from(data)) as string);
  };
  const running: RunningProcess = {
    pid: pty.pid,
    record: recordOf(pty.pid, mark),
    onOutput: output.listen,
    write,
    closeInput: () => void write('\u0004').catch(() => undefined),
    resize: (columns, rows) => {
      if (!over) pty.resize(columns, rows);
    },
    kill: () => endTree(tree),
    ended,
  };
  return { running, endNow: () => killTree(tree) };
}

/** A package of its own, since it cannot be part of a bundle: it brings a piece of machine code per platform. */
async function loadPty(): Promise<typeof import('@lydell/node-pty')> {
  try {
    return await import('@lydell/node-pty');
  } catch (cause) {
    throw new ConfigurationError('A terminal for the command cannot be opened: @lydell/node-pty is not installed.', {
      hint: 'Run the command without a terminal (pty), or install Hermes again without --omit=optional.',
      cause,
    });
  }
}
