import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/index.ts';
import type { PoolStrategy } from '../../config/index.ts';
import { hasProcessEnded, currentProcess } from '../../util/index.ts';
import { chooseCredential, stateOf } from './choose-credential.ts';
import {
  type CredentialState,
  type PoolState,
  readPoolState,
  type CredentialCooldown,
  updatePoolState,
} from './pool-state.ts';

/** The stored state of a provider's credentials, for one user of the pool. */
export interface PoolStore {
  read(): Promise<PoolState>;
  /** Chooses the credential for the next call, counts the use and leases it. */
  lease<Member extends { id: string }>(members: readonly Member[]): Promise<Member | undefined>;
  startCooldown(id: string, rest: CredentialCooldown): Promise<void>;
  /** Returns true once per credential, across all processes. */
  markNoticed(id: string): Promise<boolean>;
}

export type PoolStoreOptions = {
  home: string;
  pool: string;
  strategy: PoolStrategy;
  clock: Clock;
  random: () => number;
};

/** The lifetime of a lease, equal to that of a prompt cache: until then, keeping the same account pays off. */
const LEASE_MS = 300_000;
const MAX_PENDING = 100;

type Change = (state: PoolState) => PoolState;

export function createPoolStore(options: PoolStoreOptions): PoolStore {
  const { home, pool, strategy, clock, random } = options;
  const self = currentProcess();
  const holder = randomBytes(8).toString('hex');
  // Changes that could not be written are kept in memory and written later.
  let pending: Change[] = [];
  const replay = (state: PoolState) => pending.reduce((changed, change) => change(changed), state);

  async function update(change: Change): Promise<void> {
    try {
      await updatePoolState(home, pool, (state) => change(replay(state)));
      pending = [];
    } catch {
      change(replay(await readPoolState(home, pool)));
      pending = [...pending, change].slice(-MAX_PENDING);
    }
  }

  return {
    read: async () => replay(await readPoolState(home, pool)),
    async lease(members) {
      const now = clock.now();
      const lease = { ...self, holder, until: now + LEASE_MS };
      const isAlive = (held: CredentialState['leases'][number]) => !hasProcessEnded(held, self.scope);
      let chosen: (typeof members)[number] | undefined;
      await update((state) => {
        // If this change is applied again later, it must keep its original choice.
        chosen ??= chooseCredential(members, state, { strategy, now, holder, isAlive, random });
        if (chosen === undefined) return state;
        const others = withoutLeases(state, (held) => held.holder === holder || held.until <= now);
        return recordUse(others, chosen.id, lease);
      });
      return chosen;
    },
    async markNoticed(id) {
      let known = false;
      await update((state) => {
        known = stateOf(state, id).noticed === true;
        return { ...state, [id]: { ...stateOf(state, id), noticed: true } };
      });
      return !known;
    },
    startCooldown: (id, rest) =>
      update((state) => {
        const freed = withoutLeases(state, (held) => held.holder === holder);
        const before = stateOf(freed, id);
        // A disabled credential stays disabled, whatever fails afterwards.
        const isMarked = before.rest?.marked === true && before.rest.until > clock.now();
        return isMarked ? freed : { ...freed, [id]: { ...before, rest } };
      }),
  };
}

/** Ends the cooldown of one or all credentials and enables disabled ones; the use counts stay. */
export async function resetPool(home: string, pool: string, only?: string): Promise<number> {
  const concerned = ([id, { rest, leases }]: [string, CredentialState]) =>
    (only === undefined || only === id) && (rest !== undefined || leases.length > 0);
  if (!Object.entries(await readPoolState(home, pool)).some(concerned)) return 0;
  let count = 0;
  await updatePoolState(home, pool, (state) => {
    const cleared = Object.entries(state).map((entry): [string, CredentialState] => {
      if (!concerned(entry)) return entry;
      const [id, { rest, ...kept }] = entry;
      if (rest !== undefined) count += 1;
      return [id, { ...kept, leases: [] }];
    });
    return Object.fromEntries(cleared);
  });
  return count;
}

function recordUse(state: PoolState, id: string, lease: CredentialState['leases'][number]): PoolState {
  const before = stateOf(state, id);
  // `lastUsedAt` must be later than all others, even within one millisecond, because round-robin depends on it.
  const newest = Math.max(0, ...Object.values(state).map(({ lastUsedAt }) => lastUsedAt));
  const lastUsedAt = Math.max(lease.until - LEASE_MS, newest + 1);
  return { ...state, [id]: { ...before, uses: before.uses + 1, lastUsedAt, leases: [...before.leases, lease] } };
}

function withoutLeases(state: PoolState, isOver: (lease: CredentialState['leases'][number]) => boolean): PoolState {
  const entries = Object.entries(state).map(([id, entry]): [string, CredentialState] => [
    id,
    { ...entry, leases: entry.leases.filter((lease) => !isOver(lease)) },
  ]);
  return Object.fromEntries(entries);
}
