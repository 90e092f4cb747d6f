import { type Clock, systemClock } from '../../base/index.ts';
import type { PoolStrategy, Settings } from '../../config/index.ts';
import { hasProcessEnded, maskSecret, currentProcess } from '../../util/index.ts';
import { chooseCredential, isReady, stateOf } from './choose-credential.ts';
import { allOwners, type CredentialOwner } from './credential-owner.ts';
import type { PoolMember } from './plan-credentials.ts';
import { membersOf } from './pool-members.ts';
import { type CredentialState, type PoolState, readPoolState } from './pool-state.ts';
import type { CredentialKind } from './stored-credential.ts';

/** A credential without its secrets, for display. */
export type CredentialReport = {
  id: string;
  label: string;
  kind: CredentialKind;
  source: string;
  /** The start and the end of the secret, if it is long enough. */
  masked: string;
  state: 'ready' | 'resting' | 'marked';
  reason?: string;
  until?: number;
  uses: number;
  /** When a login expires, and whether it is refreshed automatically. */
  expiresAt?: number;
  renewable?: boolean;
};

export type PoolReport = {
  provider: string;
  name: string;
  strategy: PoolStrategy;
  credentials: CredentialReport[];
  /** The label of the credential for the next call. */
  next: string | undefined;
};

/** Lists all credentials by provider. */
export function listCredentials(settings: Settings, clock: Clock = systemClock): Promise<PoolReport[]> {
  return Promise.all(allOwners(settings).map((owner) => reportPool(settings, owner, clock.now())));
}

async function reportPool(settings: Settings, { pool, name, plan }: CredentialOwner, now: number): Promise<PoolReport> {
  const state = await readPoolState(settings.home, pool);
  const members = membersOf(plan);
  const credentials = members.map((member) => reportMember(member, stateOf(state, member.id), now));
  return {
    provider: pool,
    name,
    strategy: plan.strategy,
    credentials,
    next: nextOf(members, state, plan.strategy, now),
  };
}

function reportMember(member: PoolMember, state: CredentialState, now: number): CredentialReport {
  const { id, label, kind, source, expiresAt, refreshToken } = member;
  const login = expiresAt === undefined ? {} : { expiresAt, renewable: refreshToken !== undefined };
  const report = { id, label, kind, source, masked: maskSecret(member.secret), uses: state.uses, ...login };
  if (isReady(state, now) || state.rest === undefined) return { ...report, state: 'ready' };
  const { marked, reason, until } = state.rest;
  return { ...report, state: marked ? 'marked' : 'resting', reason, until };
}

/** The credential for the next call; undefined for the random strategy, which cannot be predicted. */
function nextOf(
  members: readonly PoolMember[],
  state: PoolState,
  strategy: PoolStrategy,
  now: number,
): string | undefined {
  if (strategy === 'random' && members.length > 1) return undefined;
  const { scope } = currentProcess();
  const isAlive = (lease: CredentialState['leases'][number]) => !hasProcessEnded(lease, scope);
  return chooseCredential(members, state, { strategy, now, holder: '', isAlive, random: () => 0 })?.label;
}
