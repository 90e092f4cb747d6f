import type { EnvironmentVariables } from '../config/index.ts';
import type { ApiMode, Credential } from '../contracts/index.ts';
import type { ModelQuirks } from '../llm/index.ts';
import { nearestNames } from '../util/index.ts';
import type { ModelListing, ProviderRow } from './provider-row.ts';
import { PROVIDERS } from './provider-table.ts';

export type ListModelsOptions = {
  baseUrl: string;
  /** What the provider speaks; without it the address decides. */
  apiMode?: ApiMode;
  quirks?: ModelQuirks;
  headers?: Readonly<Record<string, string>>;
  /** Where the list is and which of its entries are offered, as the provider's row says. */
  modelListing?: ModelListing;
  credential?: Credential;
  /** The environment: proxies and certificates come from here. */
  variables?: EnvironmentVariables;
  timeoutMs: number;
};

/** A server found on this machine, with the models it offers. */
export type LocalServer = { provider: ProviderRow & { baseUrl: string }; models: string[] };

const PROBE_TIMEOUT_MS = 300;

/** The models an endpoint says it has; undefined where it cannot be asked. */
export async function listModels(options: ListModelsOptions): Promise<string[] | undefined> {
  // Loaded here, because only set-up and a failed call come here.
  const llm = await import('../llm/index.ts');
  const apiMode = llm.chooseApiMode({ explicit: options.apiMode, baseUrl: options.baseUrl });
  return llm.listModels({ ...options, ...options.modelListing, apiMode });
}

/** Looks for model servers on this machine. Only ever called during set-up. */
export async function findLocalServers(rows: readonly ProviderRow[] = PROVIDERS): Promise<LocalServer[]> {
  const local = rows.filter((row): row is LocalServer['provider'] => row.local === true && row.baseUrl !== undefined);
  const found = await Promise.all(
    local.map(async (provider) => {
      const { baseUrl, apiMode } = provider;
      const models = await listModels({ baseUrl, apiMode, timeoutMs: PROBE_TIMEOUT_MS });
      return models && models.length > 0 ? [{ provider, models }] : [];
    }),
  );
  return found.flat();
}

const NAMES = 3;

/** Names that were perhaps meant: a few letters away, or with what was typed as a part of them. */
export function nearModels(typed: string, names: readonly string[]): string[] {
  const wanted = typed.toLowerCase();
  const parts = names.filter((name) => name.toLowerCase().includes(wanted));
  return [...new Set([...nearestNames(typed, names, NAMES), ...parts])].slice(0, NAMES);
}

/** In capitals or not, and without what some providers let one put behind a name: `:free`, `:latest`. */
export function isListed(model: string, names: readonly string[]): boolean {
  const wanted = model.toLowerCase();
  const bare = wanted.replace(/:[\w-]+$/, '');
  return names.some((name) => [wanted, bare, `${wanted}:latest`].includes(name.toLowerCase()));
}
