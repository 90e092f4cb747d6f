import { createHash } from 'node:crypto';
import { ConfigurationError } from '../../base/index.ts';
import type { EnvironmentVariables, MemorySettings } from '../../config/index.ts';
import type { MemoryProvider, SessionReader } from '../../contracts/index.ts';
import { createSessionsProvider } from './sessions-provider.ts';

/** The dependencies of a memory provider. */
export type ProviderParts = {
  settings: MemorySettings;
  variables: EnvironmentVariables;
  sessions: SessionReader;
  /** Names a memory of its own: what is learned in one scope must not be recalled in another, or without a scope. */
  scope?: string | undefined;
};
export type MemoryProviderFactory = (parts: ProviderParts) => MemoryProvider | Promise<MemoryProvider>;
/** Factories by the name used in `memory.provider`. */
export type MemoryProviderFactories = Readonly<Record<string, MemoryProviderFactory>>;

const BUILT_IN: MemoryProviderFactories = {
  // Sessions do not say which scope they belong to.
  sessions: ({ sessions, scope }) => (scope === undefined ? createSessionsProvider({ sessions }) : NO_SESSIONS),
  async honcho({ settings, variables, scope }) {
    const { createHonchoProvider } = await import('../honcho/honcho-provider.ts');
    return createHonchoProvider({
      ...settings.honcho,
      ...(scope !== undefined && { userPeer: scopedName(settings.honcho.userPeer, scope) }),
      apiKey: variables['HONCHO_API_KEY']?.trim() || undefined,
      variables,
    });
  },
};

const NO_SESSIONS: MemoryProvider = { name: 'sessions', isAvailable: async () => true, recall: async () => [] };

const READABLE = 40;

/** The name of the user in a scope. Names have few characters, so a hash keeps similar scopes apart. */
function scopedName(name: string, scope: string): string {
  const readable = scope.replaceAll(/[^\w-]+/g, '-').slice(0, READABLE);
  return `${name}-${readable}-${createHash('sha256').update(scope).digest('hex').slice(0, 12)}`;
}

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
