import { ConfigurationError } from '../../../base/index.ts';
import { findKeyFault } from '../../../providers/index.ts';
import { type CliIo, isTerminal } from '../cli-io.ts';
import { readInput } from '../read-input.ts';

/** A key that nobody sees: typed into a hidden prompt, or on standard input. Undefined where the person left. */
export async function readKey(given: string | undefined, name: string, io: CliIo): Promise<string | undefined> {
  if (given !== undefined && given !== '-') {
    io.stderr.write('The key is now in the history of your shell; next time let it be asked for, or use --key -.\n');
    return checkKey(given);
  }
  if (isTerminal(io)) {
    const prompts = await import('@clack/prompts');
    const typed = await prompts.password({
      message: `The key for ${name}`,
      validate: (value) => (value?.trim() ? undefined : 'It needs a key.'),
    });
    return prompts.isCancel(typed) ? undefined : checkKey(typed ?? '');
  }
  return checkKey(await readInput(io));
}

/** Found now, and not when a first call fails. */
function checkKey(text: string): string {
  const key = text.trim();
  const hint = 'Give the key alone, for example: hermes auth add openrouter < key.txt';
  if (key === '') throw new ConfigurationError('There is no key on standard input.', { hint });
  const fault = findKeyFault(key);
  if (fault !== undefined) throw new ConfigurationError(`The key has ${fault}.`, { hint });
  return key;
}
