import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Lease, LeaseOutcome } from '../../contracts/index.ts';
import { type OpenStore, openBench, START } from './bench.ts';

const CLI = { pid: 11, host: 'here', surface: 'cli', processScope: 'boot-1' };
const GATEWAY = { pid: 22, host: 'there', surface: 'gateway' };

function given(outcome: LeaseOutcome): Lease {
  if (!outcome.acquired) throw new Error(`held by ${outcome.heldBy.pid}`);
  return outcome.lease;
}

export function describeLeases(openStore: OpenStore): void {
  describe('leases', () => {
    verifies('STORE-7', 'one holder at a time; the second is told who it is', async () => {
      const { store, openAgain, pass } = await openBench(openStore);
      const other = await openAgain();
      const lease = given(await store.acquireLease('one', CLI, 30_000));
      pass(1000);
      const refused = await other.acquireLease('one', GATEWAY, 30_000);
      const { token } = lease;
      expect(refused).toEqual({ acquired: false, heldBy: { ...CLI, token, since: START, renewedAt: START } });
      given(await other.acquireLease('another', GATEWAY, 30_000));
      await store.releaseLease(lease);
      const second = given(await other.acquireLease('one', GATEWAY, 30_000));
      expect(second.previousToken).toBe(token);
      expect(await store.acquireLease('one', CLI, 30_000)).toMatchObject({ heldBy: { ...GATEWAY } });
      await other.close();
    });

    verifies('STORE-7', 'a heart-beat keeps it; without one it is taken over', async () => {
      const { store, pass } = await openBench(openStore);
      const lease = given(await store.acquireLease('one', CLI, 30_000));
      for (let beat = 0; beat < 5; beat += 1) {
        pass(20_000);
        expect(await store.renewLease(lease)).toBe(true);
        expect((await store.acquireLease('one', GATEWAY, 1000)).acquired).toBe(false);
      }
      pass(30_000);
      const second = given(await store.acquireLease('one', GATEWAY, 30_000));
      expect(await store.renewLease(lease)).toBe(false);
      // What is no longer one's own cannot be given back either.
      await store.releaseLease(lease);
      expect(await store.renewLease(second)).toBe(true);
    });

    it('survives a clock that is set back', async () => {
      const { store, pass } = await openBench(openStore);
      given(await store.acquireLease('one', CLI, 30_000));
      pass(-3_600_000);
      expect((await store.acquireLease('one', GATEWAY, 30_000)).acquired).toBe(true);
    });

    it('tells whoever comes first that nobody was there before', async () => {
      const { store } = await openBench(openStore);
      const first = given(await store.acquireLease('one', CLI, 30_000));
      expect(first.previousToken).toBeUndefined();
      await store.releaseLease(first);
      expect(await store.renewLease(first)).toBe(false);
      const again = given(await store.acquireLease('one', CLI, 30_000));
      expect(again.previousToken).toBe(first.token);
      expect(again.token).not.toBe(first.token);
    });
  });
}
