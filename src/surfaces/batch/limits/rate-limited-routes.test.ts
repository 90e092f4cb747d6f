import { describe, expect, it } from 'vitest';
import { ModelError, type ModelFailure, systemClock } from '../../../base/index.ts';
import type { ModelRequest, ModelRoute, RouteSource } from '../../../contracts/index.ts';
import { createFakeClock } from '../../../testing/index.ts';
import { createRateLimiter, createRateLimiters } from './rate-limited-routes.ts';
import { createSpending } from './spending.ts';

const refusal = (more: Partial<ModelFailure> = {}): ModelFailure => ({
  kind: 'rate_limit',
  message: 'slow down',
  retryable: true,
  compress: false,
  rotateCredential: true,
  fallBack: true,
  ...more,
});
const never = new AbortController().signal;

describe('the rate limiter', () => {
  it('counts concurrent failures once, halves the concurrency, and increases it again', async () => {
    const clock = createFakeClock();
    const gate = createRateLimiter({ clock, maxWaitMs: 3_600_000, random: () => 0 });
    const passages = await Promise.all(Array.from({ length: 8 }, () => gate.acquire(never)));
    for (const passage of passages) expect(passage.rateLimited(refusal())).toBe(true);
    expect(gate.pause()).toMatchObject({ until: clock.now() + 2000, reason: 'slow down' });
    let entered = 0;
    const waiting = Array.from({ length: 8 }, async () => {
      const passage = await gate.acquire(never);
      entered += 1;
      return passage;
    });
    const first = await Promise.all(waiting.slice(0, 4));
    expect([entered, clock.sleeps[0]]).toEqual([4, 2000]);
    for (const passage of first) passage.succeeded();
    await Promise.all(waiting.slice(4));
    expect(entered).toBe(8);
  });

  it('waits for retry-after or with back-off, and finally gives up', async () => {
    const clock = createFakeClock();
    const gate = createRateLimiter({ clock, maxWaitMs: 600_000, random: () => 0 });
    const delays: number[] = [];
    for (let alive = true; alive; ) {
      alive = (await gate.acquire(never)).rateLimited(refusal());
      delays.push((gate.pause()?.until ?? 0) - clock.now());
    }
    expect(delays.slice(0, 6)).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000]);
    expect(clock.sleeps.reduce((sum, wait) => sum + wait)).toBeGreaterThanOrEqual(600_000);
    const asked = createRateLimiter({ clock, maxWaitMs: 600_000 });
    expect((await asked.acquire(never)).rateLimited(refusal({ retryAfterMs: 7000 }))).toBe(true);
    expect(asked.pause()?.until).toBe(clock.now() + 7000);
    expect((await asked.acquire(never)).rateLimited(refusal({ retryAfterMs: 700_000 }))).toBe(false);
  });

  it('rejects a waiting call that is aborted', async () => {
    const gate = createRateLimiter({ clock: createFakeClock(), maxWaitMs: 1000 });
    (await gate.acquire(never)).rateLimited(refusal());
    const held = await gate.acquire(never);
    const stop = new AbortController();
    const waiting = gate.acquire(stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    held.failedAlone();
  });

  it('rejects all waiting calls when the provider is given up, however long its retry-after is', async () => {
    const gate = createRateLimiter({ clock: systemClock, maxWaitMs: 1_000_000 });
    const [first, second, third] = [await gate.acquire(never), await gate.acquire(never), await gate.acquire(never)];
    expect(first.rateLimited(refusal({ retryAfterMs: 900_000 }))).toBe(true);
    const waiting = gate.acquire(never);
    expect(second.rateLimited(refusal({ retryAfterMs: 2_000_000 }))).toBe(false);
    expect(third.rateLimited(refusal())).toBe(false);
    await expect(waiting).rejects.toMatchObject({ failure: { message: 'slow down', retryable: false } });
    await expect(gate.acquire(never)).rejects.toThrow('slow down');
  });
});

/** A provider that answers or fails as scripted. */
function sourceOf(
  script: (call: number) => ModelFailure | undefined,
  more: Partial<ModelRoute> = {},
): RouteSource & { calls: number; opened: number } {
  const source = {
    provider: 'test',
    model: 'model',
    calls: 0,
    opened: 0,
    async open(): Promise<ModelRoute> {
      source.opened += 1;
      const stream = async () => {
        const failure = script((source.calls += 1));
        if (failure !== undefined) throw new ModelError(failure);
        const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
        return { text: 'ok', toolCalls: [], finishReason: 'stop' as const, usage };
      };
      const client = { producer: 'test', prepare: () => ({}) as never, stream };
      const route = { provider: 'test', model: 'model', baseUrl: 'http://x', apiMode: 'chat_completions' as const };
      return { ...route, contextLength: undefined, client, ...more };
    },
  };
  return source;
}

