import { type Clock, ModelError, type ModelErrorKind, type ModelFailure, systemClock } from '../../base/index.ts';
import type { Credential, CredentialPool, CredentialSource } from '../../contracts/index.ts';
import { LoginFailure } from '../oauth/index.ts';
import { isReady, stateOf } from './choose-credential.ts';
import { createLoginKeeper, type Usable } from './login-keeper.ts';
import type { CredentialPlan, PoolMember } from './plan-credentials.ts';
import { membersOf, toCredential } from './pool-members.ts';
import { createPoolMemory, type PoolMemory } from './pool-memory.ts';
import type { Rest } from './pool-state.ts';

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

/** Writes down which credentials rest, and knows whether that leaves any. */
interface RestBook {
  rest(member: PoolMember, kind: ModelErrorKind | 'login_ended', retryAfterMs?: number): Promise<void>;
  othersReady(member: PoolMember): Promise<boolean>;
  restOfAll: CredentialPool['restOfAll'];
  /** A login that cannot be made ready is no reason to fail as long as there is another credential. */
  setAside(member: PoolMember, thrown: unknown): Promise<void>;
}

/** How long a login rests whose token endpoint cannot be reached. */
const UNREACHABLE_MS = 60_000;

function createRestBook(plan: CredentialPlan, memory: PoolMemory, clock: Clock): RestBook {
  const book: RestBook = {
    rest(member, kind, retryAfterMs) {
      const sole = membersOf(plan).length <= 1;
      return memory.rest(member.id, restAfter(kind, { now: clock.now(), sole, retryAfterMs }));
    },
    async othersReady(member) {
      const state = await memory.read();
      const others = membersOf(plan).filter(({ id }) => id !== member.id);
      return others.some(({ id }) => isReady(stateOf(state, id), clock.now()));
    },
    async restOfAll() {
      const state = await memory.read();
      const states = membersOf(plan).map(({ id }) => stateOf(state, id));
      if (states.some((known) => isReady(known, clock.now()))) return undefined;
      const passing = states.flatMap(({ rest }) => (rest === undefined || rest.marked ? [] : [rest]));
      const [first] = passing.toSorted((one, other) => one.until - other.until);
      return first && { until: first.until, told: first.told === true };
    },
    async setAside(member, thrown) {
      if (!(thrown instanceof LoginFailure)) throw thrown;
      if (thrown.reason === 'temporary') await book.rest(member, 'connection', UNREACHABLE_MS);
      else await book.rest(member, 'login_ended');
      if (!(await book.othersReady(member))) throw loginError(thrown);
    },
  };
  return book;
}

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** A refused token may be good again soon: another process renews it, a clock is set right. */
const AUTH_MS = 300 * SECOND;
const USUAL_MS = HOUR;
/** Where there is no other, a long rest would only keep the person waiting. */
const SOLE_MS = 60 * SECOND;
/** So long a mark stands, unless `hermes auth reset` takes it away. */
const MARKED_MS = 24 * HOUR;
/** No provider means what it says beyond this. */
const MAX_MS = 31 * 24 * HOUR;

const MARKING: readonly Rest['reason'][] = ['auth_permanent', 'billing', 'login_ended'];

/** How long a credential rests after a failure of this kind. What the provider said itself wins. */
export function restAfter(
  kind: ModelErrorKind | 'login_ended',
  options: { now: number; sole: boolean; retryAfterMs?: number },
): Rest {
  const { now, sole, retryAfterMs } = options;
  const isTold = retryAfterMs !== undefined && retryAfterMs > 0;
  if (MARKING.includes(kind)) return { until: now + MARKED_MS, reason: kind, marked: true };
  if (isTold) return { until: now + Math.min(retryAfterMs, MAX_MS), reason: kind, marked: false, told: true };
  // "At once" was just shown to be wrong: another credential must have its chance before this one is taken again.
  const isShort = sole || retryAfterMs !== undefined;
  const usual = isShort ? SOLE_MS : kind === 'auth' ? AUTH_MS : USUAL_MS;
  return { until: now + usual, reason: kind, marked: false };
}

/** What was written into files of other programs: nothing of that happens without a word. */
interface Writings {
  note(member: PoolMember): void;
  /** What nobody was told yet, in this or in another process. */
  takeNotices(): Promise<string[]>;
}

function createWritings({ name }: CredentialPlan, memory: Pick<PoolMemory, 'isNews'>): Writings {
  let unsaid: PoolMember | undefined;
  return {
    note(member) {
      if (member.writtenTo !== undefined) unsaid = member;
    },
    async takeNotices() {
      const { id, writtenTo } = unsaid ?? {};
      unsaid = undefined;
      if (id === undefined || writtenTo === undefined || !(await memory.isNews(id))) return [];
      return [
        `The login of Claude Code for ${name} was renewed, and its new tokens were written back to ${writtenTo}: ` +
          'without them Claude Code would be logged out. From now on this is done without a word.',
      ];
    },
  };
}

/** A login that could not be made ready, as the loop understands it. */
function loginError({ reason, message, hint }: LoginFailure): ModelError {
  const temporary = reason === 'temporary';
  return modelError(temporary ? 'connection' : 'auth_permanent', message, hint, temporary);
}

function nothingLeft(plan: CredentialPlan): ModelError {
  const message = `There is no credential for ${plan.name} any more.`;
  return modelError('auth_permanent', message, `Add one with \`hermes auth add ${plan.pool}\`.`, false);
}

/** The pool has done what it can with its other credentials, so only time or another provider helps. */
function modelError(kind: ModelErrorKind, message: string, hint: string | undefined, retryable: boolean): ModelError {
  const failure: ModelFailure = { kind, message, retryable, compress: false, rotateCredential: false, fallBack: true };
  return new ModelError(failure, { hint });
}
