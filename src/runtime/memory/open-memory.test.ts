import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { loadSettings } from '../../config/index.ts';
import {
  type LearnedTurn,
  type MemoryProvider,
  type RouteSource,
  type SessionReader,
  silentLogger,
} from '../../contracts/index.ts';
import { createScriptedModel, createTemporaryHome, type ModelScript, type TemporaryHome } from '../../testing/index.ts';
import { createRuntime, endSessionIfFree, type RuntimeOptions } from '../index.ts';
import { type MemoryOptions, type MemoryParts, openMemory } from './open-memory.ts';

describe('memory in a runtime', () => {
  let home: TemporaryHome;
  beforeEach(async () => {
    home = await createTemporaryHome();
  });
  afterEach(() => home.remove());

  function routeTo(script: ModelScript, model = 'm') {
    const client = createScriptedModel(script);
    const route = { provider: 'p', model, baseUrl: 'scripted://', apiMode: 'chat_completions', client } as const;
    const source: RouteSource = { ...route, open: async () => ({ ...route, contextLength: undefined }) };
    return { client, source };
  }
  async function open(routes: RouteSource[], changes: Partial<RuntimeOptions> = {}) {
    const settings = await loadSettings({ home: home.path, env: {} });
    const rest = { workingDirectory: home.workspace, source: 'cli', attended: false };
    return createRuntime({ settings, routes, ...rest, ...changes });
  }

  verifies('PROMPT-2', 'keeps the memory snapshot when the prompt is rebuilt for another model', async () => {
    await home.write('memories/USER.md', 'The user is Ada.');
    const one = routeTo(() => ({ text: 'ok' }));
    const two = routeTo(() => ({ text: 'ok' }), 'other');
    const runtime = await open([one.source]);
    const { agent, models } = await runtime.openAgent();
    await agent.chat('hello');
    await home.write('memories/USER.md', 'The user is Grace.');
    models.use([two.source]);
    await agent.chat('hello again');
    expect(two.client.requests[0]?.system).toContain('Model: other');
    expect(two.client.requests[0]?.system).toContain('The user is Ada.');
    await (await runtime.openAgent()).agent.chat('a new session');
    expect(one.client.requests.at(-1)?.system).toContain('The user is Grace.');
    await runtime.close();
  });

  it('uses external providers by name, with their tools, and notifies them of turns and session ends', async () => {
    const received: (LearnedTurn | string)[] = [];
    const provider: MemoryProvider = {
      name: 'mine',
      isAvailable: async () => true,
      staticBlock: async () => 'I know a little.',
      recall: async ({ text }) => [`about ${text}`],
      learnTurn: async (turn) => void received.push(turn),
      sessionEnded: async (sessionId) => void received.push(`end of ${sessionId}`),
      tools: () => [
        {
          name: 'mine_ask',
          description: 'Ask.',
          parameters: { type: 'object', properties: {} },
          run: () => Promise.reject(new Error('asleep')),
        },
      ],
      close: async () => void received.push('closed'),
    };
    await home.write('config.yaml', 'memory: { provider: mine }');
    const { client, source } = routeTo([{ toolCalls: [{ name: 'mine_ask', arguments: {} }] }, { text: 'done' }]);
    const runtime = await open([source], { memoryProviders: { mine: () => provider } });
    const { agent } = await runtime.openAgent();
    await agent.chat('ships');
    await endSessionIfFree(runtime.store, agent.sessionId, 'user_exit');
    await runtime.close();
    const { sessionId } = agent;
    expect(received).toEqual([
      { sessionId, userMessage: 'ships', answer: 'done', completed: true },
      `end of ${sessionId}`,
      'closed',
    ]);
    const [first, second] = client.requests;
    expect(first?.system).toContain('I know a little.');
    expect(first?.messages[0]).toHaveProperty('sentContent', expect.stringContaining('about ships'));
    expect(first?.tools.map(({ name }) => name)).toContain('mine_ask');
    expect(second?.messages.at(-1)?.content).toContain('mine failed: asleep');
  });

  it('does not offer the tools of an unavailable provider', async () => {
    await home.write('config.yaml', 'memory: { provider: honcho }');
    const { client, source } = routeTo([{ text: 'hi' }]);
    const runtime = await open([source]);
    await (await runtime.openAgent()).agent.chat('hello');
    await runtime.close();
    expect(client.requests[0]?.tools.map(({ name }) => name)).not.toContain('honcho_ask');
    expect(await home.read('logs/agent.log')).toContain('HONCHO_API_KEY is not set');
  });

  it('flushes only if attended, with an auxiliary model, and without required approval', async () => {
    const settings = await loadSettings({ home: home.path, env: {} });
    const auxiliary = { ask: () => Promise.reject(new Error('none')) };
    const sessions = {} as SessionReader;
    const parts: MemoryParts = { sessions, logger: silentLogger, auxiliary };
    const flushes = async (changes: Partial<MemoryOptions & MemoryParts>, attended = true) =>
      (await openMemory({ settings, ...changes }, { ...parts, ...changes }).open({ attended })).flush !== undefined;
    expect(await flushes({})).toBe(true);
    expect(await flushes({}, false)).toBe(false);
    expect(await flushes({ auxiliary: undefined })).toBe(false);
    await home.write('config.yaml', 'auxiliary: { memory_flush: { enabled: false } }');
    expect(await flushes({ settings: await loadSettings({ home: home.path, env: {} }) })).toBe(false);
    const { memory } = settings;
    if (memory === undefined) throw new Error('memory is on by default');
    expect(await flushes({ settings: { ...settings, memory: { ...memory, writeApproval: true } } })).toBe(false);
    const without = { settings: { ...settings, memory: { ...memory, limits: {} } } };
    const off = await openMemory(without, parts).open({ attended: true });
    expect([off.flush, off.writer, await off.snapshot()]).toEqual([undefined, undefined, {}]);
  });
});
