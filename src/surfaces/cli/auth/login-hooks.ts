import { createInterface } from 'node:readline';
import type { LoginHooks } from '../../../providers/credentials/index.ts';
import type { CliIo } from '../cli-io.ts';
import { StoppedBySignal } from '../signals.ts';
import { showable } from '../style.ts';

/** Shows a person what to do to log in, and takes the code they bring back. */
export function createLoginHooks(io: CliIo): LoginHooks {
  const write = (text: string) => io.stderr.write(`${showable(text)}\n`);
  return {
    showDevice({ address, userCode, expiresAt }) {
      write(`Open ${address}`);
      write(`and enter the code ${userCode} (it holds until ${new Date(expiresAt).toTimeString().slice(0, 5)}).`);
      write('Waiting …');
    },
    show({ address, pasted }) {
      write(`Open ${address}`);
      if (pasted) write('Log in there and copy the code that you are shown.');
      else write('Log in there. Waiting for the browser to come back …');
    },
    askForCode: io.inputKind === 'none' ? undefined : (signal) => askForCode(io, signal),
  };
}

/** One line, from a terminal or from a program that stands behind standard input. */
function askForCode(io: CliIo, signal: AbortSignal): Promise<string> {
  const terminal = io.inputKind === 'terminal';
  const lines = createInterface({ input: io.stdin, output: io.stderr, terminal });
  let typed = false;
  return new Promise<string>((resolve, reject) => {
    // Not needed any more: the browser was faster.
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    lines.on('SIGINT', () => reject(new StoppedBySignal('Stopped; nothing was changed.')));
    lines.once('line', (line) => {
      typed = true;
      resolve(line);
    });
    if (terminal) lines.setPrompt('Or paste the code, or the address you ended at: ');
    if (terminal) lines.prompt();
    // An end without a line is no answer: the browser may still come back.
  }).finally(() => {
    if (terminal && !typed) io.stderr.write('\n');
    lines.close();
    io.stdin.pause();
  });
}
