import { systemClock } from '../../src/base/index.ts';
import { type MessageTarget, type Messaging, silentLogger } from '../../src/contracts/index.ts';
import { createKeyAuthenticator } from '../../src/http/index.ts';
import { createRuntime, loadModels, openStore, type Runtime } from '../../src/runtime/index.ts';
import { checkBudget, limitOf, restrictedChoices } from '../../src/surfaces/api-server/index.ts';
import { serveMcpOverHttp } from '../../src/surfaces/mcp-server/index.ts';
import { createProviderServer, createTemporaryHome, type ProviderServerOptions } from '../../src/testing/index.ts';
import { onTestFinished } from 'vitest';
import type { McpTarget } from './mcp-clients.ts';

/** The keys of the server: that of the user, and one that may spend nothing. */
const KEYS = [
  { name: 'default', secret: 'secret-of-the-user', isOwner: true },
  { name: 'friend', secret: 'secret-of-a-friend', toolsets: ['todo'] },
  { name: 'other', secret: 'secret-of-another' },
  { name: 'poor', secret: 'secret-of-the-poor', dayUsd: 0 },
] as const;

type KeyName = (typeof KEYS)[number]['name'];

/** An MCP server over HTTP in this process, with a scripted provider and a messaging platform that records messages. */
export async function openMcpServer(options: { script?: ProviderServerOptions['script']; config?: string } = {}) {
  const provider = await createProviderServer(options.script && { script: options.script });
  const home = await createTemporaryHome({
    'config.yaml': `model: { provider: custom, default: test-model, base_url: '${provider.url}/v1', api_key: k }
auxiliary: { title_generation: { enabled: false } }
${options.config ?? ''}`,
  });
  const store = await openStore({ home: home.path });
  let opening: Promise<Runtime> | undefined;
  const sent: { target: MessageTarget; text: string }[] = [];
  const messaging: Messaging = {
    listTargets: async () => ({
      homes: [{ platform: 'telegram', chatId: '1', name: 'Home' }],
      chats: [{ platform: 'discord', chatId: '2', threadId: '3', name: 'general', type: 'group' }],
      platforms: ['telegram', 'discord'],
    }),
    findTarget: async (target) => ({
      platform: target.split(':')[0] ?? '',
      chatId: target.split(':')[1] ?? '1',
      name: target,
    }),
    isCurrentChat: () => false,
    async send(target, text) {
      sent.push({ target, text });
      if (text === 'fail') return { outcome: 'failed', messageIds: [], reason: 'The bot was blocked.' };
      if (text === 'wait') return { outcome: 'waiting', messageIds: ['m/0'], reason: 'Not connected.' };
      return { outcome: 'delivered', messageIds: ['m/0'] };
    },
  };
  const server = await serveMcpOverHttp(
    {
      version: '0',
      openStore: async () => store,
      openRuntime: () => (opening ??= open(home.path, home.workspace)),
      useMessaging: (task) => task(messaging),
      limits: { checkBudget, limitOf, restrictedChoices },
      clock: systemClock,
      logger: silentLogger,
    },
    {
      host: '127.0.0.1',
      port: 0,
      keys: {
        authenticator: createKeyAuthenticator(KEYS.map(({ name, secret }) => ({ name, secret }))),
        find: (name) => KEYS.find((key) => key.name === name),
      },
    },
  );
  onTestFinished(async () => {
    await server.close();
    await (await opening)?.close();
    await store.close();
    await provider.close();
    await home.remove();
  });
  const url = `http://127.0.0.1:${server.port}/mcp`;
  const target = (name: KeyName = 'default'): McpTarget => {
    return { url, key: KEYS.find((key) => key.name === name)?.secret ?? '' };
  };
  return { home, store, provider, sent, url, target, runtime: async () => opening, close: server.close };
}

async function open(home: string, workingDirectory: string): Promise<Runtime> {
  const { settings, models } = await loadModels({ home, env: { HERMES_HOME: home } });
  if (models === undefined) throw new Error('no model');
  const { routes, auxiliaryRoutes } = models;
  return createRuntime({
    settings,
    routes,
    auxiliaryRoutes,
    workingDirectory,
    source: 'mcp',
    surface: 'mcp',
    attended: false,
  });
}
