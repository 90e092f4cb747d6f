import { onTestFinished } from 'vitest';
import { startTerminalProcess, type TerminalOptions, type TerminalProcess } from './pty/terminal-process.ts';

/** Runs the built program in a pseudo-terminal until the test ends. */
export function openTerminal(options: TerminalOptions): TerminalProcess {
  const terminal = startTerminalProcess(options);
  onTestFinished(terminal.end);
  return terminal;
}
