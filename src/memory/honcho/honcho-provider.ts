import { HermesError, isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../base/index.ts';
import type { MemoryProvider, MemoryProviderTool } from '../../contracts/index.ts';
import { type NetworkVariables, requestText } from '../../llm/index.ts';
import { redactSecrets, shorten, takeStart } from '../../util/index.ts';

const TIMEOUT_MS = 60_000;
const QUERY_CHARACTERS = 2_000;
const CONCLUSIONS = 10;

export type HonchoProviderOptions = HonchoOptions & { userPeer: string; agentPeer: string };

const OFFICIAL_HOST = 'api.honcho.dev';
/** The maximum that the service accepts. */
const MESSAGE_CHARACTERS = 24_000;

/** Honcho: learns about the user from conversations, and recalls what is relevant to a message. */
export function createHonchoProvider(options: HonchoProviderOptions): MemoryProvider {
  const { userPeer, agentPeer, baseUrl, apiKey } = options;
  const client = createHonchoClient(options);
  const ensureSession = createSessionSetup(client, options);
  return {
    name: 'honcho',
    async isAvailable() {
      if (apiKey !== undefined || new URL(baseUrl).host !== OFFICIAL_HOST) return true;
      return { reason: 'HONCHO_API_KEY is not set; get a key from app.honcho.dev, or set memory.honcho.base_url' };
    },
    async staticBlock(signal) {
      const facts = await client.card(userPeer, signal);
      if (facts.length === 0) return undefined;
      return `## What Honcho knows about the user\n${facts.map((fact) => `- ${fact}`).join('\n')}`;
    },
    async recall({ text }, signal) {
      const known = await client.context(userPeer, text, signal);
      return known === undefined ? [] : [known];
    },
    async learnTurn({ sessionId, userMessage, answer, completed }, signal) {
      if (!completed || userMessage.trim() === '') return;
      await ensureSession(sessionId, signal);
      const said = [
        { peer_id: userPeer, content: fitForService(userMessage) },
        { peer_id: agentPeer, content: fitForService(answer) },
      ];
      await client.addMessages(
        sessionId,
        said.filter(({ content }) => content !== ''),
        signal,
      );
    },
    tools: () => [askTool(client, userPeer)],
  };
}

/** Creates the workspace, peers and session once; failures are retried with the next turn. */
function createSessionSetup(client: HonchoClient, { userPeer, agentPeer }: HonchoProviderOptions) {
  const sessions = new Set<string>();
  let hasPeers = false;
  return async (sessionId: string, signal: AbortSignal): Promise<void> => {
    if (!hasPeers) {
      await client.createWorkspace(signal);
      for (const peer of [userPeer, agentPeer]) await client.createPeer(peer, signal);
      hasPeers = true;
    }
    if (sessions.has(sessionId)) return;
    // Honcho should learn about the user, not about the agent.
    const peers = {
      [userPeer]: { observe_me: true, observe_others: false },
      [agentPeer]: { observe_me: false, observe_others: false },
    };
    await client.createSession(sessionId, peers, signal);
    sessions.add(sessionId);
  };
}

/** Secrets are redacted before text is sent to the service. */
function fitForService(text: string): string {
  return takeStart(redactSecrets(text.toWellFormed()), MESSAGE_CHARACTERS).trim();
}

function askTool(client: HonchoClient, userPeer: string): MemoryProviderTool {
  return {
    name: 'honcho_ask',
    description:
      'Ask Honcho, an external memory service, what it has learned about the user over all sessions. Use it only if the answer matters, because it is slow.',
    parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    readOnly: true,
    async run({ query }, { signal }) {
      const answer = typeof query === 'string' ? await client.chat(userPeer, query, signal) : undefined;
      return answer ?? 'Honcho knows nothing about that.';
    },
  };
}

type HonchoOptions = {
  baseUrl: string;
  workspace: string;
  /** Sent only to the host of `baseUrl`; a self-hosted server may need none. */
  apiKey?: string;
  variables?: NetworkVariables;
};

/** The calls of Honcho's HTTP API (v3) that are used here. Ids consist of letters, digits, `-` and `_`. */
interface HonchoClient {
  createWorkspace(signal: AbortSignal): Promise<void>;
  createPeer(peer: string, signal: AbortSignal): Promise<void>;
  createSession(session: string, peers: JsonObject, signal: AbortSignal): Promise<void>;
  addMessages(session: string, messages: readonly HonchoMessage[], signal: AbortSignal): Promise<void>;
  /** What is known about a peer in relation to a query. */
  context(peer: string, query: string, signal: AbortSignal): Promise<string | undefined>;
  /** The few lasting facts about a peer. */
  card(peer: string, signal: AbortSignal): Promise<string[]>;
  /** Asks the service a question about a peer. */
  chat(peer: string, query: string, signal: AbortSignal): Promise<string | undefined>;
}

type HonchoMessage = { peer_id: string; content: string };

function createHonchoClient({ baseUrl, workspace, apiKey, variables }: HonchoOptions): HonchoClient {
  const root = `${baseUrl.replace(/\/+$/, '').replace(/\/v\d+$/, '')}/v3/workspaces`;
  const { host } = new URL(root);
  const workspaceUrl = `${root}/${encodeURIComponent(workspace)}`;

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
    throw new HermesError(`Honcho at ${host} returned HTTP ${status}: ${redactSecrets(shorten(text, 200))}`, {
      hint: status === 401 || status === 403 ? 'Check HONCHO_API_KEY.' : 'Check memory.honcho.base_url.',
    });
  }
  const peerPath = (peer: string) => `${workspaceUrl}/peers/${encodeURIComponent(peer)}`;

  return {
    createWorkspace: async (signal) => void (await call(root, signal, { id: workspace })),
    createPeer: async (peer, signal) => void (await call(`${workspaceUrl}/peers`, signal, { id: peer })),
    createSession: async (session, peers, signal) =>
      void (await call(`${workspaceUrl}/sessions`, signal, { id: session, peers })),
    addMessages: async (session, messages, signal) =>
      void (await call(`${workspaceUrl}/sessions/${encodeURIComponent(session)}/messages`, signal, {
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

/** The representation as text; older servers return lists of observations. */
function readRepresentation(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value.trim() || undefined;
  if (!isJsonObject(value)) return undefined;
  const lines = [value['explicit'], value['deductive']]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map((item) => (isJsonObject(item) ? (item['content'] ?? item['conclusion']) : item))
    .filter((line) => typeof line === 'string');
  return lines.length === 0 ? undefined : lines.join('\n');
}
