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
  /** True the first time it is asked for a credential, in whatever process. */
  isNews(id: string): Promise<boolean>;
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
const MAX_PENDING = 100;

type Change = (state: PoolState) => PoolState;

export function createPoolMemory(options: PoolMemoryOptions): PoolMemory {
  const { home, pool, strategy, clock, random } = options;
  const self = markProcess();
  const holder = randomBytes(8).toString('hex');
  // Where nothing can be written, what happened is at least known here, and is made up for later.
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
      const isAlive = (held: CredentialState['leases'][number]) => !hasDied(held, self.scope);
      let chosen: (typeof members)[number] | undefined;
      await update((state) => {
        // A change that is made up for later is about what was chosen then.
        chosen ??= chooseCredential(members, state, { strategy, now, holder, isAlive, random });
        if (chosen === undefined) return state;
        const others = withoutLeases(state, (held) => held.holder === holder || held.until <= now);
        return noteUse(others, chosen.id, lease);
      });
      return chosen;
    },
    async isNews(id) {
      let known = false;
      await update((state) => {
        known = stateOf(state, id).noticed === true;
        return { ...state, [id]: { ...stateOf(state, id), noticed: true } };
      });
      return !known;
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

/** Takes rests and marks away, from one credential or from all; how often each was used stays. */
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
