import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { describeCacheMiss, NO_USAGE, type Usage } from '../base/index.ts';
import type { ModelRequest, ModelRoute } from '../contracts/index.ts';
import { type AnsweredCall, changedTools, createCacheLedger } from './cache-ledger.ts';

const route = (model = 'a', changes: Partial<ModelRoute> = {}) => ({ provider: 'p', model, ...changes }) as ModelRoute;
const tool = (name: string, description = '') => ({ name, description, parameters: {} });
const usage = (cacheRead: number, input = 0): Usage => ({ ...NO_USAGE, cacheRead, input });

const REQUEST: ModelRequest = {
  system: 'Be kind.',
  messages: [],
  tools: [tool('x'), tool('y')],
  toolChoice: 'auto',
  stream: true,
};
const FIRST: AnsweredCall = {
  route: route(),
  request: REQUEST,
  usage: usage(0, 10_000),
  at: 0,
  sessionId: 's',
  edits: '',
  isFallback: false,
};
/** A call a minute later of which only the tools were read from the cache. */
const MISSED: AnsweredCall = { ...FIRST, at: 60_000, usage: usage(3000, 8000) };
const request = (changes: Partial<ModelRequest>) => ({ request: { ...REQUEST, ...changes } });

/** What the ledger says about a call after the first one. */
function explain(changes: Partial<AnsweredCall> = {}, first: Partial<AnsweredCall> = {}) {
  const ledger = createCacheLedger();
  ledger.explain({ ...FIRST, ...first });
  const miss = ledger.explain({ ...MISSED, ...changes });
  return miss && describeCacheMiss(miss);
}

describe('the cache ledger', () => {
  verifies('CACHE-4', 'has one reason for each cache miss', () => {
    expect(explain({ usage: usage(9000, 2000) })).toBeUndefined();
    const reasons = [
      explain(),
      explain({ usage: usage(0, 11_000) }),
      explain(request({ tools: [tool('x', 'new'), tool('z')] })),
      explain(request({ system: 'Be quick.' })),
      explain({ sessionId: 'child' }),
      explain({ edits: '1' }),
      explain(request({ effort: 'high', speed: 'fast' })),
      explain(request({ toolChoice: 'none' })),
      explain({ at: 12 * 60_000 }),
      explain({ at: 12 * 60_000 }, { route: route('a', { cacheTtl: '1h' }) }),
      explain({ at: 61 * 60_000 }, { route: route('a', { cacheTtl: '1h' }) }),
      // What counts is the lifetime with which the entry was written.
      explain({ at: 12 * 60_000, ...request({ cacheMarkers: { level: 'results', isTrial: false, ttl: '1h' } }) }),
      explain({ route: route('b') }),
      explain({ route: route('b'), isFallback: true }),
      explain({}, { usage: usage(0, 1000) }),
    ];
    expect(reasons).toEqual([
      'not in the cache of the provider',
      'provider reported no cached tokens',
      'tools changed: x, y, z',
      'system prompt rebuilt',
      'compression',
      'history edited',
      'settings changed: effort, speed',
      'settings changed: tool choice',
      'expired after 12 minutes',
      'not in the cache of the provider',
      'expired after 61 minutes',
      'expired after 12 minutes',
      'model switched from p/a',
      'fallback from p/a',
      undefined,
    ]);
  });

  verifies('CACHE-4', 'counts what a model had read before, whatever other models were sent since', () => {
    const ledger = createCacheLedger();
    expect(ledger.explain(FIRST)).toEqual({ reason: 'first_call', tokens: 10_000 });
    ledger.explain({ ...FIRST, route: route('b') });
    expect(ledger.explain({ ...MISSED, usage: usage(10_000, 5000) })).toBeUndefined();
    expect(ledger.explain({ ...MISSED, at: 400_000, usage: usage(2000, 15_000) })).toEqual({
      reason: 'expired',
      minutes: 6,
      tokens: 13_000,
    });
    expect(ledger.explain({ ...FIRST, route: route('c'), usage: usage(0, 300) })).toMatchObject({
      reason: 'model_switched',
    });
    expect(ledger.explain({ ...FIRST, route: route('c'), usage: usage(0, 400) })).toEqual({
      reason: 'too_short',
      tokens: 300,
    });
  });

  it('says of each model whether its provider reports cached tokens', () => {
    const ledger = createCacheLedger();
    ledger.explain({ ...FIRST, usage: usage(8000, 2000) });
    const silent = { ...FIRST, route: route('local') };
    ledger.explain(silent);
    expect(ledger.explain({ ...silent, at: 60_000 })).toMatchObject({ reason: 'not_reported' });
    expect(ledger.explain({ ...MISSED, usage: usage(0, 11_000) })).toMatchObject({ reason: 'evicted' });
  });

  it('notices another credential, because accounts do not share a cache', () => {
    const named = (name: string) => route('a', { credentials: { current: () => name } as never });
    expect(explain({ route: named('two') }, { route: named('one') })).toBe('another credential');
    expect(explain({ route: named('one') }, { route: named('one') })).toBe('not in the cache of the provider');
  });

  it('names the tools that changed', () => {
    const [x, y] = [tool('x'), tool('y')];
    expect(changedTools([x, y], [tool('x'), tool('y')])).toEqual([]);
    expect(changedTools([x, y], [y])).toEqual(['x']);
    expect(changedTools([x, y], [y, x])).toEqual(['x', 'y']);
  });
});
