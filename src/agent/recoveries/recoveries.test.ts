import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import {
  calling,
  failing,
  readEvents,
  routeTo,
  typesOf,
  withAgent,
  withRoutes,
} from '../../../test/support/agent-fixture.ts';
import { ModelError, type ModelErrorKind } from '../../base/index.ts';
import type { CredentialPool, RouteSource } from '../../contracts/index.ts';
import { createFakeClock, createScriptedModel, type ModelScript } from '../../testing/index.ts';

function twoRoutes(first: ModelScript, second: ModelScript) {
  const primary = createScriptedModel(first);
  const fallback = createScriptedModel(second);
  const routes = [routeTo(primary), routeTo(fallback, { provider: 'second', model: 'model-2' })];
  return { primary, fallback, routes };
}

describe('retries', () => {
  for (const kind of ['rate_limit', 'overloaded', 'server_error', 'connection', 'timeout'] as const) {
    verifies('CALL-3', `${kind}: retries on the last route until the retry budget is used up`, async () => {
      await withAgent(
        () => failing(kind),
        async ({ agent, clock }) => {
          const { events, result } = await readEvents(agent.run({ userMessage: 'go' }));
          expect(result).toMatchObject({ exitReason: 'failed', error: { kind } });
          // 242 seconds; the next wait would end after 302 seconds.
          expect(clock.sleeps).toEqual([2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1000));
          const waits = events.flatMap((event) => (event.type === 'retry' ? [event.waitMs] : []));
          expect(waits).toEqual(clock.sleeps);
        },
        { retrySeconds: 300 },
      );
    });
  }

  verifies('CALL-3', 'recovers from an outage of four minutes', async () => {
    const outage = Array.from({ length: 8 }, () => failing('overloaded'));
    await withAgent([...outage, { text: 'back' }], async ({ agent }) => expect(await agent.chat('go')).toBe('back'));
  });

  verifies('CALL-3', 'makes three attempts for a failure that does not pass with time', async () => {
    await withAgent(
      () => failing('unknown'),
      async ({ agent, clock }) => {
        expect(await agent.runConversation({ userMessage: 'go' })).toMatchObject({ exitReason: 'failed' });
        expect(clock.sleeps).toEqual([2_000, 4_000]);
      },
    );
  });

  verifies(
    'CALL-3',
    'does not retry on the last route if retry_seconds is 0, but still tries the fallback',
    async () => {
      await withAgent(
        () => failing('overloaded'),
        async ({ agent, model }) => {
          expect(await agent.runConversation({ userMessage: 'go' })).toMatchObject({ exitReason: 'failed' });
          expect(model.requests).toHaveLength(1);
        },
        { retrySeconds: 0 },
      );
      const { primary, routes } = twoRoutes(() => failing('overloaded'), [{ text: 'from the second' }]);
      await withRoutes(
        routes,
        async ({ agent }) => {
          expect(await agent.chat('go')).toBe('from the second');
          expect(primary.requests).toHaveLength(3);
        },
        { retrySeconds: 0 },
      );
    },
  );

  verifies('CALL-3', 'does not wait for a provider that asks for minutes while a fallback is left', async () => {
    const script = () => failing('server_error', { retryAfterMs: 200_000 });
    const { primary, routes } = twoRoutes(script, [{ text: 'from the second' }]);
    await withRoutes(routes, async ({ agent, clock }) => {
      expect(await agent.chat('go')).toBe('from the second');
      expect([primary.requests.length, clock.sleeps]).toEqual([1, []]);
    });
  });

  verifies('CALL-5', 'falls back immediately after a plain 404', async () => {
    const { primary, routes } = twoRoutes(() => failing('unknown', { status: 404 }), [{ text: 'from the second' }]);
    await withRoutes(routes, async ({ agent }) => {
      expect(await agent.chat('go')).toBe('from the second');
      expect(primary.requests).toHaveLength(1);
    });
  });

  verifies('CALL-3', 'respects the retry-after of the provider', async () => {
    await withAgent([failing('overloaded', { retryAfterMs: 7_500 }), { text: 'ok' }], async ({ agent, clock }) => {
      expect(await agent.chat('go')).toBe('ok');
      expect(clock.sleeps).toEqual([7_500]);
    });
  });

  verifies('CALL-3', 'fails instead of waiting an hour, and reports the retry-after', async () => {
    const script = () => failing('rate_limit', { retryAfterMs: 3_600_000 });
    await withAgent(script, async ({ agent, model, clock }) => {
      const result = await agent.runConversation({ userMessage: 'go' });
      expect(result.error?.message).toContain('3600 s');
      expect(model.requests).toHaveLength(1);
      expect(clock.sleeps).toEqual([]);
    });
  });

  verifies('CALL-3', 'ends the wait immediately on an interrupt', async () => {
    await withAgent(
      () => failing('overloaded'),
      async ({ agent, clock }) => {
        clock.sleep = (_ms, signal) =>
          new Promise((_resolve, reject) => {
            signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
          });
        const run = agent.run({ userMessage: 'go' });
        for await (const event of run) if (event.type === 'retry') run.interrupt();
        expect(await run.result).toMatchObject({ exitReason: 'interrupted' });
      },
    );
  });

  for (const kind of [
    'rate_limit',
    'overloaded',
    'server_error',
    'timeout',
    'connection',
    'stream_stall',
    'unknown',
  ] as const) {
    verifies('CALL-5', `${kind}: retries, then falls back`, async () => {
      const { primary, fallback, routes } = twoRoutes(() => failing(kind), [{ text: 'from the second' }]);
      await withRoutes(routes, async ({ agent }) => {
        const { events, result } = await readEvents(agent.run({ userMessage: 'go' }));
        expect(result).toMatchObject({ finalResponse: 'from the second', provider: 'second', model: 'model-2' });
        expect(primary.requests).toHaveLength(3);
        expect(fallback.requests[0]?.system).toBe(primary.requests[0]?.system);
        expect(typesOf(events).filter((type) => type === 'fallback')).toHaveLength(1);
      });
    });
  }
});

