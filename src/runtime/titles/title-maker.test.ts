import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { createProviderServer, createTemporaryHome, type ProviderServer } from '../../testing/index.ts';
import { createRuntime, loadModels, type RuntimeOptions } from '../index.ts';

const locate = (server: ProviderServer, key: string) => [`base_url: ${server.url}/v1`, `api_key: ${key}`].join(', ');

/** A runtime as the command line creates it, with one provider for the chat and another for titles. */
async function open(more = '', changes: Partial<RuntimeOptions> = {}) {
  const home = await createTemporaryHome();
  const [chat, titles] = [await createProviderServer(), await createProviderServer()];
  onTestFinished(async () => {
    await Promise.all([chat.close(), titles.close()]);
    await home.remove();
  });
  const config = [
    `model: { provider: custom, default: big, ${locate(chat, 'chat-key')} }`,
    `auxiliary: { title_generation: { provider: custom, model: small, ${locate(titles, 'title-key')} } }`,
    more,
  ];
  await writeFile(join(home.path, 'config.yaml'), config.join('\n'));
  const { settings, models } = await loadModels({ home: home.path, env: {} });
  const { routes = [], auxiliaryRoutes } = models ?? {};
  const rest = { workingDirectory: home.workspace, source: 'cli', attended: true };
  const runtime = await createRuntime({ settings, routes, auxiliaryRoutes, ...rest, ...changes });
  const { agent } = await runtime.openAgent();
  const takeTurn = async (userMessage = 'What is a walrus?') => {
    const result = await agent.runConversation({ userMessage });
    return result;
  };
  const title = async () => (await runtime.store.getSession(agent.sessionId))?.title;
  return { home, chat, titles, runtime, agent, takeTurn, title };
}

