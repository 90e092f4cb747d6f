import { createInterface } from 'node:readline';
import { ConfigurationError } from '../../../base/index.ts';
import { type CliIo, isTerminal } from '../cli-io.ts';
import { StoppedBySignal } from '../signals.ts';
import { showable } from '../style.ts';

/** Whether to do what cannot be undone: `--yes` said so, or the person does. Where nobody can be asked it is refused. */
export async function confirm(
  question: string,
  yes: boolean | undefined,
  io: CliIo,
  why = 'This cannot be undone',
): Promise<boolean> {
  if (yes) return true;
  if (!isTerminal(io)) {
    throw new ConfigurationError(`${why}, and there is no terminal to ask in; nothing was done.`, {
      hint: 'Add --yes.',
    });
  }
  const answer = await ask(`${showable(question)} [y/N] `, io);
  if (/^\s*y(es)?\s*$/i.test(answer)) return true;
  io.stderr.write('Nothing was done.\n');
  return false;
}

function ask(question: string, io: CliIo): Promise<string> {
  // On the error output, because the other one may be wanted as JSON.
  const lines = createInterface({ input: io.stdin, output: io.stderr, terminal: true });
  return new Promise<string>((resolve, reject) => {
    lines.on('SIGINT', () => reject(new StoppedBySignal('Stopped; nothing was done.')));
    // Ctrl-D, or the terminal went away.
    lines.on('close', () => resolve(''));
    lines.question(question, resolve);
  }).finally(() => lines.close());
}