describe('counting attempts', () => {
  verifies('CALL-3', 'does not count answers and modified requests', async () => {
    const cut = { text: 'part ', finishReason: 'length' as const };
    const script = [cut, cut, cut, failing('overloaded'), failing('overloaded'), { text: 'end' }];
    await withAgent(script, async ({ agent }) => expect(await agent.chat('go')).toBe('part part part end'));
    const repairable = [failing('thinking_signature'), failing('invalid_encrypted_content'), failing('encoding')];
    const tries = [failing('server_error'), failing('server_error'), { text: 'ok' }];
    await withAgent([...repairable, ...tries], async ({ agent }) => expect(await agent.chat('go')).toBe('ok'));
  });

  verifies('CALL-7', 'stores and returns the text written before everything failed', async () => {
    const script = [{ text: 'the first half', finishReason: 'length' as const }];
    await withAgent(
      [...script, ...Array.from({ length: 3 }, () => failing('unknown')), { text: 'later' }],
      async ({ agent, store }) => {
        const result = await agent.runConversation({ userMessage: 'go' });
        expect(result).toMatchObject({ exitReason: 'failed', finalResponse: 'the first half' });
        const stored = await store.getConversation(agent.sessionId);
        expect(stored.at(-1)).toMatchObject({ role: 'assistant', content: 'the first half', finishReason: 'length' });
      },
    );
  });
});

