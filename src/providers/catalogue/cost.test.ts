import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { addUsage, NO_USAGE, type Usage } from '../../base/index.ts';
import type { ModelAnswer, ModelClient, ModelFacts, ModelRequest } from '../../contracts/index.ts';
import { estimateCost, priceUsage } from './cost.ts';
import { createPricedClient } from './attach-facts.ts';

const price = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5, source: 'list', version: '2026-11-02' };
const tokens = fc.integer({ min: 0, max: 2_000_000 });
const usages: fc.Arbitrary<Usage> = fc.record({
  input: tokens,
  output: tokens,
  cacheRead: tokens,
  cacheWrite: tokens,
  reasoning: tokens,
});
const figure = fc.integer({ min: 0, max: 1_000_000 }).map((part) => part / 1000);
const prices = fc
  .record(
    { input: figure, output: figure, cacheRead: figure, cacheWrite: figure },
    { requiredKeys: ['input', 'output'] },
  )
  .map((figures) => ({ ...figures, source: 'list', version: 'v' }));

describe('the cost of a call', () => {
  verifies('CALL-11', 'is calculated from its tokens, with the source and version of the price', () => {
    const usage = { input: 1_000_000, output: 100_000, cacheRead: 500_000, cacheWrite: 200_000, reasoning: 50_000 };
    expect(priceUsage(price, usage)).toEqual({
      usd: 2 + 1 + 0.1 + 0.5,
      status: 'estimated',
      source: 'list',
      pricingVersion: '2026-11-02',
    });
    // Cache writes for an hour cost more, and the catalogue has only the five-minute price.
    expect(priceUsage(price, { ...NO_USAGE, cacheWrite: 1_000_000 }, '1h').usd).toBe(4);
    const { cacheRead: _, cacheWrite: __, ...plain } = price;
    expect(priceUsage(plain, { ...NO_USAGE, cacheRead: 500_000, cacheWrite: 500_000 }).usd).toBe(2);
  });

  verifies('CALL-11', 'is never negative, zero for no tokens, and additive', () => {
    fc.assert(
      fc.property(prices, usages, usages, (list, a, b) => {
        const cost = (usage: Usage) => priceUsage(list, usage).usd;
        expect(cost(NO_USAGE)).toBe(0);
        expect(cost(a)).toBeGreaterThanOrEqual(0);
        const sum = cost(addUsage(a, b));
        expect(Math.abs(sum - cost(a) - cost(b))).toBeLessThanOrEqual(sum * 1e-9);
      }),
    );
  });

  verifies('CALL-11', 'is charged completely at the price of its tier', () => {
    const tiers = [
      { above: 400_000, input: 8, output: 40 },
      { above: 200_000, input: 4, output: 20, cacheRead: 0.4 },
    ];
    const cost = (input: number, cacheRead = 0) =>
      priceUsage({ ...price, tiers }, { ...NO_USAGE, input, cacheRead }).usd;
    expect(cost(200_000)).toBeCloseTo(0.4);
    expect(cost(200_000, 1)).toBeCloseTo(0.8);
    expect(cost(400_001)).toBeCloseTo(3.2);
    // A tier without its own cache price uses its input price for cached tokens.
    expect(cost(0, 500_000)).toBeCloseTo(4);
  });

  verifies('CALL-11', 'is unknown if there is no price', () => {
    const usage = { ...NO_USAGE, input: 1_000_000 };
    expect(estimateCost({}, usage)).toBeUndefined();
    expect(estimateCost({ subscription: true }, usage)).toEqual({ usd: 0, status: 'unknown', source: 'subscription' });
    expect(estimateCost({ price }, usage, { speed: 'fast' })).toMatchObject({ usd: 2, status: 'unknown' });
    expect(estimateCost({ price, fastPrice: { ...price, input: 6 } }, usage, { speed: 'fast' })).toMatchObject({
      usd: 6,
      status: 'estimated',
    });
  });
});

describe('a client with prices', () => {
  const request: ModelRequest = { system: '', messages: [], tools: [], toolChoice: 'auto', stream: true };
  const answer: ModelAnswer = {
    text: 'hi',
    toolCalls: [],
    finishReason: 'stop',
    usage: { ...NO_USAGE, output: 1_000_000 },
  };
  const ask = (facts: ModelFacts, given = answer) => {
    const client: ModelClient = {
      producer: 'p',
      prepare: () => ({ method: 'POST', url: '', headers: {}, body: '' }),
      stream: async () => given,
    };
    const options = { signal: new AbortController().signal, onEvent: () => undefined };
    return createPricedClient(client, () => facts).stream(request, options);
  };

  verifies('CALL-11', 'keeps the actual cost that the provider reports', async () => {
    const cost = { usd: 0.5, status: 'actual', source: 'provider' } as const;
    expect((await ask({ price }, { ...answer, cost })).cost).toEqual(cost);
    expect((await ask({ price })).cost).toMatchObject({ usd: 10, status: 'estimated', source: 'list' });
    expect(await ask({})).toEqual(answer);
  });
});
