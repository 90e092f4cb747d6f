import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Lease, LeaseOutcome } from '../../contracts/index.ts';
import { callRecord, type OpenStore, openHarness, START } from './store-harness.ts';

const CLI = { pid: 11, host: 'here', surface: 'cli', processScope: 'boot-1' };
const GATEWAY = { pid: 22, host: 'there', surface: 'gateway' };

function given(outcome: LeaseOutcome): Lease {
  if (!outcome.acquired) throw new Error(`held by ${outcome.heldBy.pid}`);
  return outcome.lease;
}

export function describeLeases(openStore: OpenStore): void {
  describe('leases', () => {
    verifies('STORE-7', 'one holder at a time; the second learns who holds it', async () => {
      const { store, openAgain, advance } = await openHarness(openStore);
      const other = await openAgain();
      const lease = given(await store.acquireLease('one', CLI, 30_000));
      advance(1000);
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

    verifies('STORE-7', 'renewing keeps a lease; without it the lease can be taken over', async () => {
      const { store, advance } = await openHarness(openStore);
      const lease = given(await store.acquireLease('one', CLI, 30_000));
      for (let beat = 0; beat < 5; beat += 1) {
        advance(20_000);
        expect(await store.renewLease(lease)).toBe(true);
        expect((await store.acquireLease('one', GATEWAY, 1000)).acquired).toBe(false);
      }
      advance(30_000);
      const second = given(await store.acquireLease('one', GATEWAY, 30_000));
      expect(await store.renewLease(lease)).toBe(false);
      // Releasing a lease that was lost has no effect.
      await store.releaseLease(lease);
      expect(await store.renewLease(second)).toBe(true);
    });

    it('survives a clock that is set back', async () => {
      const { store, advance } = await openHarness(openStore);
      given(await store.acquireLease('one', CLI, 30_000));
      advance(-3_600_000);
      expect((await store.acquireLease('one', GATEWAY, 30_000)).acquired).toBe(true);
    });

    it('tells the first holder that nobody held it before', async () => {
      const { store } = await openHarness(openStore);
      const first = given(await store.acquireLease('one', CLI, 30_000));
      expect(first.previousToken).toBeUndefined();
      await store.releaseLease(first);
      expect(await store.renewLease(first)).toBe(false);
      const again = given(await store.acquireLease('one', CLI, 30_000));
      expect(again.previousToken).toBe(first.token);
      expect(again.token).not.toBe(first.token);
    });

    describeFence(openStore);
    describeSplit(openStore);
  });
}

const user = (content: string) => ({ role: 'user', content }) as const;

function describeFence(openStore: OpenStore): void {
  verifies('STORE-7', 'a process that lost its lease cannot write any more, and the new holder can', async () => {
    const { store, create, openAgain, advance } = await openHarness(openStore);
    const other = await openAgain();
    await create('one', { title: 'Walrus' });
    const mine = store.writeUnder(given(await store.acquireLease('one', CLI, 30_000)));
    await mine.appendMessages('one', [user('mine')]);
    advance(30_000);
    const theirs = other.writeUnder(given(await other.acquireLease('one', GATEWAY, 30_000)));
    await theirs.appendMessages('one', [user('theirs')], callRecord());
    const before = await store.exportSession('one');
    const turn = { sessionId: 'one', taskId: 't', startedAt: 1, endedAt: 2, exitReason: 'completed' } as const;
    const child = { id: 'two', source: 'cli', startedAt: START };
    for (const write of [
      () => mine.appendMessages('one', [user('late')], callRecord()),
      () => mine.setAttachments('one', []),
      () => mine.setSentContent('one', 'late'),
      () => mine.recordCall('one', callRecord()),
      () => mine.recordTurn({ ...turn, apiCalls: 1, toolCalls: 0, model: 'm', provider: 'p' }),
      () => mine.splitSession('one', child, []),
      () => mine.createSession(child),
      () => mine.setSystemPrompt('one', 'late'),
      () => mine.setSessionModel('one', 'late'),
      () => mine.setSessionTitle('one', 'late'),
      () => mine.endSession('one', 'late'),
      () => mine.reopenSession('one'),
      () => mine.putBlob('one', Buffer.from('late'), 'text/plain'),
    ]) {
      await expect(write()).rejects.toThrow(/took session one over \(process 22 on there, gateway\)/);
    }
    expect(await store.exportSession('one')).toEqual(before);
    expect(await store.getSession('two')).toBeUndefined();
    await theirs.splitSession('one', child, []);
    expect((await store.getSession('two'))?.parentSessionId).toBe('one');
    await other.close();
  });

  it('an expired lease is still valid while nobody else takes it, also for a new session', async () => {
    const { store, advance } = await openHarness(openStore);
    const lease = given(await store.acquireLease('one', CLI, 30_000));
    const writes = store.writeUnder(lease);
    await writes.createSession({ id: 'one', source: 'cli', startedAt: START });
    advance(3_600_000);
    await writes.appendMessages('one', [user('after a long sleep')]);
    await store.releaseLease(lease);
    await writes.appendMessages('one', [user('and later')]);
    expect(await store.getConversation('one')).toHaveLength(2);
  });

  it('reports that the session was deleted in the meantime', async () => {
    const { store, create, advance } = await openHarness(openStore);
    await create('one');
    const writes = store.writeUnder(given(await store.acquireLease('one', CLI, 30_000)));
    advance(30_000);
    await store.deleteSession('one');
    await expect(writes.appendMessages('one', [user('late')])).rejects.toThrow('There is no session one');
  });
}

function describeSplit(openStore: OpenStore): void {
  verifies('STORE-7', 'a split moves the lease to the child, where it is renewed, fenced and released', async () => {
    const { store, create, openAgain, advance } = await openHarness(openStore);
    const other = await openAgain();
    await create('one');
    const lease = given(await store.acquireLease('one', CLI, 30_000));
    const mine = store.writeUnder(lease);
    for (const [parent, id] of [
      ['one', 'two'],
      ['two', 'three'],
    ] as const) {
      await mine.splitSession(parent, { id, source: 'cli', startedAt: START }, []);
      expect(await other.findLeaseHolder(parent)).toBeUndefined();
      expect(await other.acquireLease(id, GATEWAY, 30_000)).toMatchObject({ heldBy: { pid: CLI.pid } });
    }
    advance(20_000);
    expect(await store.renewLease(lease)).toBe(true);
    advance(20_000);
    await mine.appendMessages('three', [user('still mine')]);
    expect((await other.acquireLease('three', GATEWAY, 30_000)).acquired).toBe(false);
    advance(10_000);
    const theirs = given(await other.acquireLease('three', GATEWAY, 30_000));
    expect(await store.renewLease(lease)).toBe(false);
    await expect(mine.appendMessages('three', [user('late')])).rejects.toThrow(/took session three over \(process 22/);
    await store.releaseLease(lease);
    expect(await store.findLeaseHolder('three')).toMatchObject({ pid: GATEWAY.pid });
    await other.releaseLease(theirs);
    expect(await store.findLeaseHolder('three')).toBeUndefined();
    await other.close();
  });
}
