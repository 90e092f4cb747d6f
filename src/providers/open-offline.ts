import { HermesError } from '../base/index.ts';
import type { Settings } from '../config/index.ts';
import type { ModelRoute } from '../contracts/index.ts';
import { choosePrimary, type RouteFlags } from './choose-provider.ts';
import { openCloud } from './cloud/open-cloud.ts';
import { type Endpoint, toEndpoint } from './endpoint.ts';

/** A route that builds requests for inspection but cannot send them. */
export async function openOffline(settings: Settings, flags: RouteFlags): Promise<ModelRoute> {
  const primary = choosePrimary(settings, flags);
  if (primary === undefined) throw new HermesError('No model is configured.');
  const endpoint = toEndpoint(settings, primary);
  if (endpoint.command !== undefined)
    throw new HermesError(`${endpoint.provider} is a model command, which receives no HTTP requests.`);
  const { createModelClient, chooseApiMode } = await import('../llm/index.ts');
  const cloud = endpoint.cloud && (await openCloud(endpoint));
  const { provider, model, quirks, headers, extraBody, cacheTtl, cachingMode, contextLength } = endpoint;
  const baseUrl = cloud?.baseUrl ?? endpoint.baseUrl;
  const choice = { explicit: endpoint.explicitApiMode, provider: endpoint.providerApiMode, baseUrl };
  const apiMode = cloud?.apiMode ?? chooseApiMode(choice);
  const client = createModelClient({
    apiMode,
    format: cloud?.format,
    baseUrl,
    model,
    quirks,
    headers,
    extraBody,
    cacheTtl,
    cachingMode,
    contextLength,
    stallTimeoutMs: 1,
    transport: noTransport(endpoint),
  });
  return { provider, model, baseUrl, apiMode, contextLength, client, cacheTtl: client.cacheMarkers?.ttl };
}

function noTransport({ provider }: Endpoint) {
  const refuse = () => Promise.reject(new HermesError(`This route cannot send requests to ${provider}.`));
  return { send: refuse, close: () => undefined };
}