/** Polls once per turn of the event loop until the condition holds; the test's own timeout is the limit. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}

describe('automatic titles', () => {
  verifies('PROV-8', 'are created from the first exchange, sent as data to the model of the task', async () => {
    const { chat, titles, takeTurn, title, runtime } = await open();
    titles.setScript([{ text: '"About walruses"' }]);
    await takeTurn();
    await until(async () => (await title()) !== undefined);
    expect(await title()).toBe('About walruses');
    expect(titles.requests[0]).toMatchObject({
      model: 'small',
      lastUserText: '{"question":"What is a walrus?","answer":"ok"}',
    });
    await takeTurn('And a seal?');
    await runtime.close();
    expect([chat.requests.length, titles.requests.length]).toEqual([2, 1]);
  });

  verifies('PROV-4', 'send each key to its own host only', async () => {
    const { chat, titles, takeTurn, title, runtime } = await open();
    titles.setScript([{ fault: { type: 'status', status: 401 } }]);
    chat.setScript([{ text: 'an answer' }, { text: 'From the chat model' }]);
    await takeTurn();
    await until(async () => (await title()) !== undefined);
    expect(await title()).toBe('From the chat model');
    expect(chat.requests.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill('Bearer chat-key'));
    expect(titles.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer title-key']);
    await runtime.close();
  });

  verifies('LOOP-13', 'count their cost for the next turn', async () => {
    const { titles, takeTurn, title, runtime } = await open('limits: { session_tokens: 8000 }');
    titles.setScript([{ text: 'Dear title', usage: { input: 7_990, output: 10 } }]);
    await takeTurn();
    await until(async () => (await title()) !== undefined);
    expect(await takeTurn('again')).toMatchObject({ exitReason: 'limit_reached' });
    await runtime.close();
  });

  it('never replace a title that was set in the meantime', async () => {
    const { titles, takeTurn, title, runtime, agent } = await open();
    const hold = Promise.withResolvers<void>();
    titles.setScript([{ text: 'Made', fault: { type: 'slow-headers', wait: hold.promise } }]);
    await takeTurn();
    await titles.nextRequest();
    await runtime.store.setSessionTitle(agent.sessionId, 'By hand');
    hold.resolve();
    await until(async () => (await runtime.store.statistics()).byPurpose.length > 1);
    // The answer has arrived; this waits until it is stored.
    await runtime.titles.stop();
    expect(await title()).toBe('By hand');
    await runtime.close();
  });

  it('are aborted at shutdown, and created when the session continues', async () => {
    const { titles, takeTurn, runtime } = await open();
    titles.setScript([{ fault: { type: 'stall' } }]);
    const { sessionId } = await takeTurn();
    await titles.nextRequest();
    await runtime.close();
    await titles.waitForDisconnect();
    const { settings } = runtime.blueprint;
    const { models } = await loadModels({ home: settings.home, env: {} });
    const { routes = [], auxiliaryRoutes } = models ?? {};
    const later = await createRuntime({
      settings,
      routes,
      auxiliaryRoutes,
      workingDirectory: '.',
      source: 'cli',
      attended: true,
    });
    titles.setScript([{ text: 'Made later' }]);
    const { agent } = await later.openAgent({ session: { resume: sessionId } });
    await agent.runConversation({ userMessage: 'and on' });
    const made = async () => (await later.store.getSession(sessionId))?.title;
    await until(async () => (await made()) !== undefined);
    expect(await made()).toBe('Made later');
    await later.close();
  });

  const silent: [name: string, changes: Partial<RuntimeOptions>][] = [
    ['nobody watches', { attended: false }],
    ['there is no second model', { auxiliaryRoutes: undefined }],
  ];
  for (const [name, changes] of silent) {
    it(`are not created if ${name}`, async () => {
      const { chat, titles, takeTurn, runtime } = await open('', changes);
      await takeTurn();
      // By the end of these turns, a title would have been requested.
      for (const next of ['a', 'b', 'c']) await takeTurn(next);
      await runtime.close();
      expect([chat.requests.length, titles.requests.length]).toEqual([4, 0]);
    });
  }

  it('are not created for a failed turn, but for the next one', async () => {
    const { chat, titles, takeTurn, title, runtime } = await open();
    titles.setScript([{ text: 'Made of the second' }]);
    chat.setScript([{ fault: { type: 'status', status: 401 } }, { text: 'fine' }]);
    expect((await takeTurn()).failed).toBe(true);
    expect((await takeTurn()).completed).toBe(true);
    await until(async () => (await title()) !== undefined);
    await runtime.close();
    expect(titles.requests).toHaveLength(1);
  });

  it('are created by the next model if one returns no title', async () => {
    const { chat, titles, takeTurn, title, runtime } = await open();
    titles.setScript(() => ({ text: '"…"' }));
    chat.setScript((request) => ({ text: request.toolNames.length > 0 ? 'fine' : 'About walruses' }));
    await takeTurn();
    await until(async () => (await title()) !== undefined);
    expect(await title()).toBe('About walruses');
    await runtime.close();
    expect(titles.requests).toHaveLength(2);
  });

  it('are tried once, and a failure is only logged', async () => {
    const { chat, titles, takeTurn, title, runtime, home } = await open();
    titles.setScript(() => ({ fault: { type: 'status', status: 401 } }));
    chat.setScript((request) =>
      request.toolNames.length > 0 ? { text: 'fine' } : { fault: { type: 'status', status: 400 } },
    );
    await takeTurn();
    await until(async () => (await home.read('logs/agent.log')).includes('could not create a title'));
    for (const next of ['a', 'b', 'c']) expect((await takeTurn(next)).finalResponse).toBe('fine');
    expect(await title()).toBeUndefined();
    await runtime.close();
    expect(titles.requests).toHaveLength(1);
    expect(chat.requests.filter(({ toolNames }) => toolNames.length === 0)).toHaveLength(1);
    expect(await home.read('logs/agent.log')).not.toMatch(/title-key|chat-key/);
  });
});
