import { ConfigurationError } from '../../base/index.ts';
import type { EnvironmentVariables, MemorySettings } from '../../config/index.ts';
import type { MemoryProvider, SessionReader } from '../../contracts/index.ts';
import { createSessionsProvider } from './sessions-provider.ts';

/** The dependencies of a memory provider. */
export type ProviderParts = { settings: MemorySettings; variables: EnvironmentVariables; sessions: SessionReader };
export type MemoryProviderFactory = (parts: ProviderParts) => MemoryProvider | Promise<MemoryProvider>;
/** Factories by the name used in `memory.provider`. */
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

/** Creates the provider with this name; `others` come from plugins. */
export async function createMemoryProvider(
  name: string,
  parts: ProviderParts,
  others: MemoryProviderFactories = {},
): Promise<MemoryProvider> {
  const factories = { ...others, ...BUILT_IN };
  const create = Object.hasOwn(factories, name) ? factories[name] : undefined;
  if (create !== undefined) return create(parts);
  throw new ConfigurationError(`Memory provider "${name}" (memory.provider) is not known.`, {
    hint: `Known providers: ${Object.keys(factories).join(', ')}. Leave it empty for none.`,
  });
}
