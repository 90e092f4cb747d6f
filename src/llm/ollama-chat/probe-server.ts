import { type JsonObject, parseJson } from '../../base/index.ts';
import type { BoundOptions, Credential } from '../../contracts/index.ts';
import { endpointUrl, commonHeaders } from '../endpoint-url.ts';
import { asNumber, asObject, asString, asText } from '../json-access.ts';
import { getText } from '../request-text.ts';
import type { NetworkVariables } from '../transport/http-types.ts';
import { ollamaChat } from './index.ts';

export type OllamaServer = {
  baseUrl: string;
  credential?: Credential;
  bound?: BoundOptions;
  variables?: NetworkVariables;
  timeoutMs: number;
};

/** Size limit for a response. It is large, because the description of a model may contain its whole licence. */
const MAX_ANSWER_SIZE = 8 * 1024 * 1024;

/** Whether the server is Ollama. Other servers may use Ollama's port, but none implements Ollama's own API. */
export async function isOllama(server: OllamaServer): Promise<boolean> {
  return asText((await ask(server, 'GET', '/api/version', ''))?.version) !== undefined;
}

/** The context window on this server: the configured one, else the one that the model was trained with. */
export async function probeOllamaWindow(server: OllamaServer, model: string): Promise<number | undefined> {
  const facts = await ask(server, 'POST', '/api/show', JSON.stringify({ model }));
  if (facts === undefined) return undefined;
  const set = Number(/^num_ctx\s+(\d+)/m.exec(asString(facts.parameters) ?? '')?.[1]);
  if (set > 0) return set;
  const details = Object.entries(asObject(facts.model_info) ?? {});
  const trained = details.find(([name]) => name.endsWith('.context_length'))?.[1];
  return asNumber(trained);
}

/**
 * Sends a request. Returns undefined if the server does not respond or returns something else, because the call
 * itself will report the problem.
 */
async function ask(
  server: OllamaServer,
  method: 'GET' | 'POST',
  path: string,
  body: string,
): Promise<JsonObject | undefined> {
  const { credential, bound, variables, timeoutMs } = server;
  const answer = await getText({
    method,
    url: endpointUrl(server.baseUrl, ollamaChat, path).url,
    headers: { 'content-type': 'application/json', ...commonHeaders(ollamaChat, 'application/json') },
    body,
    credential,
    bound,
    variables,
    timeoutMs,
    maxBytes: MAX_ANSWER_SIZE,
    authHeader: ollamaChat.authHeader,
  });
  return answer?.status === 200 ? asObject(parseJson(answer.text)) : undefined;
}
