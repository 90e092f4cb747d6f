import type { ModelRoute } from '../contracts/index.ts';
import type { Endpoint } from './endpoint.ts';

/** Makes the client of an endpoint. Nothing is sent yet. */
export async function openRoute(endpoint: Endpoint): Promise<ModelRoute> {
  // Loaded here, because most commands never talk to a model.
  const { chooseApiMode, createModelClient } = await import('../llm/index.ts');
  const { provider, model, baseUrl, credential, contextLength, stallTimeoutMs, quirks } = endpoint;
  const apiMode = chooseApiMode({ explicit: endpoint.explicitApiMode, provider: endpoint.providerApiMode, baseUrl });
  const client = createModelClient({ apiMode, baseUrl, model, credential, stallTimeoutMs, quirks });
  return { provider, model, baseUrl, apiMode, contextLength, client };
}
