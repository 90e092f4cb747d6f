import { ConfigurationError } from '../../../base/index.ts';
import { loadSettings, resolveHome } from '../../../config/index.ts';
import { DEFAULT_CHAT_OPTIONS, type SetupOptions } from '../chat-options.ts';
import { type CliIo, isTerminal } from '../cli-io.ts';
import type { CliRun } from '../cli-run.ts';
import { setModel } from '../model/model.ts';

/**
 * `hermes setup`: asks in a terminal, makes a test call and offers to start a chat. With --provider it works like
 * `hermes model set`.
 */
export async function setup(options: SetupOptions, io: CliIo, signal: AbortSignal, run: CliRun): Promise<number> {
  const { provider } = options;
  if (provider !== undefined) return setModel({ ...options, provider }, io);
  const home = resolveHome(io.env);
  // An invalid configuration is reported before anything is asked.
  await loadSettings({ home, env: io.env });
  if (!isTerminal(io)) throw noTerminal();
  const { chooseInTerminal } = await import('../model/choose-in-terminal.ts');
  const dialog = { title: 'Connect a model', probe: true, test: true, offersChat: true, offersSandbox: true, signal };
  const end = await chooseInTerminal(io, home, dialog);
  if (end !== 'chat') return end === 'saved' ? 0 : 1;
  const { chat } = await import('../chat.ts');
  return chat(DEFAULT_CHAT_OPTIONS, run);
}

function noTerminal(): ConfigurationError {
  return new ConfigurationError('`hermes setup` needs a terminal to ask in.', {
    hint: 'Use `hermes setup --provider PROVIDER --model MODEL`; see `hermes setup --help` for examples.',
  });
}
