import { ConfigurationError } from '../../base/index.ts';
import type { Settings } from '../../config/index.ts';
import { choosePrimary, listCatalogue, lookUpProvider } from '../../providers/index.ts';
import type { RequestedModel } from './selected-model.ts';

/**
 * Parses `NAME`, `PROVIDER/NAME`, `PROVIDER NAME` or `PROVIDER`. Model names may contain slashes and start with the
 * name of a provider; in doubt, they are names at the current provider.
 */
export async function parseModelName(
  settings: Settings,
  words: readonly string[],
  current: string,
): Promise<RequestedModel> {
  const [first = '', second, ...rest] = words;
  if (rest.length > 0) {
    throw new ConfigurationError('Too many words: expected a provider and a model.', {
      hint: 'Use /model NAME or /model PROVIDER NAME.',
    });
  }
  if (second !== undefined) return { provider: first, model: second };
  const provider = lookUpProvider(settings, current) ? current : choosePrimary(settings, {})?.provider;
  const [beginning = '', ...others] = first.split('/');
  const named = lookUpProvider(settings, beginning);
  const isOwn = provider !== undefined && (await hasNames(settings, provider, beginning, others.length > 0));
  if (named !== undefined && !isOwn) return { provider: named.id, model: others.join('/') || undefined };
  if (provider !== undefined) return { provider, model: first };
  throw new ConfigurationError(`The provider of the model "${first}" is not known.`, {
    hint: 'Use /model PROVIDER NAME.',
  });
}

/** Whether the current provider has a model with this name or prefix. */
async function hasNames(settings: Settings, current: string, name: string, isBeginning: boolean): Promise<boolean> {
  const provider = lookUpProvider(settings, current)?.id ?? current;
  const models = await listCatalogue({ provider, home: settings.home });
  return models.some(({ id }) => (isBeginning ? id.startsWith(`${name}/`) : id === name));
}
