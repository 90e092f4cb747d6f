import { describe, expect, it } from 'vitest';
import type { ModelError } from '../../src/base/index.ts';
import { API_MODES, type ApiMode } from '../../src/contracts/index.ts';
import { createProviderServer, findHistoryFaults, type ProviderServer, type Reply } from '../../src/testing/index.ts';
import { calling, readEvents, typesOf, withRoutes } from '../support/agent-fixture.ts';
import { someOf } from '../support/dose.ts';
import { FAULTS, type NamedFault, ODDITIES, routeToServer, STALL_MS } from '../support/provider-fixture.ts';
import { verifies } from '../spec/verifies.ts';

const SWITCH_TO_WHOLE: Reply = { text: 'streams are off from here on', fault: { type: 'refuse-stream' } };

/** One step with a tool call, then the fault, then a correct answer. */
function scriptFor(reply: Reply, whole: boolean): Reply[] {
  const step = calling('echo', { text: 'before the fault' }, 'call_1');
  return [...(whole ? [SWITCH_TO_WHOLE] : []), step, reply, { text: 'recovered' }];
}

async function runTurn(server: ProviderServer, apiMode: ApiMode, fallback?: ProviderServer) {
  const routes = [server, ...(fallback ? [fallback] : [])].map((target, index) =>
    routeToServer(target, apiMode, `server-${index + 1}`),
  );
  let outcome: Awaited<ReturnType<typeof readEvents>> | undefined;
  await withRoutes(routes, async ({ agent, store }) => {
    outcome = await readEvents(agent.run({ userMessage: 'go' }));
    expect(typesOf(outcome.events).filter((type) => type === 'finished')).toHaveLength(1);
    expect(await store.getConversation(agent.sessionId)).toEqual(outcome.result.messages);
  });
  for (const request of [...server.requests, ...(fallback?.requests ?? [])]) {
    expect(findHistoryFaults(apiMode, request.body)).toEqual([]);
  }
  return outcome as NonNullable<typeof outcome>;
}

