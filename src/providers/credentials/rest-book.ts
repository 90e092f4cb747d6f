import type { Clock, ModelErrorKind } from '../../base/index.ts';
import type { CredentialPool } from '../../contracts/index.ts';
import { LoginFailure } from '../oauth/index.ts';
import { isReady, stateOf } from './choose-credential.ts';
import { restAfter } from './rest-after.ts';
import type { CredentialPlan, PoolMember } from './credential-plan.ts';
import { loginError } from './pool-failure.ts';
import { membersOf } from './pool-members.ts';
import type { PoolMemory } from './pool-memory.ts';

/** Writes down which credentials rest, and knows whether that leaves any. */
export interface RestBook {
  rest(member: PoolMember, kind: ModelErrorKind | 'login_ended', retryAfterMs?: number): Promise<void>;
  othersReady(member: PoolMember): Promise<boolean>;
  restOfAll: CredentialPool['restOfAll'];
  /** A login that cannot be made ready is no reason to fail as long as there is another credential. */
  setAside(member: PoolMember, thrown: unknown): Promise<void>;
}

/** How long a login rests whose token endpoint cannot be reached. */
const UNREACHABLE_MS = 60_000;

export function createRestBook(plan: CredentialPlan, memory: PoolMemory, clock: Clock): RestBook {
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
