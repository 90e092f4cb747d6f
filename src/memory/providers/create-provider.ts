import { ConfigurationError } from '../../base/index.ts';
import type { EnvironmentVariables, MemorySettings } from '../../config/index.ts';
import type { MemoryProvider, SessionReader } from '../../contracts/index.ts';
import { createSessionsProvider } from './sessions-provider.ts';

/** What a provider may be made of. */
export type ProviderParts = { settings: MemorySettings; variables: EnvironmentVariables; sessions: SessionReader };
export type MemoryProviderFactory = (parts: ProviderParts) => MemoryProvider | Promise<MemoryProvider>;
/** By the name that `memory.provider` chooses them with. */
export type MemoryProviderFactories = Readonly<Record<string, MemoryProviderFactory>>;

const BUILT_IN: MemoryProviderFactories = {
  sessions: ({ sessions }) => createSessionsProvider({ sessions }),
  async honcho({ settings, variables }) {
    const { createHonchoProvider } = await import('../honcho/honcho-provider.ts');
    return createHonchoProvider({
      ...settings.honcho,
      apiKey: variables['HONCHO_API_KEY']?.trim() || undefined,
      variables,
    });
  },
};

/** The provider with this name; `others` are those that plugins bring. */
export async function createMemoryProvider(
  name: string,
  parts: ProviderParts,
  others: MemoryProviderFactories = {},
): Promise<MemoryProvider> {
  const factories = { ...others, ...BUILT_IN };
  const create = Object.hasOwn(factories, name) ? factories[name] : undefined;
  if (create !== undefined) return create(parts);
  throw new ConfigurationError(`There is no memory provider "${name}" (memory.provider).`, {
    hint: `There is ${Object.keys(factories).join(', ')}; leave it empty for none.`,
  });
}