async function checkFault(apiMode: ApiMode, { reply, recovers }: NamedFault, whole: boolean): Promise<void> {
  await using server = await createProviderServer({ script: scriptFor(reply, whole) });
  const { result } = await runTurn(server, apiMode);
  if (recovers) expect(result).toMatchObject({ exitReason: 'completed', finalResponse: 'recovered', toolCalls: 1 });
  else {
    expect(result).toMatchObject({ exitReason: 'failed', failed: true });
    expect(result.error?.message).not.toContain('test-secret');
    expect(result.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool']);
  }
}

for (const [index, apiMode] of API_MODES.entries()) {
  describe(`${apiMode}: every fault`, () => {
    // In the small dose, all modes together get every fault twice: streaming and without streaming.
    for (const fault of someOf(FAULTS, API_MODES.length, index)) {
      verifies(['CALL-1', 'CALL-2', 'CALL-5'], `${fault.name}, streaming`, () => checkFault(apiMode, fault, false));
    }
    for (const fault of someOf(FAULTS, API_MODES.length, index + 2)) {
      // Skipped without streaming: a response whose JSON can be parsed is complete even if the finish reason is
      // missing.
      if (fault.reply.fault?.type === 'cut-clean') continue;
      verifies(['CALL-1', 'CALL-2', 'CALL-5'], `${fault.name}, without streaming`, () =>
        checkFault(apiMode, fault, true),
      );
    }
  });

  describe(`${apiMode}: unusual but valid responses`, () => {
    for (const { name, reply } of ODDITIES) {
      it(name, async () => {
        await using server = await createProviderServer({ script: [reply], repeatLast: true });
        const { result } = await runTurn(server, apiMode);
        expect(result.exitReason).toBe('completed');
        expect(result.finalResponse.startsWith('fine')).toBe(true);
      });
    }
  });

  describe(`${apiMode}: unusable answers`, () => {
    verifies('CALL-7', 'continues after the finish reason length', async () => {
      const script: Reply[] = [{ text: 'one ', finishReason: 'length' }, { text: 'two' }];
      await using server = await createProviderServer({ script });
      expect((await runTurn(server, apiMode)).result.finalResponse).toBe('one two');
    });

    for (const finishReason of ['content_filter', 'refusal'] as const) {
      verifies('CALL-5', `${finishReason} is content_policy: no retry, but the next model is used`, async () => {
        const refused: Reply = { text: 'I will not', finishReason };
        await using alone = await createProviderServer({ script: [refused, { text: 'never asked' }] });
        const outcome = await runTurn(alone, apiMode);
        // A refusal in the text is an answer; a refusal as a finish reason is a failure.
        if (outcome.result.completed) expect(outcome.result.finalResponse).toContain('I will not');
        else expect(outcome.result).toMatchObject({ failed: true, error: { kind: 'content_policy' } });
        expect(alone.requests).toHaveLength(1);
      });
    }

    verifies('CALL-6', 'uses the fallback if a provider never recovers, whatever the fault', async () => {
      const lasting = FAULTS.filter((fault) => !fault.name.startsWith('stall'));
      for (const { reply, name } of someOf(lasting, API_MODES.length, index)) {
        await using server = await createProviderServer({ script: () => reply });
        await using fallback = await createProviderServer({ script: [{ text: 'from the fallback' }] });
        const { result } = await runTurn(server, apiMode, fallback);
        const expected = name === 'status 413' ? ['failed', 'completed'] : ['completed'];
        expect(expected, name).toContain(result.exitReason);
      }
    });
  });
}

describe('a route chain', () => {
  for (const [apiMode, fault] of [
    ['chat_completions', { type: 'stall' }],
    ['ollama_chat', { type: 'stall', afterEvents: 1 }],
  ] as const) {
    verifies(
      'CALL-6',
      `${apiMode}: uses the fallback if the primary stalls each time, and tells the user once`,
      async () => {
        await using server = await createProviderServer({ script: () => ({ text: 'half of it', fault }) });
        await using fallback = await createProviderServer({ script: [{ text: 'from the fallback' }] });
        const { result, events } = await runTurn(server, apiMode, fallback);
        expect(result).toMatchObject({ exitReason: 'completed', finalResponse: 'from the fallback' });
        expect(server.requests).toHaveLength(3);
        expect(events.filter((event) => event.type === 'fallback')).toMatchObject([
          { from: 'server-1/test-model', to: 'server-2/test-model', reason: expect.stringContaining('sent nothing') },
        ]);
      },
    );
  }

  verifies('CALL-6', 'does not use a primary before the reset time in its headers', async () => {
    const headers = { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1h0m0s' };
    const limited: Reply = { fault: { type: 'status', status: 429, headers } };
    await using server = await createProviderServer({ script: [limited, { text: 'back' }] });
    await using second = await createProviderServer({ script: [{ text: 'one' }, { text: 'two' }] });
    const routes = [server, second].map((target, index) => routeToServer(target, 'chat_completions', `p${index}`));
    await withRoutes(routes, async ({ agent, clock }) => {
      expect([await agent.chat('a'), await agent.chat('b')]).toEqual(['one', 'two']);
      expect(server.requests).toHaveLength(1);
      await clock.sleep(3_600_000);
      expect(await agent.chat('c')).toBe('back');
    });
  });
});

describe('a stream without content', () => {
  const SENDS = ['keep-alives', 'empty-events', 'bytes'] as const;
  const request = { system: 's', messages: [{ role: 'user' as const, content: 'go' }], tools: [] };

  async function failureOf(apiMode: ApiMode, sends: (typeof SENDS)[number], stream: boolean): Promise<string> {
    await using server = await createProviderServer({ script: [{ fault: { type: 'no-content', sends } }] });
    const { client } = await routeToServer(server, apiMode).open();
    const call = client.stream(
      { ...request, toolChoice: 'auto', stream },
      { signal: new AbortController().signal, onEvent: () => undefined },
    );
    return await call.then(
      () => 'an answer',
      (thrown: ModelError) => `${thrown.failure.kind}: ${thrown.failure.message}`,
    );
  }

  verifies('CALL-2', 'is a stall in every API mode, whatever keeps the connection busy', async () => {
    const cases = API_MODES.flatMap((apiMode) =>
      SENDS.flatMap((sends) => [true, false].map((stream) => ({ apiMode, sends, stream }))),
    );
    const failures = await Promise.all(
      cases.map(async ({ apiMode, sends, stream }) => [
        `${apiMode}, ${sends}, ${stream ? 'streaming' : 'whole'}`,
        await failureOf(apiMode, sends, stream),
      ]),
    );
    const expected = `stream_stall: The provider sent data but no part of an answer for ${(STALL_MS * 3) / 1000} s; the request timed out.`;
    for (const [name, failure] of failures) expect(failure, name).toBe(expected);
  });
});
