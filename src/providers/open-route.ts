import type { Credential, ModelRoute } from '../contracts/index.ts';
import { attachFacts } from './catalogue/index.ts';
import type { FoundCredential } from './credentials/credential-plan.ts';
import type { OpenPool } from './credentials/credential-pool.ts';
import type { Endpoint } from './endpoint.ts';
import { openCommandRoute } from './open-command-route.ts';

/** Only asked after a call has failed, to name what was perhaps meant. */
const LIST_TIMEOUT_MS = 3_000;

/** Makes the client of an endpoint. Nothing is sent yet, unless a login has to say first which address it is for. */
export async function openRoute(endpoint: Endpoint): Promise<ModelRoute> {
  const { command, facts, credential } = endpoint;
  const route = command === undefined ? await openHostRoute(endpoint) : await openCommandRoute(endpoint, command);
  return facts === undefined ? route : attachFacts(route, facts, credential);
}

async function openHostRoute(endpoint: Endpoint): Promise<ModelRoute> {
  // Loaded here, because most commands never talk to a model.
  const { chooseApiMode, createModelClient, listModels } = await import('../llm/index.ts');
  const { provider, model, contextLength, stallTimeoutMs, quirks, headers } = endpoint;
  const { credential, pool } = await openCredential(endpoint.credential);
  const baseUrl = (await pool?.baseUrl()) ?? endpoint.baseUrl;
  const apiMode = chooseApiMode({ explicit: endpoint.explicitApiMode, provider: endpoint.providerApiMode, baseUrl });
  const way = { apiMode, baseUrl, quirks, headers };
  const client = createModelClient({ ...way, model, credential: pool ?? credential, stallTimeoutMs });
  const list = async () => {
    const current = pool ? await pool.peek(AbortSignal.timeout(LIST_TIMEOUT_MS)).catch(() => undefined) : credential;
    return listModels({ ...way, credential: current, ...endpoint.modelListing, timeoutMs: LIST_TIMEOUT_MS });
  };
  return { provider, model, baseUrl, apiMode, contextLength, client, credentials: pool, listModels: list };
}

type OpenCredential = { credential?: Credential; pool?: OpenPool };

/** A single key needs nothing of a pool, and most people have one. */
async function openCredential(found: FoundCredential | undefined): Promise<OpenCredential> {
  if (found?.plan === undefined) return { credential: found };
  const { openPool } = await import('./credentials/credential-pool.ts');
  return { pool: openPool(found.plan) };
}
