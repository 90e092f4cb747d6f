import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import type { ModelErrorKind } from '../../base/index.ts';
import { isJsonObject, type JsonValue, MODEL_ERROR_KINDS, parseJson } from '../../base/index.ts';
import { homePaths } from '../../config/index.ts';
import { ensurePrivateFolder, withFileLock } from '../../util/index.ts';

/** A credential lease. It expires by itself or with its process. */
export type CredentialLease = { holder: string; pid: number; scope: string; until: number };

/** Why a credential is not used at the moment. */
export type CredentialCooldown = {
  until: number;
  reason: ModelErrorKind | 'login_ended';
  /** Whether the credential is disabled: waiting does not help, the user has to act. */
  marked: boolean;
  /** Whether the provider stated the time in `until`; otherwise it is our default. */
  told?: true;
};

/** The stored state of one credential. It contains no secrets and may be lost without harm. */
export type CredentialState = {
  uses: number;
  lastUsedAt: number;
  rest?: CredentialCooldown;
  leases: readonly CredentialLease[];
  /** Whether Hermes has told the user that it writes the file of another program. */
  noticed?: true;
};

/** By credential id. */
export type PoolState = Readonly<Record<string, CredentialState>>;

export const NEVER_USED: CredentialState = { uses: 0, lastUsedAt: 0, leases: [] };

/** The lock timeout is short, because it delays a call. Changes that cannot be written in time stay in memory. */
const LOCK_TIMEOUT_MS = 500;
/** Entries unused for this long belong to credentials that no longer exist. */
const FORGET_AFTER_MS = 90 * 24 * 3_600_000;
const MAX_STATE_SIZE = 1_000;

/** The stored state of a provider's credentials. An unreadable file counts as empty. */
export async function readPoolState(home: string, provider: string): Promise<PoolState> {
  return (await readAll(home)).get(provider) ?? {};
}

/** Changes the state of one provider under a lock. */
export async function updatePoolState(
  home: string,
  provider: string,
  change: (state: PoolState) => PoolState,
): Promise<PoolState> {
  const { authStateFile } = homePaths(home);
  await ensurePrivateFolder(home);
  const task = async () => {
    const all = await readAll(home);
    const changed = prune(change(all.get(provider) ?? {}));
    all.set(provider, changed);
    await replaceFile(authStateFile, `${JSON.stringify(Object.fromEntries(all))}\n`);
    return changed;
  };
  return withFileLock(`${authStateFile}.lock`, task, { timeoutMs: LOCK_TIMEOUT_MS });
}

/** Not synced to disk: it is written with every call, and losing it in a power failure does no harm. */
async function replaceFile(file: string, content: string): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, content, { flag: 'wx', mode: 0o600 });
    await rename(temporary, file);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
}

async function readAll(home: string): Promise<Map<string, PoolState>> {
  const content = await readFile(homePaths(home).authStateFile, 'utf8').catch(() => '');
  const parsed = parseJson(content);
  if (!isJsonObject(parsed)) return new Map();
  return new Map(Object.entries(parsed).map(([provider, state]) => [provider, readState(state)]));
}

function readState(state: JsonValue): PoolState {
  if (!isJsonObject(state)) return {};
  return Object.fromEntries(Object.entries(state).map(([id, entry]) => [id, readCredentialState(entry)]));
}

function readCredentialState(entry: JsonValue): CredentialState {
  if (!isJsonObject(entry)) return NEVER_USED;
  const leases = Array.isArray(entry['leases']) ? entry['leases'].flatMap(readLease) : [];
  const rest = readCooldown(entry['rest']);
  const state: CredentialState = { uses: numberOr0(entry['uses']), lastUsedAt: numberOr0(entry['lastUsedAt']), leases };
  if (rest !== undefined) state.rest = rest;
  if (entry['noticed'] === true) state.noticed = true;
  return state;
}

function readLease(lease: JsonValue): CredentialLease[] {
  if (!isJsonObject(lease)) return [];
  const { holder, pid, scope, until } = lease;
  if (typeof holder !== 'string' || typeof scope !== 'string') return [];
  return [{ holder, scope, pid: numberOr0(pid), until: numberOr0(until) }];
}

function readCooldown(rest: JsonValue | undefined): CredentialCooldown | undefined {
  if (!isJsonObject(rest)) return undefined;
  const reason = [...MODEL_ERROR_KINDS, 'login_ended' as const].find((known) => known === rest['reason']) ?? 'unknown';
  const known = { until: numberOr0(rest['until']), reason, marked: rest['marked'] === true };
  return rest['told'] === true ? { ...known, told: true } : known;
}

function numberOr0(value: JsonValue | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function prune(state: PoolState): PoolState {
  const newest = Math.max(0, ...Object.values(state).map(({ lastUsedAt }) => lastUsedAt));
  const kept = Object.entries(state).filter(
    ([, { lastUsedAt, rest }]) => rest !== undefined || lastUsedAt > newest - FORGET_AFTER_MS,
  );
  return Object.fromEntries(kept.slice(-MAX_STATE_SIZE));
}
