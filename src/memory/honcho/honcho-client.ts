import { HermesError, isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../base/index.ts';
import { type NetworkVariables, requestText } from '../../llm/index.ts';
import { redactSecrets, shorten } from '../../util/index.ts';

export type HonchoOptions = {
  baseUrl: string;
  workspace: string;
  /** Sent to the host of `baseUrl` and to no other; a server of one's own may want none. */
  apiKey?: string;
  variables?: NetworkVariables;
};

/** The few calls of Honcho's HTTP API (v3) that are needed here. Ids are letters, digits, `-` and `_`. */
export interface HonchoClient {
  createWorkspace(signal: AbortSignal): Promise<void>;
  createPeer(peer: string, signal: AbortSignal): Promise<void>;
  createSession(session: string, peers: JsonObject, signal: AbortSignal): Promise<void>;
  addMessages(session: string, messages: readonly HonchoMessage[], signal: AbortSignal): Promise<void>;
  /** What is known of a peer that has to do with a query. */
  context(peer: string, query: string, signal: AbortSignal): Promise<string | undefined>;
  /** The few lasting facts about a peer. */
  card(peer: string, signal: AbortSignal): Promise<string[]>;
  /** Has the service think about a question. */
  chat(peer: string, query: string, signal: AbortSignal): Promise<string | undefined>;
}

export type HonchoMessage = { peer_id: string; content: string };

const TIMEOUT_MS = 60_000;
const QUERY_CHARACTERS = 2_000;
const CONCLUSIONS = 10;

export function createHonchoClient({ baseUrl, workspace, apiKey, variables }: HonchoOptions): HonchoClient {
  const root = `${baseUrl.replace(/\/+$/, '').replace(/\/v\d+$/, '')}/v3/workspaces`;
  const { host } = new URL(root);
  const place = `${root}/${encodeURIComponent(workspace)}`;

  async function call(url: string, signal: AbortSignal, body?: JsonObject): Promise<JsonValue | undefined> {
    const { status, text } = await requestText({
      url,
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
      ...(apiKey === undefined ? {} : { credential: { secret: apiKey, hosts: [host] } }),
      timeoutMs: TIMEOUT_MS,
      signal,
      variables,
    });
    if (status >= 200 && status < 300) return parseJson(text);
    throw new HermesError(`Honcho at ${host} answered ${status}: ${redactSecrets(shorten(text, 200))}`, {
      hint: status === 401 || status === 403 ? 'Check HONCHO_API_KEY.' : 'Check memory.honcho.base_url.',
    });
  }
  const peerPath = (peer: string) => `${place}/peers/${encodeURIComponent(peer)}`;

  return {
    createWorkspace: async (signal) => void (await call(root, signal, { id: workspace })),
    createPeer: async (peer, signal) => void (await call(`${place}/peers`, signal, { id: peer })),
    createSession: async (session, peers, signal) =>
      void (await call(`${place}/sessions`, signal, { id: session, peers })),
    addMessages: async (session, messages, signal) =>
      void (await call(`${place}/sessions/${encodeURIComponent(session)}/messages`, signal, {
        messages: messages.map((message) => ({ ...message })),
      })),
    async context(peer, query, signal) {
      const search = new URLSearchParams({
        search_query: query.slice(0, QUERY_CHARACTERS).toWellFormed(),
        max_conclusions: String(CONCLUSIONS),
        include_most_frequent: 'false',
      });
      const answer = await call(`${peerPath(peer)}/context?${search.toString()}`, signal);
      return isJsonObject(answer) ? readRepresentation(answer['representation']) : undefined;
    },
    async card(peer, signal) {
      const answer = await call(`${peerPath(peer)}/card`, signal);
      const facts = isJsonObject(answer) ? answer['peer_card'] : undefined;
      return Array.isArray(facts) ? facts.filter((fact) => typeof fact === 'string') : [];
    },
    async chat(peer, query, signal) {
      const answer = await call(`${peerPath(peer)}/chat`, signal, { query, stream: false });
      const content = isJsonObject(answer) ? answer['content'] : undefined;
      return typeof content === 'string' && content.trim() !== '' ? content : undefined;
    },
  };
}

/** A text; older servers give lists of observations instead. */
function readRepresentation(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value.trim() || undefined;
  if (!isJsonObject(value)) return undefined;
  const lines = [value['explicit'], value['deductive']]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map((item) => (isJsonObject(item) ? (item['content'] ?? item['conclusion']) : item))
    .filter((line) => typeof line === 'string');
  return lines.length === 0 ? undefined : lines.join('\n');
}
