import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/index.ts';
import type { PoolStrategy } from '../../config/index.ts';
import { hasDied, markProcess } from '../../util/index.ts';
import { chooseCredential, stateOf } from './choose-credential.ts';
import { type CredentialState, type PoolState, readPoolState, type Rest, updatePoolState } from './pool-state.ts';

/** What is remembered of a provider's credentials, seen by one who works with them. */
export interface PoolMemory {
  read(): Promise<PoolState>;
  /** Chooses the credential of the next call, counts it and holds it for a while. */
  lease<Member extends { id: string }>(members: readonly Member[]): Promise<Member | undefined>;
  rest(id: string, rest: Rest): Promise<void>;
}

export type PoolMemoryOptions = {
  home: string;
  pool: string;
  strategy: PoolStrategy;
  clock: Clock;
  random: () => number;
};

/** As long as providers keep the cache of a prompt: until then going on with the same account is worth something. */
const LEASE_MS = 300_000;

export function createPoolMemory(options: PoolMemoryOptions): PoolMemory {
  const { home, pool, strategy, clock, random } = options;
  const self = markProcess();
  const holder = randomBytes(8).toString('hex');
  // Where nothing can be written, what happened is at least known here.
  let unwritten: PoolState = {};

  async function update(change: (state: PoolState) => PoolState): Promise<void> {
    try {
      await updatePoolState(home, pool, (state) => change({ ...state, ...unwritten }));
      unwritten = {};
    } catch {
      const before: PoolState = { ...(await readPoolState(home, pool)), ...unwritten };
      unwritten = { ...unwritten, ...changesIn(before, change(before)) };
    }
  }

  return {
    read: async () => ({ ...(await readPoolState(home, pool)), ...unwritten }),
    async lease(members) {
      let chosen: (typeof members)[number] | undefined;
      await update((state) => {
        const now = clock.now();
        const isAlive = (lease: CredentialState['leases'][number]) => !hasDied(lease, self.scope);
        chosen = chooseCredential(members, state, { strategy, now, holder, isAlive, random });
        if (chosen === undefined) return state;
        const lease = { ...self, holder, until: now + LEASE_MS };
        return noteUse(
          withoutLeases(state, (held) => held.holder === holder || held.until <= now),
          chosen.id,
          lease,
        );
      });
      return chosen;
    },
    rest: (id, rest) =>
      update((state) => {
        const freed = withoutLeases(state, (held) => held.holder === holder);
        const before = stateOf(freed, id);
        // A mark says more than the failure that came with it.
        const isMarked = before.rest?.marked === true && before.rest.until > clock.now();
        return isMarked ? freed : { ...freed, [id]: { ...before, rest } };
      }),
  };
}

/** Takes cool-downs and marks away, from one credential or from all; how often each was used stays. */
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

/** Only one's own changes may wait to be written: of all others a file has the newer version. */
function changesIn(before: PoolState, after: PoolState): PoolState {
  const isChanged = ([id, entry]: [string, CredentialState]) =>
    JSON.stringify(entry) !== JSON.stringify(stateOf(before, id));
  return Object.fromEntries(Object.entries(after).filter(isChanged));
}

function noteUse(state: PoolState, id: string, lease: CredentialState['leases'][number]): PoolState {
  const before = stateOf(state, id);
  // Later than all others even within one millisecond: taking turns depends on it.
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
