import { type Clock, ConfigurationError, errorMessage } from '../base/index.ts';
import type { ModelChoice, Settings } from '../config/index.ts';
import type { ApiMode, CacheTtl, Credential, ModelRoute, RouteSource } from '../contracts/index.ts';
import { attachFacts } from './catalogue/index.ts';
import type { ChosenCommand } from './choose-command.ts';
import type { OpenPool } from './credentials/credential-pool.ts';
import type { FoundCredential } from './credentials/plan-credentials.ts';
import { type Endpoint, toEndpoint } from './endpoint.ts';

/** A choice on its way to becoming a route: it can be opened, or it is known why not. */
export type RouteCandidate =
  | { source: RouteSource; endpoint: Endpoint }
  | { source: RouteSource; problem: ConfigurationError };

/** A choice that cannot work fails when it is opened, so that the next one is tried. */
export function toCandidate(settings: Settings, choice: ModelChoice & { provider: string }): RouteCandidate {
  try {
    const endpoint = toEndpoint(settings, choice);
    return { endpoint, source: toSource(endpoint) };
  } catch (thrown) {
    const problem = thrown instanceof ConfigurationError ? thrown : new ConfigurationError(errorMessage(thrown));
    const { provider, model = 'unknown' } = choice;
    return { problem, source: { provider, model, open: () => Promise.reject(problem) } };
  }
}

function toSource(endpoint: Endpoint): RouteSource {
  const { provider, model, baseUrl } = endpoint;
  return {
    provider,
    model,
    baseUrl,
    findCacheTtl: () => findCacheTtl(endpoint),
    open: (clock) => openRoute(endpoint, clock),
  };
}

/** Only asked after a call has failed, to name what was perhaps meant. */
const LIST_TIMEOUT_MS = 3_000;
/** A server that takes longer to say who it is will be asked for answers all the same. */
const PROBE_TIMEOUT_MS = 1_500;

type Llm = typeof import('../llm/index.ts');

/**
 * Makes the client of an endpoint. Nothing is sent yet, except that a login may have to say which address it is for, and
 * Ollama how large its window is.
 */
export async function openRoute(endpoint: Endpoint, clock?: Clock): Promise<ModelRoute> {
  const { command, facts, credential } = endpoint;
  const route =
    command === undefined ? await openHostRoute(endpoint, clock) : await openCommandRoute(endpoint, command);
  return facts === undefined ? route : attachFacts(route, facts, credential);
}

async function openHostRoute(endpoint: Endpoint, clock: Clock | undefined): Promise<ModelRoute> {
  // Loaded here, because most commands never talk to a model.
  const llm = await import('../llm/index.ts');
  const { provider, model, stallTimeoutMs, quirks, headers, variables, cacheTtl } = endpoint;
  const { credential, pool } = await openCredential(endpoint.credential, clock);
  const baseUrl = (await pool?.baseUrl()) ?? endpoint.baseUrl;
  const apiMode = await findApiMode(llm, endpoint, baseUrl);
  const contextLength = endpoint.contextLength ?? (await serverWindow(llm, endpoint, apiMode));
  const way = { apiMode, baseUrl, quirks, headers, variables };
  const client = llm.createModelClient({
    ...way,
    model,
    credential: pool ?? credential,
    stallTimeoutMs,
    contextLength,
    cacheTtl,
  });
  const listModels = async () => {
    const current = pool ? await pool.peek(AbortSignal.timeout(LIST_TIMEOUT_MS)).catch(() => undefined) : credential;
    return llm.listModels({ ...way, credential: current, ...endpoint.modelListing, timeoutMs: LIST_TIMEOUT_MS });
  };
  const caching = llm.cacheTtlOf({ apiMode, model, quirks, cacheTtl });
  return {
    provider,
    model,
    baseUrl,
    apiMode,
    contextLength,
    client,
    listModels,
    cacheTtl: caching,
    credentials: pool,
  };
}

type OpenCredential = { credential?: Credential; pool?: OpenPool };

/** A single key needs nothing of a pool, and most people have one. */
async function openCredential(found: FoundCredential | undefined, clock: Clock | undefined): Promise<OpenCredential> {
  if (found?.plan === undefined) return { credential: found };
  const { openPool } = await import('./credentials/credential-pool.ts');
  return { pool: openPool(found.plan, { clock }) };
}

async function findApiMode(llm: Llm, endpoint: Endpoint, baseUrl: string): Promise<ApiMode> {
  const choice = { explicit: endpoint.explicitApiMode, provider: endpoint.providerApiMode, baseUrl };
  const isOllama = llm.mayBeOllama(choice) && (await llm.isOllama({ ...endpoint, timeoutMs: PROBE_TIMEOUT_MS }));
  return isOllama ? 'ollama_chat' : llm.chooseApiMode(choice);
}

/** Ollama truncates a history that is longer than the requested window, so the model's own window is looked up first. */
async function serverWindow(llm: Llm, endpoint: Endpoint, apiMode: ApiMode): Promise<number | undefined> {
  if (apiMode !== 'ollama_chat') return undefined;
  return llm.askOllamaWindow({ ...endpoint, timeoutMs: PROBE_TIMEOUT_MS }, endpoint.model);
}

/** Makes the client of a model that is behind a program. Nothing is started yet. */
async function openCommandRoute(endpoint: Endpoint, command: ChosenCommand): Promise<ModelRoute> {
  // Loaded here, because hardly anyone's model is a program.
  const [{ createAcpModelClient }, { childEnvironment }] = await Promise.all([
    import('../llm/acp/index.ts'),
    import('../environments/index.ts'),
  ]);
  const { provider, model, baseUrl, contextLength, stallTimeoutMs } = endpoint;
  const client = createAcpModelClient({
    baseUrl,
    // The provider's own name stands for whichever model the program uses by itself.
    model: model === provider ? undefined : model,
    command: command.program,
    args: command.arguments,
    // Like any other command it gets no keys; only what is its own is put back.
    env: { ...childEnvironment(process.env), ...command.variables },
    hints: command.hints,
    stallTimeoutMs,
  });
  const listModels = async () => client.models();
  return { provider, model, baseUrl, apiMode: 'acp', contextLength, client, listModels };
}

/** How long the provider of an endpoint will be asked to keep what it has read; nothing is opened for it. */
async function findCacheTtl(endpoint: Endpoint): Promise<CacheTtl | undefined> {
  if (endpoint.command !== undefined || !mayTakeMarks(endpoint)) return undefined;
  const { cacheTtlOf, chooseApiMode } = await import('../llm/index.ts');
  const { baseUrl, explicitApiMode: explicit, providerApiMode: provider } = endpoint;
  return cacheTtlOf({ ...endpoint, apiMode: chooseApiMode({ explicit, provider, baseUrl }) });
}

/** By the name alone, so that a start with any other model need not load what knows the rest. */
function mayTakeMarks({ model, quirks }: Endpoint): boolean {
  return model.toLowerCase().includes(quirks?.cacheMarks || 'claude');
}