describe('modified requests', () => {
  const longHistory = (count: number): ModelScript => {
    let step = 0;
    return (request) => {
      step += 1;
      if (step <= count) return calling('echo', { text: `${step} ${'x'.repeat(400)}` });
      const size = JSON.stringify(request.messages).length;
      return size > 3_500 ? failing('context_overflow', { contextLimit: 4_096, retryable: false }) : { text: 'fits' };
    };
  };

  verifies('CALL-5', 'an overflow compresses, more each time, and the parent keeps all messages', async () => {
    await withAgent(longHistory(15), async ({ agent, store, model }) => {
      const parent = agent.sessionId;
      const { events, result } = await readEvents(agent.run({ userMessage: 'go' }));
      expect(result).toMatchObject({ finalResponse: 'fits', sessionId: agent.sessionId });
      expect(typesOf(events)).toContain('compressed');
      expect(agent.sessionId).not.toBe(parent);
      const stored = await store.getConversation(parent);
      const results = stored.filter((message) => message.role === 'tool');
      expect(results.every((message) => message.content.length > 400)).toBe(true);
      const requests = model.requests.length;
      await agent.chat('and now?');
      expect(model.requests).toHaveLength(requests + 1); // The session stays small: the next turn does not overflow again.
    });
  });

  for (const kind of ['context_overflow', 'payload_too_large', 'long_context_tier'] as const) {
    verifies('CALL-5', `${kind}: fails with a hint after three compressions`, async () => {
      let step = 0;
      const script: ModelScript = () => {
        step += 1;
        return step <= 30 ? calling('echo', { text: 'y'.repeat(300) + step }) : failing(kind);
      };
      await withAgent(script, async ({ agent, model }) => {
        const { events, result } = await readEvents(agent.run({ userMessage: 'go' }));
        expect(result).toMatchObject({ exitReason: 'failed', error: { kind, hint: expect.stringContaining('/new') } });
        expect(events.filter(({ type }) => type === 'compressed')).toHaveLength(3);
        expect(model.requests).toHaveLength(34);
      });
    });
  }

  verifies('CALL-5', 'thinking_signature and invalid_encrypted_content: omits the reasoning, once each', async () => {
    for (const kind of ['thinking_signature', 'invalid_encrypted_content'] as const) {
      await withAgent([failing(kind), { text: 'ok' }], async ({ agent }) => expect(await agent.chat('go')).toBe('ok'));
      await withAgent(
        () => failing(kind),
        async ({ agent, model }) => {
          expect(await agent.runConversation({ userMessage: 'go' })).toMatchObject({ failed: true });
          expect(model.requests).toHaveLength(2);
        },
      );
    }
  });

  verifies('CALL-5', 'unsupported_parameter: changes it for this and later calls', async () => {
    const parameter = { name: 'max_tokens', replacement: 'max_completion_tokens' };
    const script = [failing('unsupported_parameter', { parameter }), { text: 'ok' }, { text: 'later' }];
    await withAgent(script, async ({ agent, model }) => {
      await agent.chat('go');
      await agent.chat('again');
      expect(model.requests.map((request) => request.parameterChanges)).toEqual([
        [parameter],
        [parameter],
        [parameter],
      ]);
      expect(model.requests).toHaveLength(3);
    });
  });

  verifies('CALL-5', 'stream_refused: stops streaming', async () => {
    await withAgent([failing('stream_refused'), { text: 'ok' }, { text: 'later' }], async ({ agent, model }) => {
      await agent.chat('go');
      await agent.chat('again');
      expect(model.requests.map((request) => request.stream)).toEqual([true, false, false]);
    });
  });

  verifies('CALL-5', 'encoding: cleans the text and sends it once more', async () => {
    await withAgent([failing('encoding'), { text: 'ok' }], async ({ agent, model, store }) => {
      await agent.chat('bell \u0007 here');
      expect(model.requests[1]?.messages[0]?.content).toBe('bell \ufffd here');
      expect((await store.getConversation(agent.sessionId))[0]?.content).toBe('bell \u0007 here');
    });
    await withAgent(
      () => failing('encoding'),
      async ({ agent, model }) => {
        expect(await agent.runConversation({ userMessage: 'go' })).toMatchObject({ failed: true });
        expect(model.requests).toHaveLength(2);
      },
    );
  });
});

