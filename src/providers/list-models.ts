import { isJsonObject } from '../base/index.ts';
import type { Credential } from '../contracts/index.ts';
import { hostOf } from './find-provider.ts';
import { PROVIDERS, type ProviderRow } from './provider-table.ts';

export type ListModelsOptions = { baseUrl: string; credential?: Credential; timeoutMs: number };

/** A server found on this machine, with the models it offers. */
export type LocalServer = { provider: ProviderRow & { baseUrl: string }; models: string[] };

const PROBE_TIMEOUT_MS = 300;
const MODELS_SHOWN = 500;

/**
 * The models an endpoint says it has; undefined where it cannot be asked. The built-in fetch is good enough here: it
 * never carries a conversation, and only set-up and a failed call come here.
 */
export async function listModels(options: ListModelsOptions): Promise<string[] | undefined> {
  try {
    const response = await fetch(`${options.baseUrl.replace(/\/+$/, '')}/models`, {
      headers: authorization(options),
      // A redirect could carry the key to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(options.timeoutMs),
    });
    if (!response.ok) return undefined;
    return readNames(await response.json());
  } catch {
    return undefined;
  }
}

/** Looks for model servers on this machine. Only ever called during set-up. */
export async function findLocalServers(rows: readonly ProviderRow[] = PROVIDERS): Promise<LocalServer[]> {
  const local = rows.filter((row): row is LocalServer['provider'] => row.local === true && row.baseUrl !== undefined);
  const found = await Promise.all(
    local.map(async (provider) => {
      const models = await listModels({ baseUrl: provider.baseUrl, timeoutMs: PROBE_TIMEOUT_MS });
      return models && models.length > 0 ? [{ provider, models }] : [];
    }),
  );
  return found.flat();
}

function authorization(options: ListModelsOptions): Record<string, string> {
  const { credential } = options;
  if (credential === undefined || !credential.hosts.includes(hostOf(options.baseUrl) ?? '')) return {};
  // Anthropic's list wants its own headers, everyone else a bearer token.
  if (hostOf(options.baseUrl) === 'api.anthropic.com') {
    return { 'x-api-key': credential.secret, 'anthropic-version': '2023-06-01' };
  }
  return { authorization: `Bearer ${credential.secret}` };
}

function readNames(answer: unknown): string[] | undefined {
  if (!isJsonObject(answer) || !Array.isArray(answer['data'])) return undefined;
  const names = answer['data'].flatMap((entry) =>
    isJsonObject(entry) && typeof entry['id'] === 'string' ? [entry['id']] : [],
  );
  return names.slice(0, MODELS_SHOWN);
}
