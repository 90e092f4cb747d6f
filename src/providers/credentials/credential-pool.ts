import { type Clock, ModelError, type ModelErrorKind, type ModelFailure, systemClock } from '../../base/index.ts';
import type { Credential, CredentialPool, CredentialSource } from '../../contracts/index.ts';
import { LoginFailure } from '../oauth/index.ts';
import { isReady, stateOf } from './choose-credential.ts';
import { createLoginPreparer, type PreparedCredential } from './prepare-login.ts';
import type { CredentialPlan, PoolMember } from './plan-credentials.ts';
import { membersOf, toCredential } from './pool-members.ts';
import { createPoolStore, type PoolStore } from './pool-store.ts';
import type { CredentialCooldown } from './pool-state.ts';

/** The credentials of one route: the client gets one before each call, and the loop rotates them. */
export interface OpenPool extends CredentialSource, CredentialPool {
  take(signal: AbortSignal): Promise<Credential>;
  /** The base URL that the provider returned for this login, if any. */
  baseUrl(): Promise<string | undefined>;
  /** Returns a credential for a request that is not a model call. */
  peek(signal: AbortSignal): Promise<Credential>;
}

export type PoolOptions = { clock?: Clock; random?: () => number };

const NEVER = new AbortController().signal;

/** Opens the pool of one route. Its calls are sequential, so a failure always belongs to the credential used last. */
export function openPool(plan: CredentialPlan, options: PoolOptions = {}): OpenPool {
  const { clock = systemClock, random = Math.random } = options;
  const { home, pool, strategy } = plan;
  const memory = createPoolStore({ home, pool, strategy, clock, random });
  const book = createCooldownLog(plan, memory, clock);
  const keeper = createLoginPreparer(plan, clock);
  const writings = createFileWarnings(plan, memory);
  let current: PoolMember | undefined;

  function use(member: PoolMember): void {
    current = member;
    writings.note(member);
  }

  async function makeReady(signal: AbortSignal): Promise<PreparedCredential> {
    for (;;) {
      const member = await chooseMember(plan, memory);
      current = member;
      try {
        const ready = await keeper.prepare(member, signal);
        use(ready.member);
        return ready;
      } catch (thrown) {
        signal.throwIfAborted();
        await book.handleLoginFailure(member, thrown);
      }
    }
  }

  const asCredential = ({ member, secret, host }: PreparedCredential) => toCredential(plan, member, secret, host);
  return {
    current: () => current?.id,
    findCooldown: () => book.findCooldown(),
    take: async (signal) => asCredential(await makeReady(signal)),
    peek: async (signal) => asCredential(await keeper.prepare(current ?? (await chooseMember(plan, memory)), signal)),
    baseUrl: async () => (plan.login?.exchange?.baseUrlPath ? (await makeReady(NEVER)).baseUrl : undefined),
    warnings: () => writings.takeNotices(),
    async refresh() {
      if (current === undefined) return false;
      try {
        const renewed = await keeper.refresh(current);
        if (renewed !== undefined) use(renewed);
        return renewed !== undefined;
      } catch (thrown) {
        if (!(thrown instanceof LoginFailure)) throw thrown;
        if (thrown.reason === 'ended') await book.startCooldown(current, 'login_ended');
        return false;
      }
    },
    async rotate(kind, retryAfterMs) {
      if (current === undefined) return false;
      await book.startCooldown(current, kind, retryAfterMs);
      return book.othersReady(current);
    },
  };
}

/** With a single credential there is nothing to choose, and nothing is written. */
async function chooseMember(plan: CredentialPlan, memory: PoolStore): Promise<PoolMember> {
  const members = membersOf(plan);
  const member = members.length > 1 ? await memory.lease(members) : members[0];
  if (member === undefined) throw noCredentialError(plan);
  return member;
}

/** Records cooldowns, and knows which credentials are still available. */
interface CooldownLog {
  startCooldown(member: PoolMember, kind: ModelErrorKind | 'login_ended', retryAfterMs?: number): Promise<void>;
  othersReady(member: PoolMember): Promise<boolean>;
  findCooldown: CredentialPool['findCooldown'];
  /** Puts a login that cannot be used into cooldown; throws only if no other credential is available. */
  handleLoginFailure(member: PoolMember, thrown: unknown): Promise<void>;
}

/** Cooldown of a login whose token endpoint is unreachable. */
const UNREACHABLE_MS = 60_000;

