import { ConfigurationError } from '../../../base/index.ts';
import { homePaths, loadSettings, resolveHome, type Settings } from '../../../config/index.ts';
import { findProvider, PROVIDERS, type ProviderRow } from '../../../providers/index.ts';
import type { SetupOptions } from '../chat-options.ts';
import { type CliIo, isTerminal } from '../cli-io.ts';
import { showable } from '../style.ts';
import { type ReadAddress, readTypedAddress } from './read-address.ts';
import { saveChoice } from './save-choice.ts';

/** `hermes setup`: asks in a terminal, takes its options everywhere. */
export async function setup(options: SetupOptions, io: CliIo): Promise<number> {
  const home = resolveHome(io.env);
  // A configuration that cannot be read is reported before anything is asked.
  const settings = await loadSettings({ home, env: io.env });
  if (options.provider === undefined && isTerminal(io)) {
    const { askForSetup } = await import('./ask-for-setup.ts');
    return (await askForSetup(io, home)) ? 0 : 1;
  }
  const { warning, ...choice } = fromOptions(options, settings);
  await saveChoice(home, choice);
  if (warning !== undefined) io.stderr.write(`hermes: ${showable(warning)}\n`);
  io.stdout.write(`Saved ${choice.provider.name} with ${choice.model} in ${homePaths(home).configFile}.\n`);
  return 0;
}

function fromOptions(options: SetupOptions, settings: Settings) {
  const provider = namedProvider(options.provider, settings);
  const model = options.model ?? provider.defaultModel;
  if (model === undefined) {
    throw new ConfigurationError(`Which model of ${provider.name}?`, { hint: 'Add --model NAME.' });
  }
  const { baseUrl, warning } = addressFor(provider, options.baseUrl);
  if (options.apiKeyEnv !== undefined && !/^[A-Za-z_]\w*$/.test(options.apiKeyEnv)) {
    throw new ConfigurationError('--api-key-env takes the name of a variable, not a key.', {
      hint: 'For example --api-key-env OPENROUTER_API_KEY.',
    });
  }
  return { provider, model, baseUrl, keyVariable: options.apiKeyEnv, warning };
}

/** The address to save; a known provider needs none, and neither does a program. */
function addressFor(provider: ProviderRow, typed: string | undefined): ReadAddress {
  if (typed === undefined && provider.baseUrl !== undefined) return { baseUrl: provider.baseUrl };
  if (typed === undefined) {
    throw new ConfigurationError(`The address of ${provider.name} is missing.`, {
      hint: 'Add --base-url, for example --base-url http://127.0.0.1:8080/v1.',
    });
  }
  const read = readTypedAddress(typed);
  if ('problem' in read) throw new ConfigurationError(`--base-url must be ${read.problem}.`, { hint: read.hint });
  return read;
}

function namedProvider(name: string | undefined, settings: Settings): ProviderRow {
  if (name !== undefined) return findProvider(settings, name);
  const ids = PROVIDERS.map((row) => row.id).join(', ');
  throw new ConfigurationError('There is no terminal to ask in.', {
    hint: `Use options: hermes setup --provider NAME --model NAME (providers: ${ids}).`,
  });
}
