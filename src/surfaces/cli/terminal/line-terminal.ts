import { createInterface } from 'node:readline';
import type { CliIo } from '../cli-io.ts';
import type { ChatTerminal, ChatTerminalHandlers } from './chat-terminal.ts';
import { typable } from './typable.ts';

type LineHandlers = Pick<ChatTerminalHandlers, 'onLines' | 'onInterrupt' | 'onEnd'>;

/** A line to type into, and the lines above it. */
type LineTerminal = Pick<ChatTerminal, 'prompt' | 'clearTyped' | 'close'>;

/** Stands for a line break in text that is given back, because a real one would send the line. */
const LINE_BREAK = '⏎';

export function createLineTerminal(io: CliIo, handlers: LineHandlers): LineTerminal {
  const lines = createInterface({ input: io.stdin, output: io.stdout, terminal: true, historySize: 200 });
  let pasted: string[] = [];
  let hasMarks = false;
  lines.on('line', (typed) => {
    const line = hasMarks ? typed.replaceAll(LINE_BREAK, '\n') : typed;
    hasMarks = false;
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
    prompt(text, given = '') {
      const givenBack = typable(given);
      lines.setPrompt(text);
      lines.prompt(true);
      hasMarks ||= givenBack.includes('\n');
      if (givenBack !== '') lines.write(givenBack.replaceAll('\n', LINE_BREAK));
    },
    clearTyped,
    close() {
      lines.off('close', handlers.onEnd);
      lines.close();
    },
  };
}
