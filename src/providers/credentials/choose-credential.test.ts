import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { POOL_STRATEGIES } from '../../config/index.ts';
import { chooseCredential, type ChoiceOptions } from './choose-credential.ts';
import { cooldownAfter } from './credential-pool.ts';
import type { CredentialState, PoolState } from './pool-state.ts';

const MEMBERS = ['a', 'b', 'c'].map((id) => ({ id }));
const NOW = 1_000_000;
const lease = (holder: string, until = NOW + 1) => ({ holder, pid: 1, scope: 's', until });
const state = (changes: Partial<CredentialState>): CredentialState => ({
  uses: 0,
  lastUsedAt: 0,
  leases: [],
  ...changes,
});
const resting = (until: number, marked = false): CredentialState =>
  state({ rest: { until, reason: 'rate_limit', marked } });
const choose = (states: PoolState, options: Partial<ChoiceOptions> = {}) =>
  chooseCredential(MEMBERS, states, {
    strategy: 'fill_first',
    now: NOW,
    holder: 'me',
    isAlive: () => true,
    random: () => 0.99,
    ...options,
  })?.id;

describe('choosing a credential', () => {
  verifies('PROV-9', 'supports four strategies', () => {
    const used = {
      a: state({ uses: 3, lastUsedAt: 30 }),
      b: state({ uses: 9, lastUsedAt: 10 }),
      c: state({ uses: 1, lastUsedAt: 20 }),
    };
    expect(POOL_STRATEGIES.map((strategy) => choose(used, { strategy }))).toEqual(['a', 'b', 'c', 'c']);
    expect(choose(used, { strategy: 'random', random: () => 0 })).toBe('a');
    expect(choose(used, { strategy: 'random', random: () => 1 })).toBe('c');
    expect(choose({ ...used, b: state({}) }, { strategy: 'round_robin' })).toBe('b');
  });

  verifies(
    'PROV-9',
    'skips credentials in cooldown; if all are, tries the one that is ready first, disabled ones last',
    () => {
      expect(choose({ a: resting(NOW + 1) })).toBe('b');
      expect(choose({ a: resting(NOW) })).toBe('a');
      expect(choose({ a: resting(NOW + 9), b: resting(NOW + 5), c: resting(NOW + 7) })).toBe('b');
      expect(choose({ a: resting(NOW + 9), b: resting(NOW + 1, true), c: resting(NOW + 99) })).toBe('a');
    },
  );

  it('keeps its own lease, and avoids credentials leased by others', () => {
    expect(choose({ a: state({ leases: [lease('other')] }) })).toBe('b');
    expect(choose({ c: state({ leases: [lease('me'), lease('other')] }) })).toBe('c');
    expect(choose({ c: { ...resting(NOW + 1), leases: [lease('me')] } })).toBe('a');
    expect(choose({ a: state({ leases: [lease('other', NOW)] }) })).toBe('a');
    expect(choose({ a: state({ leases: [lease('killed')] }) }, { isAlive: () => false })).toBe('a');
  });

  it('shares the least used one if all are leased', () => {
    const held = (uses: number) => state({ uses, leases: [lease('other')] });
    expect(choose({ a: held(3), b: held(2), c: held(4) })).toBe('b');
    expect(choose({ a: held(3), b: held(2), c: resting(NOW + 1) })).toBe('b');
  });

  it('always returns one, and never one in cooldown while another is ready', () => {
    const anyState = fc.record({
      uses: fc.nat(5),
      lastUsedAt: fc.nat(5),
      leases: fc.array(
        fc.record({
          holder: fc.constantFrom('me', 'x', 'y'),
          pid: fc.nat(),
          scope: fc.string(),
          until: fc.integer({ min: NOW - 2, max: NOW + 2 }),
        }),
      ),
      rest: fc.option(
        fc.record({
          until: fc.integer({ min: NOW - 2, max: NOW + 2 }),
          reason: fc.constant('auth' as const),
          marked: fc.boolean(),
        }),
        { nil: undefined },
      ),
    });
    const property = fc.property(
      fc.dictionary(fc.constantFrom('a', 'b', 'c', 'gone'), anyState),
      fc.constantFrom(...POOL_STRATEGIES),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (states, strategy, random) => {
        const chosen = choose(states, { strategy, random: () => random });
        const isResting = (id: string) => (states[id]?.rest?.until ?? 0) > NOW;
        expect(MEMBERS.map(({ id }) => id)).toContain(chosen);
        expect(isResting(chosen as string) && MEMBERS.some(({ id }) => !isResting(id))).toBe(false);
      },
    );
    fc.assert(property);
    expect(
      chooseCredential([], {}, { strategy: 'random', now: 0, holder: '', isAlive: () => true, random: () => 0 }),
    ).toBeUndefined();
  });
});

describe('the cooldown of a credential', () => {
  verifies(
    'PROV-9',
    "depends on the failure, is a minute for a single credential, and follows the provider's delay",
    () => {
      const rest = (kind: Parameters<typeof cooldownAfter>[0], sole = false, retryAfterMs?: number) =>
        cooldownAfter(kind, { now: NOW, sole, retryAfterMs }).until - NOW;
      expect([rest('auth'), rest('rate_limit'), rest('unknown')]).toEqual([300_000, 3_600_000, 3_600_000]);
      expect([rest('auth', true), rest('rate_limit', true)]).toEqual([60_000, 60_000]);
      expect([rest('rate_limit', false, 5_000), rest('rate_limit', true, 7_200_000)]).toEqual([5_000, 7_200_000]);
      expect(rest('rate_limit', false, Number.MAX_SAFE_INTEGER)).toBe(31 * 24 * 3_600_000);
      // A reset time that has already passed, because clocks differ or the server has no better value.
      for (const sole of [true, false]) {
        const now = cooldownAfter('rate_limit', { now: NOW, sole, retryAfterMs: 0 });
        expect(now).toEqual({ until: NOW + 60_000, reason: 'rate_limit', marked: false });
      }
      for (const kind of ['billing', 'auth_permanent', 'login_ended'] as const) {
        expect(cooldownAfter(kind, { now: NOW, sole: true, retryAfterMs: 1 })).toEqual({
          until: NOW + 24 * 3_600_000,
          reason: kind,
          marked: true,
        });
      }
    },
  );
});
