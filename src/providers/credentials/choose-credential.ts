import type { PoolStrategy } from '../../config/index.ts';
import { type CredentialState, NEVER_USED, type PoolState } from './pool-state.ts';

export type ChoiceOptions = {
  strategy: PoolStrategy;
  now: number;
  /** The id of the caller; its own leases are ignored. */
  holder: string;
  isAlive(lease: CredentialState['leases'][number]): boolean;
  random(): number;
};

type Candidate<Member> = { member: Member; state: CredentialState; others: number; own: boolean };

/**
 * Chooses the credential for the next call. The caller keeps its current credential, because prompt caches belong to
 * an account. Otherwise a credential without leases is preferred. Callers never wait: if all credentials are leased,
 * the least used one is shared; if all are in cooldown, the one that is available first is tried.
 */
export function chooseCredential<Member extends { id: string }>(
  members: readonly Member[],
  state: PoolState,
  options: ChoiceOptions,
): Member | undefined {
  const candidates = members.map((member) => describe(member, stateOf(state, member.id), options));
  const ready = candidates.filter((candidate) => isReady(candidate.state, options.now));
  if (ready.length === 0) return smallest(candidates, (candidate) => cooldownEnd(candidate.state))?.member;
  const held = ready.find((candidate) => candidate.own);
  if (held !== undefined) return held.member;
  const free = ready.filter((candidate) => candidate.others === 0);
  if (free.length === 0) return smallest(ready, (candidate) => candidate.state.uses)?.member;
  return byStrategy(free, options)?.member;
}

export function isReady({ rest }: CredentialState, now: number): boolean {
  return rest === undefined || rest.until <= now;
}

export function stateOf(state: PoolState, id: string): CredentialState {
  return Object.hasOwn(state, id) ? (state[id] as CredentialState) : NEVER_USED;
}

function describe<Member>(member: Member, state: CredentialState, options: ChoiceOptions): Candidate<Member> {
  const valid = state.leases.filter((lease) => lease.until > options.now && options.isAlive(lease));
  const own = valid.some((lease) => lease.holder === options.holder);
  return { member, state, own, others: valid.length - (own ? 1 : 0) };
}

/** Disabled credentials come after those in cooldown. */
function cooldownEnd({ rest }: CredentialState): number {
  return rest === undefined ? 0 : rest.until + (rest.marked ? Number.MAX_SAFE_INTEGER / 2 : 0);
}

function byStrategy<Member>(
  candidates: readonly Candidate<Member>[],
  { strategy, random }: ChoiceOptions,
): Candidate<Member> | undefined {
  switch (strategy) {
    case 'fill_first':
      return candidates[0];
    case 'round_robin':
      return smallest(candidates, ({ state }) => state.lastUsedAt);
    case 'least_used':
      return smallest(candidates, ({ state }) => state.uses);
    case 'random':
      return candidates[Math.min(Math.floor(random() * candidates.length), candidates.length - 1)];
  }
}

/** The first of several equal minima. */
function smallest<Item>(items: readonly Item[], figure: (item: Item) => number): Item | undefined {
  return items.reduce<Item | undefined>(
    (best, item) => (best === undefined || figure(item) < figure(best) ? item : best),
    undefined,
  );
}
