import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { failing, routeTo } from '../../../test/support/agent-fixture.ts';
import { attachmentOf, blobsOf, imageFile, pdfFile, PNG } from '../../../test/support/sample-files.ts';
import { routeToServer } from '../../../test/support/provider-fixture.ts';
import { type AttachedFile, ConfigurationError, HermesError, totalTokens } from '../../base/index.ts';
import { API_MODES, AUXILIARY_TASKS, type RouteSource } from '../../contracts/index.ts';
import { createScriptedModel, type Reply } from '../../testing/index.ts';
import { asking, openAuxiliaryModels, openPair, startServer } from '../../../test/support/auxiliary-fixture.ts';

const usage = { input: 40, output: 2 };
const broken = (status: number): Reply => ({ fault: { type: 'status', status } });

describe('auxiliary models', () => {
  for (const apiMode of API_MODES) {
    verifies('PROV-8', `returns an answer over ${apiMode}`, async () => {
      const server = await startServer({ script: [{ text: ' short ', reasoning: 'hm', usage }] });
      const { models } = await openAuxiliaryModels([routeToServer(server, apiMode)]);
      const answer = await models.ask('mcp', asking({ maxOutputTokens: 77 }));
      expect(answer).toMatchObject({ text: 'short', finishReason: 'stop', provider: 'server', model: 'test-model' });
      expect(totalTokens(answer.usage)).toBe(42);
      const [request] = server.requests;
      expect(request).toMatchObject({ system: 'Be brief.', lastUserText: 'what is it?', toolNames: [], faults: [] });
      expect(request?.rawBody).toContain(':77');
    });
  }

  verifies(
    'PROV-8',
    'falls back immediately if the first model cannot be used, and does not call it again',
    async () => {
      const { first, second, models, clock, warnings } = await openPair([broken(401)]);
      expect((await models.ask('mcp', asking())).text).toBe('from the second');
      await models.ask('mcp', asking());
      expect([first.requests.length, second.requests.length]).toEqual([1, 2]);
      expect(clock.pauses).toEqual([]);
      expect(warnings).toMatchObject([{ task: 'mcp', route: 'first/test-model' }]);
    },
  );

  verifies('PROV-8', 'retries a transient failure exactly once', async () => {
    const helped = await openPair([broken(500), { text: 'better now' }]);
    expect((await helped.models.ask('mcp', asking())).text).toBe('better now');
    expect(helped.clock.pauses).toEqual([1_000]);
    const lost = await openPair([broken(500), broken(500), { text: 'never asked' }]);
    expect((await lost.models.ask('mcp', asking())).text).toBe('from the second');
    expect(lost.first.requests).toHaveLength(2);
  });

  it('tries a model first again after its calls failed, because failures may be transient', async () => {
    const { models } = await openPair([...Array.from({ length: 4 }, () => broken(500)), { text: 'better now' }]);
    for (const text of ['from the second', 'from the second', 'better now']) {
      expect((await models.ask('mcp', asking())).text).toBe(text);
    }
  });

  verifies('PROV-8', 'falls back if the retry-after is long', async () => {
    const { first, models } = await openPair([{ fault: { type: 'status', status: 429, retryAfter: 60 } }]);
    expect((await models.ask('mcp', asking())).text).toBe('from the second');
    expect(first.requests).toHaveLength(1);
  });

  verifies('PROV-8', 'skips a route that cannot be opened', async () => {
    const server = await startServer();
    const closed: RouteSource = {
      ...routeTo(createScriptedModel([])),
      open: () => Promise.reject(new ConfigurationError('no key')),
    };
    const { models, warnings } = await openAuxiliaryModels([closed, routeToServer(server, 'chat_completions')]);
    expect((await models.ask('vision', asking())).text).toBe('ok');
    expect(warnings).toMatchObject([{ reason: 'no key' }]);
  });

  verifies('PROV-8', 'falls back when a silent model times out', async () => {
    const { first, models, clock } = await openPair([{ fault: { type: 'stall' } }]);
    const asked = models.ask('compression', asking());
    await first.nextRequest();
    clock.timeIsUp();
    expect((await asked).text).toBe('from the second');
    await first.waitForDisconnect();
    expect(first.requests).toHaveLength(1);
    expect(clock.timeouts).toEqual([120_000, 120_000]);
  });

  verifies('PROV-8', 'times out after 30 s for small tasks and 120 s for large ones, unless configured', async () => {
    const server = await startServer();
    const own = { choice: {}, fallbacks: [], enabled: true, timeoutSeconds: 45 };
    const { models, clock } = await openAuxiliaryModels([routeToServer(server, 'chat_completions')], {
      auxiliary: { mcp: own },
    });
    for (const task of AUXILIARY_TASKS) await models.ask(task, asking());
    expect(clock.timeouts.map((timeout) => timeout / 1000)).toEqual([120, 120, 120, 30, 30, 45, 30, 30, 30, 30, 120]);
  });

  it('omits what a provider rejects, in this call and later ones', async () => {
    const { first, models } = await openPair([
      { fault: { type: 'refuse-stream' } },
      { text: 'whole' },
      {
        fault: {
          type: 'status',
          status: 400,
          message:
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          code: 'unsupported_parameter',
        },
      },
      { text: 'renamed' },
    ]);
    expect((await models.ask('mcp', asking({ maxOutputTokens: 9 }))).text).toBe('whole');
    expect((await models.ask('mcp', asking({ maxOutputTokens: 9 }))).text).toBe('renamed');
    expect(first.requests.map(({ stream }) => stream)).toEqual([true, false, false, false]);
    expect(first.requests.at(-1)?.body).toMatchObject({ max_completion_tokens: 9 });
  });

  verifies('CALL-7', 'asks for at most what the model can write, and for half of a rejected limit', async () => {
    const server = await startServer({
      script: [
        { text: 'one' },
        { fault: { type: 'status', status: 402, message: 'Use fewer max_tokens.' } },
        { text: 'two' },
        { text: 'three' },
      ],
    });
    const route = routeToServer(server, 'anthropic_messages', 'server', { outputLimit: 4_096 });
    const { models } = await openAuxiliaryModels([route]);
    await models.ask('mcp', asking({ maxOutputTokens: 9_000 }));
    await models.ask('mcp', asking());
    await models.ask('mcp', asking({ maxOutputTokens: 100 }));
    expect(server.requests.map(({ body }) => body['max_tokens'])).toEqual([4_096, 4_096, 2_048, 100]);
  });

  it('rotates the credential if the provider has several', async () => {
    const done: string[] = [];
    const credentials = {
      current: () => `credential-${done.length}`,
      findCooldown: () => Promise.resolve(undefined),
      refresh: () => Promise.resolve(done.push('refresh') < 0),
      rotate: () => Promise.resolve(done.push('rotate') < 3),
    };
    const model = createScriptedModel([failing('auth'), { text: 'with another key' }]);
    const { models } = await openAuxiliaryModels([routeTo(model, { credentials })]);
    expect((await models.ask('mcp', asking())).text).toBe('with another key');
    expect(done).toEqual(['refresh', 'rotate']);
  });

  verifies('PROV-8', 'names each model and a hint if all fail, but no key', async () => {
    const server = await startServer({ script: [broken(401), broken(404)] });
    const routes = ['a', 'b'].map((name) => routeToServer(server, 'chat_completions', name));
    const { models } = await openAuxiliaryModels(routes);
    const failure = await models.ask('approval', asking()).catch((thrown: unknown) => thrown as HermesError);
    expect(failure).toBeInstanceOf(HermesError);
    expect(failure).toMatchObject({
      message: expect.stringMatching(/approval failed: a\/test-model: .*; b\/test-model: /),
    });
    expect((failure as HermesError).hint).toContain('auxiliary.approval in config.yaml');
    expect(JSON.stringify(failure)).not.toContain('test-secret');
    // No model is left to try.
    await expect(models.ask('approval', asking())).rejects.toThrow('no model is available');
  });

  verifies(['PROV-8', 'CALL-12'], 'skips a model that cannot read a file, but uses it for other requests', async () => {
    const [blind, seeing] = [await startServer({ repeatLast: true }), await startServer({ repeatLast: true })];
    const { models, warnings } = await openAuxiliaryModels([
      routeToServer(blind, 'chat_completions', 'blind', { vision: false }),
      routeToServer(seeing, 'chat_completions', 'seeing'),
    ]);
    const ask = (file: AttachedFile) => {
      const messages = [{ role: 'user' as const, content: 'what?', attachments: [attachmentOf(file)] }];
      return models.ask('vision', asking({ messages, blobs: blobsOf(file) }));
    };
    expect((await ask(imageFile())).provider).toBe('seeing');
    expect(seeing.requests[0]?.messages[0]?.attachments[0]?.bytes.equals(PNG)).toBe(true);
    expect(warnings).toMatchObject([{ reason: 'it cannot read files such as cat.png (image/png)' }]);
    expect((await ask(pdfFile())).provider).toBe('blind');
    expect((await models.ask('vision', asking())).provider).toBe('blind');
  });

  it('stops immediately when aborted, without trying another model', async () => {
    const { first, second, models, store } = await openPair([
      { fault: { type: 'stall', afterEvents: 1 }, text: 'half' },
    ]);
    const stop = new AbortController();
    const asked = models.ask('mcp', asking({ signal: stop.signal }));
    await first.nextRequest();
    stop.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    await first.waitForDisconnect();
    expect(second.requests).toEqual([]);
    await expect(models.ask('mcp', asking({ signal: stop.signal }))).rejects.toThrow('enough');
    expect((await store.statistics()).calls).toBe(0);
  });
});