describe('credentials', () => {
  function poolOf(count: number) {
    const calls: string[] = [];
    let left = count;
    const pool: CredentialPool = {
      current: () => `credential-${left}`,
      findCooldown: async () => undefined,
      refresh: async () => {
        calls.push('refresh');
        return true;
      },
      rotate: async (kind) => {
        calls.push(`rotate ${kind}`);
        left -= 1;
        return left > 0;
      },
    };
    return { calls, pool };
  }

  verifies('CALL-5', 'auth: refreshes the credential once, then uses another one', async () => {
    const { calls, pool } = poolOf(2);
    const model = createScriptedModel([failing('auth'), failing('auth'), { text: 'ok' }]);
    await withRoutes([routeTo(model, { credentials: pool })], async ({ agent }) => {
      expect(await agent.chat('go')).toBe('ok');
      expect(calls).toEqual(['refresh', 'rotate auth']);
    });
  });

  /** A pool whose credentials are all available and used in turn. */
  function readyPool(names: readonly string[], changes: Partial<CredentialPool> = {}) {
    const calls: string[] = [];
    let used = 0;
    const pool: CredentialPool = {
      current: () => names[used % names.length],
      refresh: async () => calls.push(`refresh ${pool.current()}`) > 0,
      rotate: async (_, retryAfterMs) => {
        calls.push(`rotate ${pool.current()} ${retryAfterMs}`);
        used += 1;
        return true;
      },
      findCooldown: async () => undefined,
      ...changes,
    };
    return { pool, calls };
  }

  verifies('CALL-5', 'auth: refreshes each credential once per step', async () => {
    const { calls, pool } = readyPool(['one', 'two']);
    const model = createScriptedModel([...Array(4).fill(failing('auth')), { text: 'ok' }]);
    await withRoutes([routeTo(model, { credentials: pool })], async ({ agent }) => {
      expect(await agent.chat('go')).toBe('ok');
      expect(calls).toEqual(['refresh one', 'rotate one undefined', 'refresh two', 'rotate two undefined']);
    });
  });

  verifies('CALL-5', 'rate_limit: does not retry forever with a retry-after of zero', async () => {
    const { calls, pool } = readyPool(['one', 'two']);
    const primary = createScriptedModel(() => failing('rate_limit', { retryAfterMs: 0 }));
    const second = createScriptedModel([{ text: 'second' }]);
    const routes = [routeTo(primary, { credentials: pool }), routeTo(second, { provider: 'second' })];
    await withRoutes(routes, async ({ agent }) => {
      expect(await agent.chat('go')).toBe('second');
      expect(primary.requests.length).toBeLessThan(12);
      // Every rejection is still recorded by the pool.
      expect(calls).toHaveLength(primary.requests.length);
    });
  });

  verifies('CALL-5', 'rate_limit: waits for the first available credential, not the last rejected one', async () => {
    const fake = createFakeClock();
    const restOfAll = async () => ({ until: fake.now() + 5_000, told: false });
    const { pool } = readyPool(['one'], { rotate: async () => false, findCooldown: restOfAll });
    const primary = createScriptedModel([failing('rate_limit', { retryAfterMs: 3_600_000 }), { text: 'first' }]);
    const routes = [routeTo(primary, { credentials: pool }), routeTo(createScriptedModel([]), { provider: 'second' })];
    await withRoutes(routes, async ({ agent, clock }) => {
      expect(await agent.chat('go')).toBe('first');
      expect(clock.sleeps).toEqual([5_000]);
    });
  });

  verifies('CALL-6', 'skips a primary route until the reset time that another process learned', async () => {
    let rest: { until: number; told: boolean } | undefined = { until: Infinity, told: false };
    const { pool } = readyPool(['one'], { findCooldown: async () => rest });
    const primary = createScriptedModel(() => ({ text: 'first' }));
    const second = createScriptedModel(() => ({ text: 'second' }));
    const routes = [routeTo(primary, { credentials: pool }), routeTo(second, { provider: 'second' })];
    await withRoutes(routes, async ({ agent, clock }) => {
      const ask = async () => readEvents(agent.run({ userMessage: 'go' }));
      // An estimated cooldown does not count, only one that the provider reported.
      expect((await ask()).result.finalResponse).toBe('first');
      rest = { until: clock.now() + 60_000, told: true };
      const { events, result } = await ask();
      expect(result.finalResponse).toBe('second');
      const line = { from: 'scripted/model-1', to: 'second/model-1', reason: 'rate limited for another 1 min' };
      expect(events.filter(({ type }) => type === 'fallback')).toEqual([{ type: 'fallback', ...line }]);
      // The fallback is announced only once.
      expect(typesOf((await ask()).events)).not.toContain('fallback');
      clock.advance(60_000);
      rest = undefined;
      expect((await ask()).result.finalResponse).toBe('first');
    });
  });

  it('emits credential warnings', async () => {
    const { pool } = readyPool(['one'], { warnings: async () => ['a file was written'] });
    await withRoutes([routeTo(createScriptedModel([{ text: 'ok' }]), { credentials: pool })], async ({ agent }) => {
      const { events } = await readEvents(agent.run({ userMessage: 'go' }));
      expect(events).toContainEqual({ type: 'warning', message: 'a file was written' });
    });
  });

  for (const kind of ['rate_limit', 'billing', 'auth_permanent'] as const) {
    verifies('CALL-5', `${kind}: rotates the credential immediately, then falls back`, async () => {
      const { calls, pool } = poolOf(2);
      const primary = createScriptedModel(() => failing(kind, { retryAfterMs: 60_000 }));
      const second = createScriptedModel([{ text: 'second' }]);
      const routes = [routeTo(primary, { credentials: pool }), routeTo(second, { provider: 'second' })];
      await withRoutes(routes, async ({ agent, clock }) => {
        expect(await agent.chat('go')).toBe('second');
        expect(calls).toEqual([`rotate ${kind}`, `rotate ${kind}`]);
        expect(primary.requests).toHaveLength(2);
        expect(clock.sleeps).toEqual([]);
      });
    });
  }
});

