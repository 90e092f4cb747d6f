import { HermesError } from '../base/index.ts';
import type { Settings } from '../config/index.ts';
import type { ModelRoute } from '../contracts/index.ts';
import { choosePrimary, type RouteFlags } from './choose-provider.ts';
import { type Endpoint, toEndpoint } from './endpoint.ts';

/** A route that writes requests and can send none: for whoever only wants to see them. */
export async function openOffline(settings: Settings, flags: RouteFlags): Promise<ModelRoute> {
  const primary = choosePrimary(settings, flags);
  if (primary === undefined) throw new HermesError('No model is configured.');
  const endpoint = toEndpoint(settings, primary);
  if (endpoint.command !== undefined) throw new HermesError(`${endpoint.provider} is a program and gets no requests.`);
  const { createModelClient, chooseApiMode, cacheTtlOf } = await import('../llm/index.ts');
  const { provider, model, baseUrl, quirks, headers, cacheTtl, contextLength } = endpoint;
  const apiMode = chooseApiMode({
    ...{ explicit: endpoint.explicitApiMode, provider: endpoint.providerApiMode, baseUrl },
  });
  const way = { apiMode, baseUrl, model, quirks, headers, cacheTtl, contextLength };
  const client = createModelClient({ ...way, stallTimeoutMs: 1, transport: noTransport(endpoint) });
  return { provider, model, baseUrl, apiMode, contextLength, client, cacheTtl: cacheTtlOf(way) };
}

function noTransport({ provider }: Endpoint) {
  const refuse = () => Promise.reject(new HermesError(`Nothing is sent to ${provider} here.`));
  return { send: refuse, close: () => undefined };
}
