import { expect } from 'vitest';
import { failing, routeTo, withRoutes } from '../../test/support/agent-fixture.ts';
import { verifies } from '../../test/spec/verifies.ts';
import type { ModelClient, RouteSource } from '../contracts/index.ts';
import { createScriptedModel } from '../testing/index.ts';

const named = (client: ModelClient, model: string): RouteSource => routeTo(client, { provider: 'p', model });

verifies(
  ['PROV-11', 'PROMPT-2'],
  'switches completely: same history, a prompt that names the new model, stored with the session',
  async () => {
    const first = createScriptedModel([{ text: 'one' }]);
    const second = createScriptedModel(() => ({ text: 'two' }));
    await withRoutes([named(first, 'model-a')], async ({ agent, store }) => {
      await agent.chat('hello');
      agent.useRoutes([named(second, 'model-b')]);
      expect(await agent.chat('again')).toBe('two');
      await agent.chat('and again');
      expect(first.requests[0]?.system).toBe('Prompt for model-a.');
      expect(second.requests.map(({ system }) => system)).toEqual(['Prompt for model-b.', 'Prompt for model-b.']);
      expect(second.requests[0]?.messages.map(({ content }) => content)).toEqual(['hello', 'one', 'again']);
      expect(await store.getSession(agent.sessionId)).toMatchObject({
        model: 'model-b',
        systemPrompt: 'Prompt for model-b.',
      });
    });
  },
);

verifies('PROMPT-2', 'keeps the prompt on a fallback and on a resume with the same model', async () => {
  const broken = createScriptedModel(() => failing('auth'));
  const second = createScriptedModel(() => ({ text: 'two' }));
  await withRoutes([named(broken, 'model-a'), named(second, 'model-b')], async ({ agent, store, restart }) => {
    await agent.chat('hello');
    await agent.chat('hello again');
    expect(await store.getSession(agent.sessionId)).toMatchObject({ model: 'model-a' });
    await store.setSystemPrompt(agent.sessionId, 'As it was.');
    await store.setSessionModel(agent.sessionId, 'scripted');
    const later = restart([{ text: 'three' }, { text: 'four' }]);
    later.agent.useRoutes([named(later.model, 'scripted')]);
    await later.agent.chat('go on');
    expect(later.model.requests[0]?.system).toBe('As it was.');
    later.agent.useRoutes([named(later.model, 'other')]);
    await later.agent.chat('go on');
    expect(later.model.requests[1]?.system).toBe('Prompt for other.');
  });
});

verifies('PROV-11', 'cannot change routes during a turn, and forgets what was learned about the old ones', async () => {
  const picky = createScriptedModel([failing('stream_refused'), { text: 'one' }]);
  const other = createScriptedModel(() => ({ text: 'two' }));
  await withRoutes([named(picky, 'model-a')], async ({ agent }) => {
    const run = agent.run({ userMessage: 'hello' });
    expect(() => agent.useRoutes([named(other, 'model-b')])).toThrow(/while a turn is running/);
    await run.result;
    expect(picky.requests.map(({ stream }) => stream)).toEqual([true, false]);
    agent.useRoutes([named(other, 'model-b')]);
    await agent.chat('again');
    expect(other.requests[0]?.stream).toBe(true);
  });
});

verifies('CALL-6', 'announces once that a primary route cannot be opened, with a hint', async () => {
  const second = createScriptedModel(() => ({ text: 'two' }));
  const closed: RouteSource = { provider: 'p', model: 'm', open: () => Promise.reject(new Error('no key for it')) };
  await withRoutes([closed, named(second, 'model-b')], async ({ agent }) => {
    const reasons: string[] = [];
    for (const userMessage of ['one', 'two']) {
      for await (const event of agent.run({ userMessage })) {
        if (event.type === 'fallback') reasons.push(`${event.to}: ${event.reason}`);
      }
    }
    expect(reasons).toEqual(['p/model-b: no key for it']);
  });
});
