import { ConfigurationError } from '../../../base/index.ts';
import { resolveHome } from '../../../config/index.ts';
import { type CliIo, isTerminal } from '../cli-io.ts';

/** `hermes model`: asks in a terminal. Ends with 1 where the person left. */
export async function pickModel(io: CliIo, signal: AbortSignal): Promise<number> {
  if (!isTerminal(io)) {
    throw new ConfigurationError('There is no terminal to ask in.', {
      hint: 'Use `hermes model set PROVIDER MODEL`, or `hermes model show`.',
    });
  }
  const { chooseInTerminal } = await import('./choose-in-terminal.ts');
  const options = { title: 'Choose a model', probe: false, test: false, signal };
  return (await chooseInTerminal(io, resolveHome(io.env), options)) === 'left' ? 1 : 0;
}
