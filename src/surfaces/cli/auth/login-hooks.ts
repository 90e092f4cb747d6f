import { createInterface } from 'node:readline';
import type { LoginHooks } from '../../../providers/credentials/index.ts';
import type { CliIo } from '../cli-io.ts';
import { StoppedBySignal } from '../exit-path.ts';
import { printable } from '../style.ts';

/** Shows the user how to log in, and reads the code that the login page shows. */
export function createLoginHooks(io: CliIo): LoginHooks {
  const write = (text: string) => io.stderr.write(`${printable(text)}\n`);
  return {
    showDevice({ address, userCode, expiresAt }) {
      write(`Open ${address}`);
      write(`and enter the code ${userCode} (valid until ${new Date(expiresAt).toTimeString().slice(0, 5)}).`);
      write('Waiting …');
    },
    show({ address, pasted }) {
      write(`Open ${address}`);
      if (pasted) write('Log in there and copy the code that is shown.');
      else write('Log in there. Waiting for the browser …');
    },
    askForCode: io.inputKind === 'none' ? undefined : (signal) => askForCode(io, signal),
  };
}

/** Reads one line from a terminal or from a program that is connected to stdin. */
function askForCode(io: CliIo, signal: AbortSignal): Promise<string> {
  const terminal = io.inputKind === 'terminal';
  const lines = createInterface({ input: io.stdin, output: io.stderr, terminal });
  let typed = false;
  return new Promise<string>((resolve, reject) => {
    // The browser has already completed the login.
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    lines.on('SIGINT', () => reject(new StoppedBySignal('Cancelled; nothing was changed.')));
    lines.once('line', (line) => {
      typed = true;
      resolve(line);
    });
    if (terminal) lines.setPrompt('Or paste the code or the final URL here: ');
    if (terminal) lines.prompt();
    // The end of the input without a line is ignored, because the browser may still complete the login.
  }).finally(() => {
    if (terminal && !typed) io.stderr.write('\n');
    lines.close();
    io.stdin.pause();
  });
}
