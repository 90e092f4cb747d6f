import type { Settings } from '../../config/index.ts';
import {
  type CatalogueModel,
  choosePrimary,
  findKey,
  type KnownProvider,
  listCatalogue,
  lookUpProvider,
  PROVIDERS,
} from '../../providers/index.ts';
import { listChoices } from './list-choices.ts';
import { selectModel } from './selected-model.ts';

export type ConnectedModel = CatalogueModel & { provider: Pick<KnownProvider, 'id' | 'name'> };

/**
 * The models of all providers that can be used now: the current ones, the configured endpoints, and those with a key
 * or a login. `offline` uses only the catalogue, which answers immediately.
 */
export async function listConnected(
  settings: Settings,
  current: readonly string[],
  { offline }: { offline: boolean },
): Promise<ConnectedModel[]> {
  const providers = findConnected(settings, current);
  const lists = await Promise.all(
    providers.map(async (provider) => {
      const models = await listModels(settings, provider, offline).catch(() => []);
      return models.map((model) => ({ ...model, provider }));
    }),
  );
  return lists.flat();
}

function listModels(settings: Settings, provider: KnownProvider, offline: boolean): Promise<CatalogueModel[]> {
  if (!offline) return listChoices(settings, withAnyModel(settings, provider.id));
  return listCatalogue({ provider: provider.id, home: settings.home, overrides: settings.modelOverrides });
}

function findConnected(settings: Settings, current: readonly string[]): KnownProvider[] {
  const named = [
    ...current,
    choosePrimary(settings, {})?.provider ?? '',
    ...settings.fallbacks.map(({ provider }) => provider ?? ''),
    ...settings.customProviders.map(({ name }) => name),
  ];
  const withKey = PROVIDERS.map(({ id }) => id).filter((id) => hasKey(settings, id));
  const all = [...named, ...withKey].map((name) => lookUpProvider(settings, name));
  const byId = new Map(all.flatMap((provider) => (provider === undefined ? [] : [[provider.id, provider] as const])));
  return [...byId.values()];
}

function hasKey(settings: Settings, id: string): boolean {
  try {
    const { provider, choice } = withAnyModel(settings, id);
    const baseUrl = choice.baseUrl ?? provider.baseUrl;
    return baseUrl !== undefined && findKey(settings, provider, choice, baseUrl) !== undefined;
  } catch {
    // An invalid key or address is reported when the provider is used.
    return false;
  }
}

/** A choice of the provider for requests that need no model. */
function withAnyModel(settings: Settings, provider: string) {
  return selectModel(settings, { provider, model: '?' });
}