function createCooldownLog(plan: CredentialPlan, memory: PoolStore, clock: Clock): CooldownLog {
  const book: CooldownLog = {
    startCooldown(member, kind, retryAfterMs) {
      const sole = membersOf(plan).length <= 1;
      return memory.startCooldown(member.id, cooldownAfter(kind, { now: clock.now(), sole, retryAfterMs }));
    },
    async othersReady(member) {
      const state = await memory.read();
      const others = membersOf(plan).filter(({ id }) => id !== member.id);
      return others.some(({ id }) => isReady(stateOf(state, id), clock.now()));
    },
    async findCooldown() {
      const state = await memory.read();
      const states = membersOf(plan).map(({ id }) => stateOf(state, id));
      if (states.some((known) => isReady(known, clock.now()))) return undefined;
      const passing = states.flatMap(({ rest }) => (rest === undefined || rest.marked ? [] : [rest]));
      const [first] = passing.toSorted((one, other) => one.until - other.until);
      return first && { until: first.until, told: first.told === true };
    },
    async handleLoginFailure(member, thrown) {
      if (!(thrown instanceof LoginFailure)) throw thrown;
      if (thrown.reason === 'temporary') await book.startCooldown(member, 'connection', UNREACHABLE_MS);
      else await book.startCooldown(member, 'login_ended');
      if (!(await book.othersReady(member))) throw loginError(thrown);
    },
  };
  return book;
}

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/**
 * Cooldown after a token was rejected. The login may soon work again, because another process refreshes the token or
 * the clock is corrected.
 */
const AUTH_MS = 300 * SECOND;
const DEFAULT_MS = HOUR;
/** Cooldown if there is only one credential; a longer one would just make the user wait. */
const SOLE_MS = 60 * SECOND;
/** How long a credential stays disabled, unless `hermes auth reset` enables it. */
const DISABLED_MS = 24 * HOUR;
/** Maximum cooldown; longer retry delays are not plausible. */
const MAX_MS = 31 * 24 * HOUR;

const DISABLING_REASONS: readonly CredentialCooldown['reason'][] = ['auth_permanent', 'billing', 'login_ended'];

/** The cooldown after a failure of this kind. A delay stated by the provider takes precedence. */
export function cooldownAfter(
  kind: ModelErrorKind | 'login_ended',
  options: { now: number; sole: boolean; retryAfterMs?: number },
): CredentialCooldown {
  const { now, sole, retryAfterMs } = options;
  const isReported = retryAfterMs !== undefined && retryAfterMs > 0;
  if (DISABLING_REASONS.includes(kind)) return { until: now + DISABLED_MS, reason: kind, marked: true };
  if (isReported) return { until: now + Math.min(retryAfterMs, MAX_MS), reason: kind, marked: false, told: true };
  // The call failed in spite of a stated retry delay of 0, so a short cooldown makes the pool try another credential
  // first.
  const isShort = sole || retryAfterMs !== undefined;
  const usual = isShort ? SOLE_MS : kind === 'auth' ? AUTH_MS : DEFAULT_MS;
  return { until: now + usual, reason: kind, marked: false };
}

/** Reports to the user that a file of another program was changed. */
interface FileWarnings {
  note(member: PoolMember): void;
  /** The warnings that no process has shown yet. */
  takeNotices(): Promise<string[]>;
}

function createFileWarnings({ name }: CredentialPlan, memory: Pick<PoolStore, 'markNoticed'>): FileWarnings {
  let unsaid: PoolMember | undefined;
  return {
    note(member) {
      if (member.writtenTo !== undefined) unsaid = member;
    },
    async takeNotices() {
      const { id, writtenTo } = unsaid ?? {};
      unsaid = undefined;
      if (id === undefined || writtenTo === undefined || !(await memory.markNoticed(id))) return [];
      return [
        `The Claude Code login for ${name} was refreshed and its new tokens were written to ${writtenTo}, ` +
          'because Claude Code would otherwise be signed out. This message is shown only once.',
      ];
    },
  };
}

/** Converts a login failure into a model error for the loop. */
function loginError({ reason, message, hint }: LoginFailure): ModelError {
  const temporary = reason === 'temporary';
  return modelError(temporary ? 'connection' : 'auth_permanent', message, hint, temporary);
}

function noCredentialError(plan: CredentialPlan): ModelError {
  const message = `No credential is left for ${plan.name}.`;
  return modelError('auth_permanent', message, `Add one with \`hermes auth add ${plan.pool}\`.`, false);
}

/**
 * Creates an error that does not rotate credentials: the pool has tried the others, so only waiting or another
 * provider can help.
 */
function modelError(kind: ModelErrorKind, message: string, hint: string | undefined, retryable: boolean): ModelError {
  const failure: ModelFailure = { kind, message, retryable, compress: false, rotateCredential: false, fallBack: true };
  return new ModelError(failure, { hint });
}
