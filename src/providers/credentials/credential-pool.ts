import { type Clock, systemClock } from '../../base/index.ts';
import type { Credential, CredentialPool, CredentialSource } from '../../contracts/index.ts';
import { LoginFailure } from '../oauth/index.ts';
import type { CredentialPlan, PoolMember } from './credential-plan.ts';
import { createLoginKeeper, type Usable } from './login-keeper.ts';
import { nothingLeft } from './pool-failure.ts';
import { membersOf, toCredential } from './pool-members.ts';
import { createPoolMemory, type PoolMemory } from './pool-memory.ts';
import { createRestBook } from './rest-book.ts';
import { createWritings } from './writings.ts';

/** The credentials of one route, from both sides: the client takes one before each call, the loop rotates them. */
export interface OpenPool extends CredentialSource, CredentialPool {
  take(signal: AbortSignal): Promise<Credential>;
  /** The address that the provider names for this login, where it names one. */
  baseUrl(): Promise<string | undefined>;
  /** A credential for something that is no call to a model. */
  peek(signal: AbortSignal): Promise<Credential>;
}

export type PoolOptions = { clock?: Clock; random?: () => number };

const NEVER = new AbortController().signal;

/** One pool serves one route, whose calls come one after the other: what failed is always what was taken last. */
export function openPool(plan: CredentialPlan, options: PoolOptions = {}): OpenPool {
  const { clock = systemClock, random = Math.random } = options;
  const { home, pool, strategy } = plan;
  const memory = createPoolMemory({ home, pool, strategy, clock, random });
  const book = createRestBook(plan, memory, clock);
  const keeper = createLoginKeeper(plan, clock);
  const writings = createWritings(plan, memory);
  let current: PoolMember | undefined;

  function use(member: PoolMember): void {
    current = member;
    writings.note(member);
  }

  async function makeReady(signal: AbortSignal): Promise<Usable> {
    for (;;) {
      const member = await chooseMember(plan, memory);
      current = member;
      try {
        const ready = await keeper.ready(member, signal);
        use(ready.member);
        return ready;
      } catch (thrown) {
        signal.throwIfAborted();
        await book.setAside(member, thrown);
      }
    }
  }

  const asCredential = ({ member, secret, host }: Usable) => toCredential(plan, member, secret, host);
  return {
    current: () => current?.id,
    restOfAll: () => book.restOfAll(),
    take: async (signal) => asCredential(await makeReady(signal)),
    peek: async (signal) => asCredential(await keeper.ready(current ?? (await chooseMember(plan, memory)), signal)),
    baseUrl: async () => (plan.login?.exchange?.baseUrlPath ? (await makeReady(NEVER)).baseUrl : undefined),
    notices: () => writings.takeNotices(),
    async refresh() {
      if (current === undefined) return false;
      try {
        const renewed = await keeper.renew(current);
        if (renewed !== undefined) use(renewed);
        return renewed !== undefined;
      } catch (thrown) {
        if (!(thrown instanceof LoginFailure)) throw thrown;
        if (thrown.reason === 'ended') await book.rest(current, 'login_ended');
        return false;
      }
    },
    async rotate(kind, retryAfterMs) {
      if (current === undefined) return false;
      await book.rest(current, kind, retryAfterMs);
      return book.othersReady(current);
    },
  };
}

/** With a single credential there is nothing to choose and nothing to write. */
async function chooseMember(plan: CredentialPlan, memory: PoolMemory): Promise<PoolMember> {
  const members = membersOf(plan);
  const member = members.length > 1 ? await memory.lease(members) : members[0];
  if (member === undefined) throw nothingLeft(plan);
  return member;
}
