import { expect, onTestFinished, vi } from 'vitest';
import type { ChannelFacts } from '../../src/contracts/index.ts';
import { createRuntime, loadModels } from '../../src/runtime/index.ts';
import { createProviderServer, createTemporaryHome } from '../../src/testing/index.ts';
import { createSlashRegistry, SLASH_COMMANDS } from '../../src/surfaces/slash/index.ts';
import type { ChatRules } from '../../src/surfaces/gateway/chats/chat-host.ts';
import { startGateway } from '../../src/surfaces/gateway/gateway.ts';
import { createTestChannel } from '../../src/surfaces/gateway/test-channel.test-helper.ts';

export const RULES: ChatRules = {
  keys: { groupPerUser: true, threadPerUser: false },
  busyMode: 'steer',
  access: new Map([['test', { allowAll: false, allowed: ['7', '8'], admins: { dm: ['7'], group: ['7'] } }]]),
  strangers: 'pair',
  displayOf: () => ({
    streaming: undefined,
    toolProgress: 'off',
    previewLength: 40,
    cleanupProgress: false,
    interimMessages: true,
    showReasoning: false,
    longRunning: true,
    reactions: false,
    answerSeconds: 300,
  }),
};

/** A gateway with a platform in memory and a scripted model. It can be started several times with the same home. */
export async function openGateway(changes: Partial<ChatRules> = {}, facts: Partial<ChannelFacts> = {}) {
  const home = await createTemporaryHome();
  const server = await createProviderServer();
  const model = `model: { provider: custom, default: test-model, base_url: '${server.url}/v1', api_key: k }\n`;
  await home.write('config.yaml', model);
  onTestFinished(async () => {
    await server.close();
    await home.remove();
  });
  const start = async () => {
    const platform = createTestChannel('test:1', facts);
    const env = { HERMES_HOME: home.path };
    const { settings, models } = await loadModels({ home: home.path, env });
    if (models === undefined) throw new Error('no model');
    const { routes, auxiliaryRoutes } = models;
    const runtime = await createRuntime({
      settings,
      routes,
      auxiliaryRoutes,
      workingDirectory: home.workspace,
      source: 'gateway',
      attended: true,
    });
    const gateway = await startGateway({
      runtime,
      registry: createSlashRegistry(SLASH_COMMANDS),
      channels: [platform.channel],
      rules: { ...RULES, ...changes },
      owner: 'test',
      version: '0',
      maxChats: 4,
    });
    await vi.waitFor(() => expect(platform.connections).toHaveLength(1));
    let isClosed = false;
    const close = async (drainMs = 5000) => {
      if (isClosed) return;
      isClosed = true;
      await gateway.close(drainMs);
      await runtime.close();
    };
    onTestFinished(() => close());
    const see = (text: string | RegExp) => vi.waitFor(() => expect(platform.texts().join('\n')).toMatch(text), 8000);
    return { ...platform, gateway, runtime, close, see };
  };
  return { home, server, start };
}
