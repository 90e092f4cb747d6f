import { spawn, spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { type Clock, HermesError, systemClock } from '../base/index.ts';
import { type SessionStore, silentLogger } from '../contracts/index.ts';
import { openSqliteStore } from '../store/sqlite/index.ts';
import { createTemporaryHome } from '../testing/index.ts';
import { createSessionLease, type HeldTurn, SessionHeld, type SessionLeaseOptions } from './session-lease.ts';

async function openStores(clock: Clock = systemClock): Promise<[SessionStore, SessionStore]> {
  const home = await createTemporaryHome();
  const file = join(home.path, 'state.db');
  const stores = [await openSqliteStore({ file, clock }), await openSqliteStore({ file, clock })] as const;
  onTestFinished(async () => {
    for (const store of stores) await store.close();
    await home.remove();
  });
  return [...stores];
}

const leaseIn = (store: SessionStore, more: Partial<SessionLeaseOptions> = {}) => {
  const lease = createSessionLease({ store, clock: systemClock, logger: silentLogger, ...more });
  const hold = <Value>(id: string, task: (turn: HeldTurn) => Promise<Value>) => lease.hold(id, 'cli', task);
  return { ...lease, hold };
};
const holdIn = (...options: Parameters<typeof leaseIn>) => leaseIn(...options).hold;

/** A task that runs until it is released. */
function openTask() {
  const started = Promise.withResolvers<HeldTurn>();
  const end = Promise.withResolvers<string>();
  const run = (turn: HeldTurn) => {
    started.resolve(turn);
    return end.promise;
  };
  return { run, started: started.promise, end: end.resolve };
}

describe('the session lease', () => {
  verifies('STORE-7', 'is refused with the holder and a hint while another process holds it', async () => {
    const [here, there] = await openStores();
    const task = openTask();
    const first = holdIn(here)('one', task.run);
    await task.started;
    const refused = await holdIn(there)('one', async () => 'ran').catch((thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(HermesError);
    expect((refused as HermesError).message).toContain(`process ${process.pid} on ${hostname()} (cli)`);
    expect((refused as HermesError).message).toMatch(/since \d\d:\d\d:\d\d/);
    expect((refused as HermesError).hint).toContain('Wait');
    expect(await holdIn(there)('two', async () => 'concurrent')).toBe('concurrent');
    task.end('done');
    expect(await first).toBe('done');
    expect(await holdIn(there)('one', async () => 'now')).toBe('now');
  });

  verifies('STORE-7', 'moves with a split: it is renewed and released there, and nothing is read again', async () => {
    const [here, there] = await openStores();
    await here.createSession({ id: 'one', source: 'cli', startedAt: 1 });
    const lease = leaseIn(here);
    await lease.hold('one', async () => {
      await here.splitSession('one', { id: 'two', source: 'cli', startedAt: 2 }, []);
      lease.continueSession('one', 'two');
      await expect(holdIn(there)('two', async () => 'ran')).rejects.toThrow(SessionHeld);
    });
    expect(await lease.hold('two', async (turn) => turn.storedChanged)).toBe(false);
    await holdIn(there)('two', async () => 'in between');
    expect(await lease.hold('two', async (turn) => turn.storedChanged)).toBe(true);
  });

  it('is released after a failed task', async () => {
    const [here, there] = await openStores();
    await expect(holdIn(here)('one', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await holdIn(there)('one', async () => 'next')).toBe('next');
  });

  it('says whether another process held it in between', async () => {
    const [here, there] = await openStores();
    const [mine, theirs] = [holdIn(here), holdIn(there)];
    const changed = async ({ storedChanged }: HeldTurn) => storedChanged;
    expect(await mine('one', changed)).toBe(false);
    expect(await mine('one', changed)).toBe(false);
    expect(await theirs('one', changed)).toBe(true);
    expect(await mine('one', changed)).toBe(true);
    expect(await mine('one', changed)).toBe(false);
  });

  verifies('STORE-7', 'lasts as long as the task renews it', async () => {
    let [now, beats] = [1_000_000, 0];
    const rest = Promise.withResolvers<void>();
    // Five renewals, longer than the lease would last without them.
    const clock: Clock = {
      now: () => now,
      async sleep(milliseconds, signal) {
        beats += 1;
        if (beats <= 5) now += milliseconds;
        else {
          rest.resolve();
          await systemClock.sleep(1e9, signal);
        }
      },
    };
    const [here, there] = await openStores(clock);
    const task = openTask();
    const first = holdIn(here, { clock })('one', task.run);
    await rest.promise;
    expect(now - 1_000_000).toBeGreaterThan(30_000);
    await expect(holdIn(there, { clock })('one', async () => 'ran')).rejects.toThrow('in use');
    task.end('done');
    await first;
  });

  describeLoss();
});

function describeLoss(): void {
  verifies('STORE-7', 'ends the turn when it is lost', async () => {
    const [here] = await openStores();
    const task = openTask();
    const first = holdIn({ ...here, renewLease: async () => false }, { ttlMs: 30 })('one', task.run);
    const { signal } = await task.started;
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    expect(String(signal.reason)).toContain('took over session one');
    task.end('done');
    expect(await first).toBe('done');
  });

  it('retries a failed renewal', async () => {
    const [here] = await openStores();
    const task = openTask();
    const again = Promise.withResolvers<void>();
    let tries = 0;
    const renewLease = async () => {
      tries += 1;
      if (tries === 1) throw new Error('the disk is full');
      again.resolve();
      return true;
    };
    const first = holdIn({ ...here, renewLease }, { ttlMs: 30 })('one', task.run);
    await again.promise;
    expect((await task.started).signal.aborted).toBe(false);
    task.end('done');
    await first;
  });

  verifies('STORE-7', 'is free immediately if its holder died on this machine, otherwise when it expires', async () => {
    const [here, there] = await openStores();
    const { pid } = spawnSync(process.execPath, ['--version']);
    // Acquired here to learn how this machine identifies itself.
    await holdIn(here)('own', async () => {
      const own = await there.acquireLease('own', { pid: 1, host: 'x', surface: 'x' }, 1000);
      if (own.acquired) throw new Error('it was not held');
      const { host, processScope } = own.heldBy;
      await here.acquireLease('one', { pid, host, surface: 'cli', processScope }, 60_000);
      await here.acquireLease('two', { pid, host, surface: 'cli', processScope: 'another boot' }, 60_000);
    });
    expect(await holdIn(here)('one', async () => 'taken over')).toBe('taken over');
    await expect(holdIn(here)('two', async () => 'ran')).rejects.toThrow(`process ${pid}`);
  });

  it('stays with a running process, also one of another user', async () => {
    const [here, there] = await openStores();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    onTestFinished(() => void child.kill('SIGKILL'));
    await holdIn(here)('own', async () => {
      const own = await there.acquireLease('own', { pid: 1, host: 'x', surface: 'x' }, 1000);
      const scope = own.acquired ? undefined : own.heldBy.processScope;
      await here.acquireLease('one', { pid: child.pid ?? 0, host: 'x', surface: 'x', processScope: scope }, 60_000);
    });
    await expect(holdIn(here)('one', async () => 'ran')).rejects.toThrow(`process ${child.pid}`);
  });
}
