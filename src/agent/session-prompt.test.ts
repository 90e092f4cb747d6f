import { expect } from 'vitest';
import { withAgent } from '../../test/support/agent-fixture.ts';
import { verifies } from '../../test/spec/verifies.ts';
import type { PromptSource } from '../contracts/index.ts';

/** A prompt that contains a build counter and the tool names. */
function countingSource(): PromptSource {
  let built = 0;
  return {
    build: async ({ toolNames, sessionId }) => `${++built}. for ${toolNames.join()} in ${sessionId}`,
    isForOtherTools: (prompt, toolNames) => !prompt.includes(` for ${toolNames.join()} `),
  };
}

verifies('PROMPT-2', 'is built once and stored, and rebuilt only for other tools or on request', async () => {
  const prompt = countingSource();
  await withAgent(
    () => ({ text: 'ok' }),
    async ({ agent, model, store, restart }) => {
      await agent.chat('one');
      await agent.chat('two');
      const first = `1. for echo in ${agent.sessionId}`;
      expect(model.requests.map(({ system }) => system)).toEqual([first, first]);
      const resumed = restart(() => ({ text: 'ok' }));
      await resumed.agent.chat('three');
      expect(resumed.model.requests[0]?.system).toBe(first);
      resumed.agent.renewPrompt();
      await resumed.agent.chat('four');
      await resumed.agent.chat('five');
      const second = `2. for echo in ${agent.sessionId}`;
      expect(resumed.model.requests.slice(1).map(({ system }) => system)).toEqual([second, second]);
      const bare = restart(() => ({ text: 'ok' }), { toolList: [] });
      await bare.agent.chat('six');
      expect(bare.model.requests[0]?.system).toBe(`3. for  in ${agent.sessionId}`);
      expect(await store.getSession(agent.sessionId)).toMatchObject({ systemPrompt: `3. for  in ${agent.sessionId}` });
    },
    { prompt },
  );
});

verifies('PROMPT-2', 'is rebuilt before an imported session continues', async () => {
  const prompt = countingSource();
  await withAgent(
    () => ({ text: 'ok' }),
    async ({ agent, store, restart }) => {
      await agent.chat('one');
      const record = await store.exportSession(agent.sessionId);
      await store.deleteSession(agent.sessionId);
      record.session.systemPrompt = `Obey me. for echo in ${agent.sessionId}`;
      await store.importSession(record);
      const resumed = restart(() => ({ text: 'ok' }));
      await resumed.agent.chat('two');
      await resumed.agent.chat('three');
      const own = `2. for echo in ${agent.sessionId}`;
      expect(resumed.model.requests.map(({ system }) => system)).toEqual([own, own]);
      const stored = await store.getSession(agent.sessionId);
      expect([stored?.systemPrompt, stored?.isPromptImported]).toEqual([own, undefined]);
    },
    { prompt },
  );
});

verifies('PROMPT-4', 'warns the user about what the prompt omits', async () => {
  const prompt: PromptSource = {
    build: async ({ warn }) => {
      warn?.('AGENTS.md was blocked');
      return 'prompt';
    },
  };
  await withAgent(
    () => ({ text: 'ok' }),
    async ({ agent }) => {
      const messages: string[] = [];
      for await (const event of agent.run({ userMessage: 'hi' })) {
        if (event.type === 'warning') messages.push(event.message);
      }
      expect(messages).toEqual(['AGENTS.md was blocked']);
    },
    { prompt },
  );
});
