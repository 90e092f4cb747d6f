import type { ApiMode, ModelRoute } from '../contracts/index.ts';
import type { Endpoint } from './endpoint.ts';

/** Only asked after a call has failed, to name what was perhaps meant. */
const LIST_TIMEOUT_MS = 3_000;
/** A server that takes longer to say who it is will be asked for answers all the same. */
const PROBE_TIMEOUT_MS = 1_500;

type Llm = typeof import('../llm/index.ts');

/** Makes the client of an endpoint. Nothing is sent yet, except that Ollama is asked how large its window is. */
export async function openRoute(endpoint: Endpoint): Promise<ModelRoute> {
  // Loaded here, because most commands never talk to a model.
  const llm = await import('../llm/index.ts');
  const { provider, model, baseUrl, credential, stallTimeoutMs, quirks, variables } = endpoint;
  const apiMode = await findApiMode(llm, endpoint);
  const contextLength = apiMode === 'ollama_chat' ? await ollamaWindow(llm, endpoint) : endpoint.contextLength;
  const place = { apiMode, baseUrl, credential, quirks, variables };
  const client = llm.createModelClient({ ...place, model, stallTimeoutMs, contextLength });
  const list = () => llm.listModels({ ...place, timeoutMs: LIST_TIMEOUT_MS });
  return { provider, model, baseUrl, apiMode, contextLength, client, listModels: list };
}

async function findApiMode(llm: Llm, endpoint: Endpoint): Promise<ApiMode> {
  const { explicitApiMode: explicit, providerApiMode: provider, baseUrl } = endpoint;
  const choice = { explicit, provider, baseUrl };
  if (llm.mayBeOllama(choice) && (await llm.isOllama({ ...endpoint, timeoutMs: PROBE_TIMEOUT_MS })))
    return 'ollama_chat';
  return llm.chooseApiMode(choice);
}

/** What the person wrote, else what the server has, else what the name of the model tells. */
async function ollamaWindow(llm: Llm, endpoint: Endpoint): Promise<number | undefined> {
  if (endpoint.givenContextLength !== undefined) return endpoint.givenContextLength;
  const asked = await llm.askOllamaWindow({ ...endpoint, timeoutMs: PROBE_TIMEOUT_MS }, endpoint.model);
  return asked ?? endpoint.contextLength;
}
