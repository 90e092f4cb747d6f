import { createInterface } from 'node:readline';
import { ConfigurationError } from '../../../base/index.ts';
import { type CliIo, isTerminal } from '../cli-io.ts';
import { StoppedBySignal } from '../exit-path.ts';
import { printable } from '../style.ts';

/** Asks for confirmation unless `--yes` was given. Throws without a terminal. */
export async function confirm(
  question: string,
  yes: boolean | undefined,
  io: CliIo,
  why = 'This cannot be undone',
): Promise<boolean> {
  if (yes) return true;
  if (!isTerminal(io)) {
    throw new ConfigurationError(
      `${why}. Confirmation is required, but there is no terminal to ask in. Nothing was changed.`,
      {
        hint: 'Add --yes to confirm.',
      },
    );
  }
  const answer = await ask(`${printable(question)} [y/N] `, io);
  if (/^\s*y(es)?\s*$/i.test(answer)) return true;
  io.stderr.write('Cancelled; nothing was changed.\n');
  return false;
}

function ask(question: string, io: CliIo): Promise<string> {
  // On stderr, because stdout may be JSON.
  const lines = createInterface({ input: io.stdin, output: io.stderr, terminal: true });
  return new Promise<string>((resolve, reject) => {
    lines.on('SIGINT', () => reject(new StoppedBySignal('Cancelled; nothing was changed.')));
    // Ctrl-D, or the terminal was closed.
    lines.on('close', () => resolve(''));
    lines.question(question, resolve);
  }).finally(() => lines.close());
}
