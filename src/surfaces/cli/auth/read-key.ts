import { ConfigurationError } from '../../../base/index.ts';
import { type CliIo, isTerminal } from '../cli-io.ts';
import { readInput } from '../read-input.ts';

const LONGEST_KEY = 16_384;

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
  if (/\s/.test(key)) throw new ConfigurationError('The key has a blank or a line break in it.', { hint });
  if (/^['"`]|['"`]$/.test(key)) throw new ConfigurationError('The key has quotes around it.', { hint });
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > LONGEST_KEY) {
    throw new ConfigurationError('That is no key: it has characters that no key has, or is too long.', { hint });
  }
  return key;
}
