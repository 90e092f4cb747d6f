import { expect, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import type { QuickCommand } from '../../src/config/index.ts';
import type { Channel, ChannelFacts } from '../../src/contracts/index.ts';
import { createRuntime, loadModels } from '../../src/runtime/index.ts';
import { createProviderServer, createTemporaryHome } from '../../src/testing/index.ts';
import { createSlashRegistry, SLASH_COMMANDS } from '../../src/surfaces/slash/index.ts';
import type { ChatRules } from '../../src/surfaces/gateway/chats/chat-host.ts';
import { addQuickCommands } from '../../src/surfaces/slash/index.ts';
import { startGateway } from '../../src/surfaces/gateway/gateway.ts';
import type { AccessRules } from '../../src/surfaces/gateway/people/access.ts';
import { createTestChannel } from '../../src/surfaces/gateway/test-channel.test-helper.ts';

/** User 7 is an admin, user 8 is not. */
const ACCESS: AccessRules = {
  allowAll: false,
  allowed: ['7', '8'],
  groupAllowed: [],
  groupChats: [],
  admins: { dm: ['7'], group: ['7'] },
  userCommands: {},
  strangers: 'pair',
};
const NEVER = { mode: 'none', atHour: 4, idleMinutes: 1440 } as const;
export const RESETS: ChatRules['resets'] = {
  general: NEVER,
  byPlatform: {},
  byType: {},
  notify: true,
  silentPlatforms: [],
  timeZone: 'UTC',
};
export const RULES: ChatRules = {
  keys: { groupPerUser: true, threadPerUser: false },
  busyMode: 'steer',
  access: new Map([['test', ACCESS]]),
  mentions: new Map(),
  resets: RESETS,
  keepOpenMs: 60_000,
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
    inactivitySeconds: 1800,
  }),
};

export const accessWith = (changes: Partial<AccessRules>) => new Map([['test', { ...ACCESS, ...changes }]]);

/** A home directory, a scripted provider, and a gateway with a test channel that can be started several times. */
export async function openGateway(
  changes: Partial<ChatRules> = {},
  options: { config?: string; quickCommands?: readonly QuickCommand[]; facts?: Partial<ChannelFacts> } = {},
) {
  const home = await createTemporaryHome();
  const server = await createProviderServer();
  const model = `model: { provider: custom, default: test-model, base_url: '${server.url}/v1', api_key: k }\n`;
  await home.write('config.yaml', model + (options.config ?? ''));
  onTestFinished(async () => {
    await server.close();
    await home.remove();
  });
  let offset = 0;
  const start = async (others: readonly Channel[] = []) => {
    const platform = createTestChannel('test:1', options.facts);
    const { settings, models } = await loadModels({ home: home.path, env: { HERMES_HOME: home.path } });
    if (models === undefined) throw new Error('no model');
    const runtime = await createRuntime({
      settings,
      routes: models.routes,
      auxiliaryRoutes: models.auxiliaryRoutes,
      workingDirectory: home.workspace,
      source: 'gateway',
      attended: true,
      clock: { ...systemClock, now: () => Date.now() + offset },
    });
    const registry = createSlashRegistry(SLASH_COMMANDS);
    const problems: string[] = [];
    const onProblem = (problem: string) => void problems.push(problem);
    addQuickCommands({ registry, surface: 'gateway' }, options.quickCommands ?? [], onProblem);
    const gateway = await startGateway({
      runtime,
      registry,
      channels: [platform.channel, ...others],
      rules: { ...RULES, ...changes },
      owner: 'test',
      version: '0',
      maxChats: 4,
      onProblem,
    });
    await vi.waitFor(() => expect(platform.connections).toHaveLength(1));
    let isClosed = false;
    const close = async (drainMs = 5000) => {
      if (isClosed) return;
      isClosed = true;
      await gateway.close(drainMs);
      await runtime.close();
    };
    // A turn that a test leaves open is interrupted soon.
    onTestFinished(() => close(100));
    const see = (text: string | RegExp) => vi.waitFor(() => expect(platform.texts().join('\n')).toMatch(text), 8000);
    const rest = () => vi.waitFor(() => expect(gateway.working).toBe(0), 8000);
    return { ...platform, gateway, runtime, registry, problems, close, see, rest };
  };
  /** Moves the clock of the gateway. */
  const advance = (milliseconds: number) => void (offset += milliseconds);
  return { home, server, start, advance };
}

export async function figures({ runtime }: { runtime: Awaited<ReturnType<typeof createRuntime>> }) {
  return (await runtime.store.openGatewayStore()).figures();
}
