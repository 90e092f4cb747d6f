import { ConfigurationError } from '../../base/index.ts';
import type { Settings } from '../../config/index.ts';
import { choosePrimary, listCatalogue, lookUpProvider } from '../../providers/index.ts';
import type { ModelWish } from './chosen-model.ts';

/**
 * What a person means by `NAME`, `PROVIDER/NAME`, `PROVIDER NAME` or `PROVIDER` alone. Names of models may have slashes
 * and begin like the name of a provider; then they are taken as the provider in use would have them.
 */
export async function readModelName(settings: Settings, words: readonly string[], current: string): Promise<ModelWish> {
  const [first = '', second, ...rest] = words;
  if (rest.length > 0) {
    throw new ConfigurationError('That is more than a provider and a model.', {
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
  throw new ConfigurationError(`Which provider has the model "${first}"?`, { hint: 'Use /model PROVIDER NAME.' });
}

/** The provider in use has models of this name, or with this beginning. */
async function hasNames(settings: Settings, current: string, name: string, isBeginning: boolean): Promise<boolean> {
  const provider = lookUpProvider(settings, current)?.id ?? current;
  const models = await listCatalogue({ provider, home: settings.home });
  return models.some(({ id }) => (isBeginning ? id.startsWith(`${name}/`) : id === name));
}
