import { type Clock, type ModelErrorKind, systemClock } from '../../base/index.ts';
import type { Credential, CredentialPool, CredentialSource } from '../../contracts/index.ts';
import { LoginFailure } from '../oauth/index.ts';
import { isReady, stateOf } from './choose-credential.ts';
import { restAfter } from './cool-down.ts';
import type { CredentialPlan, PoolMember } from './credential-plan.ts';
import { createLoginKeeper, type Usable } from './login-keeper.ts';
import { loginError, nothingLeft } from './pool-failure.ts';
import { membersOf, toCredential } from './pool-members.ts';
import { createPoolMemory } from './pool-memory.ts';

/** The credentials of one route, from both sides: the client takes one before each call, the loop rotates them. */
export interface OpenPool extends CredentialSource, CredentialPool {
  take(signal: AbortSignal): Promise<Credential>;
  /** The address that the provider names for this login, where it names one. */
  baseUrl(): Promise<string | undefined>;
  /** A credential for something that is no call to a model, which counts nothing. */
  peek(signal: AbortSignal): Promise<Credential>;
}

export type PoolOptions = { clock?: Clock; random?: () => number };

/** How long a login rests whose token endpoint cannot be reached. */
const UNREACHABLE_MS = 60_000;

/** One pool serves one route, whose calls come one after the other: what failed is always what was taken last. */
export function openPool(plan: CredentialPlan, options: PoolOptions = {}): OpenPool {
  const { clock = systemClock, random = Math.random } = options;
  const { home, pool, strategy } = plan;
  const memory = createPoolMemory({ home, pool, strategy, clock, random });
  const keeper = createLoginKeeper(plan, clock);
  let current: PoolMember | undefined;

  const rest = (member: PoolMember, kind: ModelErrorKind | 'login_ended', retryAfterMs?: number) => {
    const sole = membersOf(plan).length <= 1;
    return memory.rest(member.id, restAfter(kind, { now: clock.now(), sole, retryAfterMs }));
  };

  async function othersReady(used: PoolMember): Promise<boolean> {
    const state = await memory.read();
    const others = membersOf(plan).filter(({ id }) => id !== used.id);
    return others.some(({ id }) => isReady(stateOf(state, id), clock.now()));
  }

  /** A login that cannot be made ready is no reason to fail as long as there is another credential. */
  async function setAside(member: PoolMember, thrown: unknown): Promise<void> {
    if (!(thrown instanceof LoginFailure)) throw thrown;
    if (thrown.reason === 'temporary') await rest(member, 'connection', UNREACHABLE_MS);
    else await rest(member, 'login_ended');
    if (!(await othersReady(member))) throw loginError(thrown);
  }

  /** With a single credential there is nothing to choose and nothing to write. */
  async function chosenMember(): Promise<PoolMember> {
    const members = membersOf(plan);
    const member = members.length > 1 ? await memory.lease(members) : members[0];
    if (member === undefined) throw nothingLeft(plan);
    return member;
  }

  async function makeReady(signal: AbortSignal): Promise<Usable> {
    for (;;) {
      const member = await chosenMember();
      current = member;
      try {
        const ready = await keeper.ready(member, signal);
        current = ready.member;
        return ready;
      } catch (thrown) {
        signal.throwIfAborted();
        await setAside(member, thrown);
      }
    }
  }

  const asCredential = ({ member, secret, host }: Usable) => toCredential(plan, member, secret, host);
  return {
    take: async (signal) => asCredential(await makeReady(signal)),
    async peek(signal) {
      return asCredential(await keeper.ready(current ?? (await chosenMember()), signal));
    },
    baseUrl: async () => (plan.login?.exchange?.baseUrlPath ? (await makeReady(NEVER)).baseUrl : undefined),
    async refresh() {
      if (current === undefined) return false;
      try {
        const renewed = await keeper.renew(current);
        current = renewed ?? current;
        return renewed !== undefined;
      } catch (thrown) {
        if (!(thrown instanceof LoginFailure)) throw thrown;
        if (thrown.reason === 'ended') await rest(current, 'login_ended');
        return false;
      }
    },
    async rotate(kind, retryAfterMs) {
      if (current === undefined) return false;
      await rest(current, kind, retryAfterMs);
      return othersReady(current);
    },
  };
}

const NEVER = new AbortController().signal;