describe('fallback', () => {
  verifies('CALL-5', 'rate_limit: waits if the retry-after is short', async () => {
    const script = [failing('rate_limit', { retryAfterMs: 10_000 }), { text: 'first' }];
    const { routes } = twoRoutes(script, [{ text: 'second' }]);
    await withRoutes(routes, async ({ agent }) => expect(await agent.chat('go')).toBe('first'));
  });

  verifies('CALL-5', 'rate_limit: falls back if the retry-after is long', async () => {
    const { primary, routes } = twoRoutes(() => failing('rate_limit', { retryAfterMs: 10_001 }), [{ text: 'second' }]);
    await withRoutes(routes, async ({ agent, clock }) => {
      expect(await agent.chat('go')).toBe('second');
      expect(primary.requests).toHaveLength(1);
      expect(clock.sleeps).toEqual([]);
    });
  });

  verifies('CALL-6', 'returns to the primary route in the next turn, unless it is in cooldown', async () => {
    const { primary, fallback, routes } = twoRoutes(
      [failing('rate_limit', { retryAfterMs: 3_600_000 }), { text: 'primary is back' }],
      [{ text: 'one' }, { text: 'two' }],
    );
    await withRoutes(routes, async ({ agent, clock }) => {
      expect(await agent.chat('a')).toBe('one');
      expect(await agent.chat('b')).toBe('two');
      expect(primary.requests).toHaveLength(1);
      await clock.sleep(3_600_000);
      expect(await agent.chat('c')).toBe('primary is back');
      expect(fallback.requests).toHaveLength(2);
    });
  });

  verifies('CALL-6', 'sends the same history to the next route and counts attempts from zero', async () => {
    const { fallback, routes } = twoRoutes(
      [calling('echo', { text: 'x' }), ...Array.from({ length: 3 }, () => failing('server_error'))],
      [failing('server_error'), failing('server_error'), { text: 'done' }],
    );
    await withRoutes(routes, async ({ agent }) => {
      expect(await agent.chat('go')).toBe('done');
      expect(fallback.requests).toHaveLength(3);
      expect(fallback.requests[0]?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool']);
    });
  });

  verifies('CALL-6', 'skips routes that cannot be opened', async () => {
    const broken: RouteSource = {
      provider: 'broken',
      model: 'none',
      open: () => Promise.reject(new Error('no key for broken')),
    };
    const model = createScriptedModel([{ text: 'third' }]);
    await withRoutes([broken, broken, routeTo(model)], async ({ agent }) => {
      const { events, result } = await readEvents(agent.run({ userMessage: 'go' }));
      expect(result.finalResponse).toBe('third');
      expect(events.find((event) => event.type === 'fallback')).toMatchObject({ reason: 'no key for broken' });
    });
    await withRoutes([broken], async ({ agent }) => {
      const result = await agent.runConversation({ userMessage: 'go' });
      expect(result).toMatchObject({ exitReason: 'failed', error: { message: 'no key for broken' } });
    });
  });

  verifies('CALL-6', 'uses a primary route in cooldown if no fallback opens', async () => {
    const primary = createScriptedModel([
      failing('rate_limit', { retryAfterMs: 60_000 }),
      ...Array(2).fill(failing('rate_limit')),
      { text: 'back' },
    ]);
    const broken: RouteSource = { provider: 'b', model: 'b', open: () => Promise.reject(new Error('no key')) };
    await withRoutes([routeTo(primary), broken], async ({ agent }) => {
      expect(await agent.runConversation({ userMessage: 'a' })).toMatchObject({ exitReason: 'failed' });
      expect(await agent.chat('b')).toBe('back');
    });
  });

  verifies('CALL-8', 'gives another model its own retries for empty answers', async () => {
    const { fallback, routes } = twoRoutes(() => ({}), [{}, {}, { text: 'at last' }]);
    await withRoutes(routes, async ({ agent }) => {
      expect(await agent.chat('go')).toBe('at last');
      expect(fallback.requests).toHaveLength(3);
    });
  });

  verifies('CALL-5', 'keeps the hint that a failure already has', async () => {
    const model = createScriptedModel([]);
    const failure = failing('auth').fault.failure;
    model.stream = () => Promise.reject(new ModelError(failure, { hint: 'This key is for another host.' }));
    await withRoutes([routeTo(model)], async ({ agent }) => {
      expect((await agent.runConversation({ userMessage: 'go' })).error?.hint).toBe('This key is for another host.');
    });
  });

  for (const kind of ['content_policy', 'format_error', 'model_not_found'] as ModelErrorKind[]) {
    verifies('CALL-5', `${kind}: falls back without a retry, else shows the provider's message`, async () => {
      const { primary, routes } = twoRoutes(() => failing(kind), [{ text: 'second' }]);
      await withRoutes(routes, async ({ agent }) => {
        expect(await agent.chat('go')).toBe('second');
        expect(primary.requests).toHaveLength(1);
      });
      await withAgent(
        () => failing(kind),
        async ({ agent, model }) => {
          const result = await agent.runConversation({ userMessage: 'go' });
          expect(result.error?.message).toContain(`scripted ${kind}`);
          expect(model.requests).toHaveLength(1);
        },
      );
    });
  }

  verifies('CALL-5', 'model_not_found: suggests similar models', async () => {
    const source = routeTo(
      createScriptedModel(() => failing('model_not_found')),
      { model: 'gtp-5' },
    );
    const open = async () => ({ ...(await source.open()), listModels: async () => ['gpt-5', 'llama'] });
    await withRoutes([{ ...source, open }], async ({ agent }) => {
      const { error } = await agent.runConversation({ userMessage: 'go' });
      expect(error?.hint).toContain('gpt-5');
      expect(error?.hint).not.toContain('llama');
    });
  });

  verifies('CALL-5', 'model_not_found: says so if the endpoint lists no models', async () => {
    const source = routeTo(createScriptedModel(() => failing('model_not_found')));
    const open = async () => ({ ...(await source.open()), listModels: async () => [] });
    await withRoutes([{ ...source, open }], async ({ agent }) => {
      expect((await agent.runConversation({ userMessage: 'go' })).error?.hint).toContain('lists no models');
    });
  });

  verifies('CALL-5', 'content_policy: tries one other model, not the whole chain', async () => {
    const models = [1, 2, 3].map(() => createScriptedModel(() => failing('content_policy')));
    await withRoutes(
      models.map((model) => routeTo(model)),
      async ({ agent }) => {
        expect(await agent.runConversation({ userMessage: 'go' })).toMatchObject({ failed: true });
        expect(models.map((model) => model.requests.length)).toEqual([1, 1, 0]);
      },
    );
  });
});

describe('output limit', () => {
  verifies('CALL-7', 'continues a truncated text and stores it as one message', async () => {
    const script = [
      { text: 'part one, ', finishReason: 'length' as const },
      { text: 'part two, ', finishReason: 'length' as const },
      { text: 'the end' },
    ];
    await withAgent(script, async ({ agent, store, model }) => {
      expect(await agent.chat('go')).toBe('part one, part two, the end');
      const stored = await store.getConversation(agent.sessionId);
      expect(stored.map((message) => message.role)).toEqual(['user', 'assistant']);
      expect(model.requests[2]?.messages[1]?.content).toBe('part one, part two,');
    });
  });

  verifies(
    ['CALL-7', 'LOOP-4'],
    'ends the turn as truncated after three continuations, with the text so far',
    async () => {
      await withAgent(
        () => ({ text: 'more ', finishReason: 'length' as const }),
        async ({ agent, model, store }) => {
          const result = await agent.runConversation({ userMessage: 'go' });
          expect(result).toMatchObject({
            exitReason: 'truncated',
            partial: true,
            finalResponse: 'more more more more',
          });
          expect(model.requests).toHaveLength(4);
          expect((await store.getConversation(agent.sessionId)).at(-1)?.content).toBe('more more more more ');
        },
      );
    },
  );

  verifies('CALL-7', 'keeps the text before a continuation that ends in a tool call', async () => {
    const script = [
      { text: 'I will ', finishReason: 'length' as const },
      { text: 'look.', ...calling('echo', { text: 'x' }) },
      { text: 'done' },
    ];
    await withAgent(script, async ({ agent, store }) => {
      await agent.chat('go');
      expect((await store.getConversation(agent.sessionId))[1]).toMatchObject({ content: 'I will look.' });
    });
  });

  const cut = { ...calling('echo', '{"text": "hal'), finishReason: 'length' as const };

  verifies('CALL-7', 'retries a truncated tool call once with a higher limit, then answers it', async () => {
    await withAgent([cut, calling('echo', { text: 'whole' }), { text: 'done' }], async ({ agent, model }) => {
      expect(await agent.runConversation({ userMessage: 'go' })).toMatchObject({ completed: true, toolCalls: 1 });
      expect(model.requests.map((request) => request.maxOutputTokens)).toEqual([undefined, 32_000, undefined]);
    });
    await withAgent([cut, cut, { text: 'done' }], async ({ agent, model, store }) => {
      expect(await agent.chat('go')).toBe('done');
      expect(model.requests).toHaveLength(3);
      const stored = await store.getConversation(agent.sessionId);
      expect(stored.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
      expect(stored[2]?.content).toMatch(/not run.*smaller calls/);
    });
  });

  verifies('CALL-7', 'answers every call of a truncated answer and runs none of them', async () => {
    const two = [...calling('echo', { text: 'a' }, 'c1').toolCalls, ...calling('echo', '{"text": "b', 'c2').toolCalls];
    const cutBatch = { text: 'Both.', toolCalls: two, finishReason: 'length' as const };
    await withAgent([cutBatch, cutBatch, { text: 'done' }], async ({ agent, store }) => {
      await agent.chat('go');
      const results = (await store.getConversation(agent.sessionId)).filter(({ role }) => role === 'tool');
      expect(results).toMatchObject([{ toolCallId: 'c1' }, { toolCallId: 'c2' }]);
      for (const { content } of results) expect(content).toContain('not run');
    });
  });

  verifies(['CALL-7', 'LOOP-4'], 'ends the turn as truncated after three steps with truncated calls', async () => {
    await withAgent(
      () => cut,
      async ({ agent, model }) => {
        const result = await agent.runConversation({ userMessage: 'go' });
        expect(result).toMatchObject({ exitReason: 'truncated', toolCalls: 3 });
        expect(result.error?.message).toContain('truncated tool calls 3 times');
        expect(model.requests).toHaveLength(6);
      },
    );
  });

  verifies('CALL-7', 'raises the limit above what was already written', async () => {
    for (const [output, limit] of [
      [16_000, 32_000],
      [40_000, 80_000],
    ] as const) {
      const usage = { input: 1, output, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
      await withAgent([{ ...cut, usage }, { text: 'done' }], async ({ agent, model }) => {
        await agent.chat('go');
        expect(model.requests[1]?.maxOutputTokens).toBe(limit);
      });
    }
  });

  verifies('CALL-7', 'raises the limit if reasoning used it up, and ends the turn if that does not help', async () => {
    const thinking = { reasoning: 'long', finishReason: 'length' as const };
    await withAgent([thinking, { text: 'done' }], async ({ agent, model }) => {
      expect(await agent.chat('go')).toBe('done');
      expect(model.requests[1]?.maxOutputTokens).toBe(32_000);
    });
    await withAgent([thinking, thinking], async ({ agent }) => {
      expect(await agent.runConversation({ userMessage: 'go' })).toMatchObject({
        exitReason: 'truncated',
        toolCalls: 0,
      });
    });
  });
});

describe('empty answers', () => {
  verifies('CALL-8', 'nudges once after tool results, without storing the nudge', async () => {
    await withAgent(
      [calling('echo', { text: 'x' }), {}, { text: 'done' }, { text: 'next' }],
      async ({ agent, model, store }) => {
        expect(await agent.chat('go')).toBe('done');
        expect(model.requests[2]?.messages.slice(-2).map((message) => message.role)).toEqual(['assistant', 'user']);
        await agent.chat('on');
        const stored = JSON.stringify(await store.getConversation(agent.sessionId));
        expect(stored).not.toContain('(empty)');
        expect(JSON.stringify(model.requests[3]?.messages)).not.toContain('(empty)');
      },
    );
  });

  verifies('CALL-8', 'sends back an answer with only reasoning up to twice', async () => {
    const script = [{ reasoning: 'so' }, { reasoning: 'and so' }, { text: 'done' }];
    await withAgent(script, async ({ agent, model, store }) => {
      expect(await agent.chat('go')).toBe('done');
      expect(model.requests[1]?.messages[1]?.content).toContain('so');
      expect(model.requests[2]?.messages[1]?.content).toContain('and so');
      expect(await store.getConversation(agent.sessionId)).toHaveLength(2);
    });
  });

  verifies(['CALL-8', 'LOOP-4'], 'retries three times, falls back, then ends the turn as (empty)', async () => {
    const { primary, fallback, routes } = twoRoutes(
      () => ({}),
      () => ({}),
    );
    await withRoutes(routes, async ({ agent, store }) => {
      const result = await agent.runConversation({ userMessage: 'go' });
      expect(result).toMatchObject({ exitReason: 'empty', partial: true, finalResponse: '(empty)' });
      expect(primary.requests).toHaveLength(4);
      expect(fallback.requests).toHaveLength(4);
      expect((await store.getConversation(agent.sessionId)).map((message) => message.role)).toEqual(['user']);
    });
  });
});

describe('invalid tool calls', () => {
  verifies('TOOLX-2', 'requests arguments that are not JSON again, then answers with an error', async () => {
    const bad = calling('echo', 'text = hello', 'c1');
    await withAgent([bad, bad, bad, bad, { text: 'done' }], async ({ agent, model, store }) => {
      const result = await agent.runConversation({ userMessage: 'go' });
      expect(result).toMatchObject({ completed: true, finalResponse: 'done' });
      expect(model.requests).toHaveLength(5);
      const stored = await store.getConversation(agent.sessionId);
      expect(stored[1]).toMatchObject({ toolCalls: [{ arguments: 'text = hello' }] });
      expect(stored[2]?.content).toMatch(/JSON/);
    });
  });

  verifies('TOOLX-7', 'runs repaired arguments and stores the original ones', async () => {
    const script = [calling('Echo', "{'text': 'hi',}", 'c1'), { text: 'done' }];
    await withAgent(script, async ({ agent, store }) => {
      await agent.chat('go');
      const stored = await store.getConversation(agent.sessionId);
      expect(stored[1]).toMatchObject({ toolCalls: [{ name: 'Echo', arguments: "{'text': 'hi',}" }] });
      expect(stored[2]).toMatchObject({ role: 'tool', content: 'echo: hi' });
    });
  });

  verifies(
    ['TOOLX-1', 'LOOP-4'],
    'ends the turn as truncated after three batches of calls with invalid JSON',
    async () => {
      await withAgent(
        () => ({ toolCalls: [{ id: 'a', name: 'echo', arguments: '{"text" "b"}' }] }),
        async ({ agent }) => {
          const result = await agent.runConversation({ userMessage: 'go' });
          expect(result).toMatchObject({ exitReason: 'truncated', partial: true });
        },
      );
    },
  );

  verifies('TOOLX-1', 'an unknown tool name never ends the turn', async () => {
    const unknown = ['no_such_tool', 'nothing_at_all', 'imagined', 'made_up', 'invented'].map((name) => calling(name));
    await withAgent([...unknown, { text: 'done' }], async ({ agent, model }) => {
      const result = await agent.runConversation({ userMessage: 'go' });
      expect(result).toMatchObject({ exitReason: 'completed', finalResponse: 'done' });
      expect(model.requests[1]?.messages.at(-1)?.content).toContain('echo');
    });
  });

  verifies('TOOLX-1', 'runs the valid calls of a batch with an unknown one', async () => {
    const script = [
      {
        toolCalls: [
          { id: 'a', name: 'no_such_tool_at_all', arguments: '{}' },
          { id: 'b', name: 'echo', arguments: '{"text":"b"}' },
        ],
      },
      { text: 'done' },
    ];
    await withAgent(script, async ({ agent, store }) => {
      expect(await agent.chat('go')).toBe('done');
      const stored = await store.getConversation(agent.sessionId);
      expect(stored[3]).toMatchObject({ toolCallId: 'b', content: 'echo: b' });
    });
  });
});
