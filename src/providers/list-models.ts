import type { EnvironmentVariables } from '../config/index.ts';
import type { ApiMode, Credential } from '../contracts/index.ts';
import type { ModelQuirks } from '../llm/index.ts';
import { nearestNames } from '../util/index.ts';
import type { ModelListing, ProviderRow } from './provider-row.ts';
import { PROVIDERS } from './provider-table.ts';

export type ListModelsOptions = {
  baseUrl: string;
  /** The API mode of the provider; by default it is derived from the URL. */
  apiMode?: ApiMode;
  quirks?: ModelQuirks;
  headers?: Readonly<Record<string, string>>;
  /** Where the list is and which entries are used, from the provider row. */
  modelListing?: ModelListing;
  credential?: Credential;
  /** The environment variables for proxies and certificates. */
  variables?: EnvironmentVariables;
  timeoutMs: number;
};

/** A model server found on this machine, with its models. */
export type LocalServer = { provider: ProviderRow & { baseUrl: string }; models: string[] };

const PROBE_TIMEOUT_MS = 300;

/** The models that an endpoint lists; undefined if it does not respond. */
export async function listModels(options: ListModelsOptions): Promise<string[] | undefined> {
  // Loaded on demand, because only setup and failed calls need it.
  const llm = await import('../llm/index.ts');
  const apiMode = llm.chooseApiMode({ explicit: options.apiMode, baseUrl: options.baseUrl });
  return llm.listModels({ ...options, ...options.modelListing, apiMode });
}

/** Searches for model servers on this machine. Called only during setup. */
export async function findLocalServers(
  rows: readonly ProviderRow[] = PROVIDERS,
  timeoutMs: number = PROBE_TIMEOUT_MS,
): Promise<LocalServer[]> {
  const local = rows.filter((row): row is LocalServer['provider'] => row.local === true && row.baseUrl !== undefined);
  const found = await Promise.all(
    local.map(async (provider) => {
      const { baseUrl, apiMode } = provider;
      const models = await listModels({ baseUrl, apiMode, timeoutMs });
      return models && models.length > 0 ? [{ provider, models }] : [];
    }),
  );
  return found.flat();
}

const NAMES = 3;

/** Similar names: a few letters different, or containing what was typed. */
export function similarModels(typed: string, names: readonly string[]): string[] {
  const wanted = typed.toLowerCase();
  const parts = names.filter((name) => name.toLowerCase().includes(wanted));
  return [...new Set([...nearestNames(typed, names, NAMES), ...parts])].slice(0, NAMES);
}

/** Ignores case and suffixes such as `:free` and `:latest`. */
export function isListed(model: string, names: readonly string[]): boolean {
  const wanted = model.toLowerCase();
  const bare = wanted.replace(/:[\w-]+$/, '');
  return names.some((name) => [wanted, bare, `${wanted}:latest`].includes(name.toLowerCase()));
}
