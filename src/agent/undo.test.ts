import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { calling, routeTo, withAgent, withRoutes } from '../../test/support/agent-fixture.ts';
import type { ModelRequest } from '../contracts/index.ts';
import { createScriptedModel } from '../testing/index.ts';

const said = (request: ModelRequest | undefined) =>
  (request?.messages ?? []).map(({ role, content }) => `${role}: ${content}`);

describe('agent.undo', () => {
  verifies('SURF-3', 'removes a turn with its calls and sends the earlier messages with identical bytes', async () => {
    const script = [{ text: 'Eins.' }, calling('echo', { text: 'x' }), { text: 'Zwei.' }, { text: 'Drei.' }];
    await withAgent(script, async ({ agent, store, model }) => {
      for (const userMessage of ['one?', 'two?']) await agent.runConversation({ userMessage });
      const undone = await agent.undo();
      expect(undone).toEqual({ turns: 1, messages: 4, userMessage: { role: 'user', content: 'two?' } });
      const result = await agent.runConversation({ userMessage: 'three?' });
      expect(result.finalResponse).toBe('Drei.');
      const [, second, , after] = model.requests;
      expect(said(after)).toEqual(['user: one?', 'assistant: Eins.', 'user: three?']);
      expect(after?.messages.slice(0, 2)).toEqual(second?.messages.slice(0, 2));
      expect([after?.system, after?.tools]).toEqual([second?.system, second?.tools]);
      expect(await store.getConversation(agent.sessionId)).toHaveLength(4);
    });
  });

  verifies('SURF-3', 'works across a restart and for turns that another agent ran', async () => {
    await withAgent([{ text: 'Eins.' }, { text: 'Zwei.' }], async ({ agent, restart, store }) => {
      for (const userMessage of ['one?', 'two?']) await agent.runConversation({ userMessage });
      const later = restart([{ text: 'Drei.' }]);
      expect(await later.agent.undo()).toMatchObject({ userMessage: { content: 'two?' } });
      await later.agent.runConversation({ userMessage: 'three?' });
      expect(said(later.model.requests[0])).toEqual(['user: one?', 'assistant: Eins.', 'user: three?']);
      // `storedChanged` tells the first agent that another process changed the session.
      expect(await agent.undo({ turns: 9, storedChanged: true })).toMatchObject({
        turns: 2,
        userMessage: { content: 'one?' },
      });
      expect(await store.getConversation(agent.sessionId)).toEqual([]);
      expect(await agent.undo()).toBeUndefined();
    });
  });

  verifies('SURF-3', 'throws while a turn is running, and is reverted by redo', async () => {
    await withAgent([{ text: 'Eins.' }, { text: 'Zwei.' }], async ({ agent, model }) => {
      expect(await agent.undo()).toBeUndefined();
      const run = agent.run({ userMessage: 'one?' });
      await expect(agent.undo()).rejects.toThrow('A turn is already running');
      await run.result;
      await agent.undo();
      expect(await agent.redo()).toBe(2);
      expect(await agent.redo()).toBe(0);
      await agent.runConversation({ userMessage: 'two?' });
      expect(said(model.requests[1])).toEqual(['user: one?', 'assistant: Eins.', 'user: two?']);
    });
  });

  verifies(['SURF-3', 'CTX-11'], 'removes messages kept by a compression, but not the summary', async () => {
    const model = createScriptedModel((request) => ({
      text: `Answer to ${request.messages.length}. ${'x'.repeat(200)}`,
    }));
    await withRoutes([routeTo(model, { contextLength: 4_000 })], async ({ agent, store }) => {
      for (let turn = 0; turn < 12; turn += 1) await agent.runConversation({ userMessage: `question ${turn}` });
      expect(await agent.compress()).toBeDefined();
      const kept = await store.getMessages(agent.sessionId);
      const settled = kept.findLastIndex(({ isReplacement }) => isReplacement);
      const turns = kept.slice(settled + 1).filter(({ message }) => message.role === 'user').length;
      expect(turns).toBeGreaterThan(0);
      expect(await agent.undo({ turns: 99 })).toMatchObject({ turns });
      expect((await store.getConversation(agent.sessionId)).length).toBeLessThanOrEqual(settled + 2);
      expect(await agent.undo()).toBe('compressed');
      const { finalResponse } = await agent.runConversation({ userMessage: 'and now?' });
      expect(finalResponse).toContain('Answer to');
    });
  });

  it('forgets the usage of the call whose answer was undone', async () => {
    await withAgent([{ text: 'Eins.' }], async ({ agent, store }) => {
      await agent.runConversation({ userMessage: 'one?' });
      const before = await store.getLastCall(agent.sessionId);
      expect(before).toBeDefined();
      await agent.undo();
      expect(await store.getLastCall(agent.sessionId)).toBeUndefined();
    });
  });
});