describe('the cost of auxiliary calls', () => {
  verifies(['PROV-8', 'CALL-11'], 'is stored with the session under the task name', async () => {
    const { models, store } = await openPair([{ text: 'done', usage }]);
    await models.ask('vision', asking({ taskId: 'turn-1' }));
    await models.ask('skills_hub', asking({ sessionId: undefined }));
    const { byPurpose } = await store.statistics();
    expect(byPurpose.map(({ purpose, sessions, calls }) => [purpose, sessions, calls]).sort()).toEqual([
      ['skills_hub', 0, 1],
      ['vision', 1, 1],
    ]);
    const { calls } = await store.exportSession('one');
    expect(calls).toMatchObject([{ purpose: 'vision', taskId: 'turn-1', provider: 'first', outcome: 'ok' }]);
    expect((await store.getSession('one'))?.usage).toMatchObject(usage);
  });

  verifies('CALL-11', 'includes unusable answers', async () => {
    const { models, store } = await openPair([{ text: ' \n', usage }]);
    const answer = await models.ask('mcp', asking());
    expect(answer).toMatchObject({ text: 'from the second', usage: { input: 80, output: 4 } });
    const { calls } = await store.exportSession('one');
    expect(calls.map(({ outcome }) => outcome)).toEqual(['discarded', 'ok']);
  });

  verifies('LOOP-13', 'counts for the limits, and a reached limit prevents further calls', async () => {
    const { first, models, store } = await openPair(
      [
        { text: 'a', usage },
        { text: 'b', usage },
      ],
      {
        limits: { sessionTokens: 84 },
      },
    );
    await models.ask('mcp', asking());
    await models.ask('mcp', asking());
    expect((await store.sessionSpending('one')).tokens).toBe(84);
    const third = await models.ask('mcp', asking()).catch((thrown: unknown) => thrown as HermesError);
    expect(third).toMatchObject({ message: expect.stringContaining('limits.session_tokens of 84') });
    expect(first.requests).toHaveLength(2);
    // Tokens of unusable answers count towards the limit too.
    const inOne = await openPair([{ text: 'a', usage: { input: 84, output: 1 } }], { limits: { sessionTokens: 84 } });
    await expect(inOne.models.ask('mcp', asking({ findRejectionReason: () => 'no' }))).rejects.toThrow(
      'limits.session_tokens',
    );
    expect([inOne.first.requests.length, inOne.second.requests.length]).toEqual([1, 0]);
    // Another session has spent nothing yet.
    await expect(models.ask('mcp', asking({ sessionId: undefined }))).resolves.toBeDefined();
  });
});
