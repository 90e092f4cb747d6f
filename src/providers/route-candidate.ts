import { type Clock, ConfigurationError, errorMessage } from '../base/index.ts';
import type { ModelChoice, Settings } from '../config/index.ts';
import type {
  ApiMode,
  BoundOptions,
  CacheTtlSetting,
  Credential,
  ModelRoute,
  RouteSource,
} from '../contracts/index.ts';
import { attachFacts, collectFacts } from './catalogue/index.ts';
import type { ChosenCommand } from './choose-command.ts';
import type { OpenPool } from './credentials/credential-pool.ts';
import type { FoundCredential } from './credentials/plan-credentials.ts';
import type { HttpTransport } from '../llm/index.ts';
import { type Endpoint, toEndpoint } from './endpoint.ts';

/** A choice that can be opened as a route, or the problem that prevents it. */
export type RouteCandidate =
  | { source: RouteSource; endpoint: Endpoint }
  | { source: RouteSource; problem: ConfigurationError };

/** A choice with a problem fails when it is opened, so that the next one is tried. */
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
  const { provider, model, baseUrl, facts } = endpoint;
  const connections = createConnections(endpoint);
  return {
    provider,
    model,
    baseUrl,
    findCacheTtl: () => findCacheTtl(endpoint),
    ...(facts && { findFacts: () => collectFacts(model, facts) }),
    open: (clock) => openRoute(endpoint, clock, connections),
  };
}

/** Timeout for the model list, which is requested only after a failed call, to suggest similar names. */
const LIST_TIMEOUT_MS = 3_000;
/** Timeout for the server to identify itself; after that, the route is opened anyway. */
const PROBE_TIMEOUT_MS = 1_500;

type Llm = typeof import('../llm/index.ts');

/**
 * Creates the client of an endpoint. Usually no request is sent, but a login may have to get its base URL, and Ollama
 * is asked for the context window.
 */
export async function openRoute(
  endpoint: Endpoint,
  clock?: Clock,
  connections = createConnections(endpoint),
): Promise<ModelRoute> {
  const { command, facts } = endpoint;
  const route =
    command === undefined
      ? await openHostRoute(endpoint, clock, connections)
      : await openCommandRoute(endpoint, command);
  return facts === undefined ? route : attachFacts(route, facts, endpoint);
}

type Connections = (llm: Llm) => HttpTransport;

/**
 * The connections of an endpoint, shared by the clients of all agents: a gateway opens an agent for each chat, and would
 * otherwise need a TLS handshake and keep an idle connection for each of them.
 */
function createConnections({ variables }: Endpoint): Connections {
  let transport: HttpTransport | undefined;
  return (llm) => (transport ??= llm.createHttpTransport(variables));
}

async function openHostRoute(
  endpoint: Endpoint,
  clock: Clock | undefined,
  connections: Connections,
): Promise<ModelRoute> {
  // Loaded on demand, because most commands never call a model.
  const llm = await import('../llm/index.ts');
  const { provider, model, stallTimeoutMs, quirks, headers, extraBody, variables, cacheTtl, cachingMode } = endpoint;
  const cloud = endpoint.cloud && (await (await import('./cloud/open-cloud.ts')).openCloud(endpoint, clock));
  const { credential, pool } = cloud ?? (await openCredential(endpoint.credential, clock));
  const baseUrl = cloud?.baseUrl ?? (await pool?.baseUrl()) ?? endpoint.baseUrl;
  const apiMode = cloud?.apiMode ?? (await findApiMode(llm, endpoint, baseUrl));
  const contextLength = endpoint.contextLength ?? (await probeServerWindow(llm, endpoint, apiMode));
  const bound = boundTo(endpoint, baseUrl);
  const way = { apiMode, format: cloud?.format, baseUrl, quirks, headers, bound, variables };
  const client = llm.createModelClient({
    ...way,
    model,
    credential: pool ?? credential,
    stallTimeoutMs,
    contextLength,
    cacheTtl,
    cachingMode,
    extraBody,
    transport: connections(llm),
  });
  const listModels = async () => {
    const current = pool ? await pool.peek(AbortSignal.timeout(LIST_TIMEOUT_MS)).catch(() => undefined) : credential;
    return llm.listModels({ ...way, credential: current, ...endpoint.modelListing, timeoutMs: LIST_TIMEOUT_MS });
  };
  const caching = client.cacheMarkers?.ttl;
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

/** Headers for a cloud are bound to the host that was found for it. */
function boundTo({ bound, cloud }: Endpoint, baseUrl: string): BoundOptions | undefined {
  return bound && cloud?.isOwn ? { ...bound, hosts: [new URL(baseUrl).host] } : bound;
}

type OpenCredential = { credential?: Credential; pool?: OpenPool };

/** A single key, the common case, needs no pool. */
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

/**
 * Ollama truncates a history that is longer than the requested window, so the model's own window is looked up first.
 */
async function probeServerWindow(
  llm: Llm,
  endpoint: Endpoint,
  apiMode: ModelRoute['apiMode'],
): Promise<number | undefined> {
  if (apiMode !== 'ollama_chat') return undefined;
  return llm.probeOllamaWindow({ ...endpoint, timeoutMs: PROBE_TIMEOUT_MS }, endpoint.model);
}

/** Creates the client of a model command. The command is not started yet. */
async function openCommandRoute(endpoint: Endpoint, command: ChosenCommand): Promise<ModelRoute> {
  // Loaded on demand, because model commands are rare.
  const [{ createAcpModelClient }, { childEnvironment }] = await Promise.all([
    import('../llm/acp/index.ts'),
    import('../environments/index.ts'),
  ]);
  const { provider, model, baseUrl, contextLength, stallTimeoutMs } = endpoint;
  const client = createAcpModelClient({
    baseUrl,
    // The provider's own name as the model means the default model of the command.
    model: model === provider ? undefined : model,
    command: command.program,
    args: command.arguments,
    // Like any child process it gets no keys; only its own variables are added back.
    env: { ...childEnvironment(process.env), ...command.variables },
    hints: command.hints,
    stallTimeoutMs,
  });
  const listModels = async () => client.models();
  return { provider, model, baseUrl, apiMode: 'acp', contextLength, client, listModels };
}

/** The lifetime of cache entries at an endpoint, without opening a route. */
async function findCacheTtl(endpoint: Endpoint): Promise<CacheTtlSetting | undefined> {
  if (endpoint.command !== undefined || !mayUseCacheMarkers(endpoint)) return undefined;
  const { cacheTtlOf, chooseApiMode } = await import('../llm/index.ts');
  const { baseUrl, explicitApiMode: explicit, providerApiMode: provider } = endpoint;
  const apiMode = endpoint.cloud?.login === 'aws' ? 'bedrock_converse' : chooseApiMode({ explicit, provider, baseUrl });
  return cacheTtlOf({ ...endpoint, apiMode });
}

/** Checks only the model name, so that the llm module need not be loaded for other models. */
function mayUseCacheMarkers({ model, cachingMode }: Endpoint): boolean {
  return cachingMode === 'on' || /claude|sonnet|opus|haiku|qwen/i.test(model);
}
