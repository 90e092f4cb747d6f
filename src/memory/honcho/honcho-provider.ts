import type { MemoryProvider, MemoryProviderTool } from '../../contracts/index.ts';
import { redactSecrets, takeStart } from '../../util/index.ts';
import { createHonchoClient, type HonchoClient, type HonchoOptions } from './honcho-client.ts';

export type HonchoProviderOptions = HonchoOptions & { userPeer: string; agentPeer: string };

const OFFICIAL_HOST = 'api.honcho.dev';
/** The service takes no longer ones. */
const MESSAGE_CHARACTERS = 24_000;

/** Honcho: learns who the user is from what was said, and tells what of it has to do with a message. */
export function createHonchoProvider(options: HonchoProviderOptions): MemoryProvider {
  const { userPeer, agentPeer, baseUrl, apiKey } = options;
  const client = createHonchoClient(options);
  const ensureSession = createEnsuring(client, options);
  return {
    name: 'honcho',
    async isAvailable() {
      if (apiKey !== undefined || new URL(baseUrl).host !== OFFICIAL_HOST) return true;
      return { reason: 'HONCHO_API_KEY is not set; get a key from app.honcho.dev, or set memory.honcho.base_url' };
    },
    async staticBlock(signal) {
      const facts = await client.card(userPeer, signal);
      if (facts.length === 0) return undefined;
      return `## What Honcho knows of the user\n${facts.map((fact) => `- ${fact}`).join('\n')}`;
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

/** Makes what messages need, once; what failed is tried again with the next turn. */
function createEnsuring(client: HonchoClient, { userPeer, agentPeer }: HonchoProviderOptions) {
  const sessions = new Set<string>();
  let hasPeers = false;
  return async (sessionId: string, signal: AbortSignal): Promise<void> => {
    if (!hasPeers) {
      await client.createWorkspace(signal);
      for (const peer of [userPeer, agentPeer]) await client.createPeer(peer, signal);
      hasPeers = true;
    }
    if (sessions.has(sessionId)) return;
    // It is the user who is to be known, not the agent.
    const peers = {
      [userPeer]: { observe_me: true, observe_others: false },
      [agentPeer]: { observe_me: false, observe_others: false },
    };
    await client.createSession(sessionId, peers, signal);
    sessions.add(sessionId);
  };
}

/** What goes to a service of others has no secrets in it. */
function fitForService(text: string): string {
  return takeStart(redactSecrets(text.toWellFormed()), MESSAGE_CHARACTERS).trim();
}

function askTool(client: HonchoClient, userPeer: string): MemoryProviderTool {
  return {
    name: 'honcho_ask',
    description: 'Ask Honcho what it has learnt about the user over all sessions. Slow: only where it matters.',
    parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    readOnly: true,
    async run({ query }, { signal }) {
      const answer = typeof query === 'string' ? await client.chat(userPeer, query, signal) : undefined;
      return answer ?? 'Honcho knows nothing about that.';
    },
  };
}
