import type { ModelRoute } from '../contracts/index.ts';
import type { Endpoint } from './endpoint.ts';

/** Only asked after a call has failed, to name what was perhaps meant. */
const LIST_TIMEOUT_MS = 3_000;

/** Makes the client of an endpoint. Nothing is sent yet. */
export async function openRoute(endpoint: Endpoint): Promise<ModelRoute> {
  // Loaded here, because most commands never talk to a model.
  const { chooseApiMode, createModelClient, listModels } = await import('../llm/index.ts');
  const { provider, model, baseUrl, credential, contextLength, stallTimeoutMs, quirks, variables } = endpoint;
  const apiMode = chooseApiMode({ explicit: endpoint.explicitApiMode, provider: endpoint.providerApiMode, baseUrl });
  const client = createModelClient({ apiMode, baseUrl, model, credential, stallTimeoutMs, quirks, variables });
  const list = () => listModels({ apiMode, baseUrl, credential, quirks, variables, timeoutMs: LIST_TIMEOUT_MS });
  return { provider, model, baseUrl, apiMode, contextLength, client, listModels: list };
}
