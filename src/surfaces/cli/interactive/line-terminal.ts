import { createInterface } from 'node:readline';
import type { CliIo } from '../cli-io.ts';

export type LineTerminalHandlers = {
  /** One line, or several that were pasted together. */
  onLines(text: string): void;
  /** Ctrl-C; `typed` is what stood in the line, which is cleared. */
  onInterrupt(typed: string): void;
  /** Ctrl-D, or the terminal went away. */
  onEnd(): void;
};

/** A line to type into, and the lines above it. */
export interface LineTerminal {
  /** Shows the text before the cursor and waits for a line. */
  prompt(text: string): void;
  /** Forgets what was typed and not sent, so that it does not become the answer to a question that comes now. */
  clearTyped(): void;
  close(): void;
}

export function createLineTerminal(io: CliIo, handlers: LineTerminalHandlers): LineTerminal {
  const lines = createInterface({ input: io.stdin, output: io.stdout, terminal: true, historySize: 200 });
  let pasted: string[] = [];
  lines.on('line', (line) => {
    // The lines of a paste arrive together; sent one by one they would be many messages.
    if (pasted.push(line) > 1) return;
    setImmediate(() => {
      const text = pasted.join('\n');
      pasted = [];
      handlers.onLines(text);
    });
  });
  const clearTyped = () => {
    // The documented way to empty the line: Ctrl-E, then Ctrl-U. It redraws the line, so the old prompt goes first.
    lines.setPrompt('');
    lines.write(null as unknown as string, { ctrl: true, name: 'e' });
    lines.write(null as unknown as string, { ctrl: true, name: 'u' });
  };
  lines.on('SIGINT', () => {
    const typed = lines.line;
    clearTyped();
    handlers.onInterrupt(typed);
  });
  lines.on('close', handlers.onEnd);
  return {
    prompt(text) {
      lines.setPrompt(text);
      lines.prompt();
    },
    clearTyped,
    close() {
      lines.off('close', handlers.onEnd);
      lines.close();
    },
  };
}
