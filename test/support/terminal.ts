import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import type { TemporaryHome } from '../../src/testing/index.ts';

const BINARY = join(import.meta.dirname, '../../bin/hermes.js');

/** A person at a terminal, who waits for something to appear and then types. */
export function startTerminal(home: TemporaryHome, args: readonly string[], size = { cols: 100, rows: 40 }) {
  const terminal = spawn(process.execPath, [BINARY, ...args], {
    ...{ ...size, cwd: home.workspace },
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home.userHome,
      HERMES_HOME: home.path,
      TERM: 'xterm',
      NO_COLOR: '1',
      // The chat in plain lines: what is looked for here is the chat itself, and not how the screen draws it.
      HERMES_PLAIN: '1',
    },
  });
  let output = '';
  let position = 0;
  let look = () => {};
  terminal.onData((text) => {
    output += text;
    look();
  });
  const exited = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  return {
    exited,
    output: () => output,
    type: (text: string) => terminal.write(text),
    resize: (columns: number, rows: number) => terminal.resize(columns, rows),
    /** Each text is looked for behind the one before. */
    see: (text: string) =>
      new Promise<void>((resolve) => {
        look = () => {
          const at = output.indexOf(text, position);
          if (at < 0) return;
          position = at + text.length;
          look = () => {};
          resolve();
        };
        look();
      }),
  };
}