const request: ModelRequest = { system: '', messages: [], tools: [], toolChoice: 'auto', stream: true };
const options = { signal: never, onEvent: () => undefined };
const gatesOf = (given: string[] = []) =>
  createRateLimiters({
    clock: createFakeClock(),
    maxWaitMs: 60_000,
    random: () => 0,
    onAnswer: () => undefined,
    onGivenUp: ({ message }) => void given.push(message),
  });

describe('rate-limited routes', () => {
  it('are opened once for all agents, and retry after temporary rate limits', async () => {
    const source = sourceOf((call) => (call <= 3 ? refusal() : undefined));
    const gated = gatesOf().wrap(source);
    const routes = await Promise.all([gated.open(), gated.open(), gated.open()]);
    expect([source.opened, new Set(routes).size]).toEqual([1, 1]);
    expect(await routes[0]?.client.stream(request, options)).toMatchObject({ text: 'ok' });
    expect(source.calls).toBe(4);
  });

  it('pass errors that waiting cannot fix to the agent, and report when a provider is given up', async () => {
    const wrong = await gatesOf()
      .wrap(sourceOf(() => refusal({ kind: 'format_error' })))
      .open();
    await expect(wrong.client.stream(request, options)).rejects.toThrow('slow down');
    const given: string[] = [];
    const away = await gatesOf(given)
      .wrap(sourceOf(() => refusal({ kind: 'server_error', message: 'gone' })))
      .open();
    // The failure must not be retryable: the agent would retry and wait at a rate limiter that never opens.
    await expect(away.client.stream(request, options)).rejects.toMatchObject({
      failure: { message: 'gone', retryable: false },
    });
    expect(given).toEqual(['gone']);
  });

  it('switch to another key immediately if the agent has a credential pool', async () => {
    const rotated: string[] = [];
    const credentials = {
      current: () => String(rotated.length),
      refresh: async () => false,
      findCooldown: async () => undefined,
      rotate: async (kind: string) => rotated.push(kind) > 0,
    };
    const source = sourceOf((call) => (call === 1 ? refusal() : undefined), { credentials });
    const gated = gatesOf().wrap(source);
    const [first, second] = [await gated.open(), await gated.open()];
    expect(first).not.toBe(second);
    expect(await first.client.stream(request, options)).toMatchObject({ text: 'ok' });
    expect(rotated).toEqual(['rate_limit']);
  });
});

describe('the spending of a run', () => {
  const cost = (usd: number) => ({ cost: { usd, status: 'actual' as const } });

  it('starts another prompt only if it fits within the limit at the average cost so far', () => {
    const reasons: string[] = [];
    const spending = createSpending({ limitUsd: 5, spentUsd: 2, onLimit: (reason) => reasons.push(reason) });
    expect(spending.fitsAnother(0)).toBe(true);
    spending.noteAnswer(cost(1));
    spending.noteFinished(1);
    expect([spending.fitsAnother(0), spending.fitsAnother(1), spending.fitsAnother(2)]).toEqual([true, true, false]);
    spending.noteAnswer(cost(2));
    expect([spending.fitsAnother(0), reasons]).toEqual([false, []]);
    spending.noteAnswer(cost(0.1));
    expect(reasons).toEqual(['reached']);
  });

  it('cannot enforce a limit without prices, and reports it once', () => {
    const reasons: string[] = [];
    const spending = createSpending({ limitUsd: 5, spentUsd: 0, onLimit: (reason) => reasons.push(reason) });
    spending.noteAnswer({});
    spending.noteAnswer({});
    expect([reasons, spending.costKnown]).toEqual([['unknown'], false]);
  });

  it('remembers that an earlier start had no prices, and enforces the limit with current prices', () => {
    const reasons: string[] = [];
    const onLimit = (reason: string) => reasons.push(reason);
    const spending = createSpending({ limitUsd: 5, spentUsd: 2, knownBefore: false, onLimit });
    spending.noteAnswer(cost(1));
    expect([reasons, spending.costKnown]).toEqual([[], false]);
    spending.noteAnswer(cost(3));
    expect([reasons, spending.costKnown]).toEqual([['reached'], false]);
  });

  it('counts auxiliary costs, and cannot enforce a limit if a part of them has no price', () => {
    const reasons: string[] = [];
    const spending = createSpending({ limitUsd: 5, spentUsd: 0, onLimit: (reason) => reasons.push(reason) });
    spending.add({ usd: 1, status: 'estimated' });
    expect([spending.usd, spending.costKnown, reasons]).toEqual([1, true, []]);
    spending.add({ usd: 0.5, status: 'unknown' });
    expect([spending.usd, spending.costKnown, reasons]).toEqual([1.5, false, ['unknown']]);
  });
});
