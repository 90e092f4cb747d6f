import { randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import {
  type ApprovedUser,
  PAIRING_ALPHABET,
  PAIRING_LIMITS,
  type PairedUser,
  type Pairing,
  type PairingApproval,
  type PairingRequest,
  type PendingUser,
} from '../../../contracts/index.ts';
import type { Database, Transaction, Work } from '../../database.ts';
import { toMilliseconds, toSeconds } from '../../rows/values.ts';

type PersonRow = { platform: string; user_id: string; user_name: string };
type RequestRow = PersonRow & { code_hash: string; code_salt: string; created_at: number };

const OPEN = 'SELECT * FROM gateway_pairing WHERE created_at > ?1 ORDER BY created_at, code_hash';
const EXPIRE = 'DELETE FROM gateway_pairing WHERE created_at <= ?1';
const ADD = `INSERT INTO gateway_pairing (code_hash, code_salt, platform, user_id, user_name, created_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)`;
const TAKE = 'DELETE FROM gateway_pairing WHERE code_hash = ?1';
const COUNT = 'SELECT COUNT(*) AS count FROM gateway_pairing WHERE platform = ?1 AND created_at > ?2';
const CLEAR = 'DELETE FROM gateway_pairing WHERE platform = COALESCE({text ?1}, platform)';
const APPROVE = `INSERT INTO gateway_people (platform, user_id, user_name, approved_at) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (platform, user_id) DO UPDATE SET user_name = excluded.user_name`;
const REVOKE = 'DELETE FROM gateway_people WHERE platform = ?1 AND user_id = ?2';
const APPROVED = `SELECT * FROM gateway_people WHERE platform = COALESCE({text ?1}, platform)
ORDER BY approved_at, user_id`;
const LIMIT = 'SELECT amount FROM gateway_pairing_limits WHERE name = ?1';
const SET_LIMIT = `INSERT INTO gateway_pairing_limits (name, amount) VALUES (?1, ?2)
ON CONFLICT (name) DO UPDATE SET amount = excluded.amount`;
// The names of platforms and users do not start with an underscore.
const FORGET_REQUESTS = "DELETE FROM gateway_pairing_limits WHERE amount <= ?1 AND name NOT LIKE '!_%' ESCAPE '!'";

/**
 * Pairing in the tables of the store. Everybody who can read the database could use a code, so only hashes are stored. A
 * code is short, so its hash is one that takes long to compute.
 */
export function createStoredPairing(database: Database): Pairing {
  const now = () => database.clock.now();
  return {
    async request(user) {
      // A user who writes again and again must not cost a hash each time.
      const refusal = await database.read((db) => findRefusal(db, user, now()));
      if (refusal !== undefined) return refusal;
      const code = newCode();
      const salt = randomBytes(16).toString('hex');
      const hash = await hashCode(code, salt);
      return database.write((db) => request(db, { user, code, salt, hash }, now()));
    },
    async approve(platform, code) {
      const open = await database.read((db) => listOpen(db, now()));
      const own = open.filter((row) => row.platform === platform);
      const hashes = await Promise.all(own.map(({ code_salt: salt }) => hashCode(code.trim().toUpperCase(), salt)));
      const found = own.find((row, index) => isEqual(row.code_hash, hashes[index] ?? ''));
      return database.write((db) => approve(db, platform, { found, now: now() }));
    },
    revoke: (platform, userId) => database.write((db) => revoke(db, platform, userId)),
    clearPending: (only) => database.write((db) => clear(db, only, now())),
    async listPending() {
      return (await database.read((db) => listOpen(db, now()))).map(toPending);
    },
    listApproved: (only) => database.read((db) => listApproved(db, only)),
  };
}

function newCode(): string {
  const letters = Array.from({ length: PAIRING_LIMITS.codeLength }, () => randomInt(PAIRING_ALPHABET.length));
  return letters.map((index) => PAIRING_ALPHABET[index]).join('');
}

const HASH_BYTES = 32;
/** Some milliseconds for a code, and centuries for all of them. */
const COST = { N: 4096 };
const derive = promisify<string, string, number, object, Buffer>(scrypt);

async function hashCode(code: string, salt: string): Promise<string> {
  return (await derive(code, salt, HASH_BYTES, COST)).toString('hex');
}

function isEqual(stored: string, given: string): boolean {
  return stored.length === given.length && timingSafeEqual(Buffer.from(stored), Buffer.from(given));
}

type NewRequest = { user: PairedUser; code: string; salt: string; hash: string };

function* request(db: Transaction, { user, code, salt, hash }: NewRequest, now: number): Work<PairingRequest> {
  const { platform, userId } = user;
  // SQLite of Node 22 ends a text at this character.
  const userName = user.userName.replaceAll('\0', '');
  yield* db.lock('pairing');
  const refusal = yield* findRefusal(db, user, now);
  if (refusal !== undefined) return refusal;
  yield* db.run(FORGET_REQUESTS, toSeconds(now - PAIRING_LIMITS.requestIntervalMs));
  yield* db.run(EXPIRE, toSeconds(now - PAIRING_LIMITS.codeMs));
  yield* db.run(ADD, hash, salt, platform, userId, userName, toSeconds(now));
  yield* db.run(SET_LIMIT, `${platform}:${userId}`, toSeconds(now));
  return { outcome: 'code', code };
}

function* findRefusal(
  db: Transaction,
  { platform, userId }: PairedUser,
  now: number,
): Work<Exclude<PairingRequest, { outcome: 'code' }> | undefined> {
  if (yield* isLocked(db, platform, now)) return { outcome: 'locked' };
  const last = (yield* db.get<{ amount: number }>(LIMIT, `${platform}:${userId}`))?.amount ?? 0;
  if (toMilliseconds(last) > now - PAIRING_LIMITS.requestIntervalMs) return { outcome: 'waiting' };
  const open = (yield* db.get<{ count: number }>(COUNT, platform, toSeconds(now - PAIRING_LIMITS.codeMs)))?.count ?? 0;
  return open >= PAIRING_LIMITS.maxOpen ? { outcome: 'full' } : undefined;
}

type Found = { found: RequestRow | undefined; now: number };

function* approve(db: Transaction, platform: string, { found, now }: Found): Work<PairingApproval> {
  yield* db.lock('pairing');
  if (yield* isLocked(db, platform, now)) return { outcome: 'locked' };
  // Another process may have approved it in the meantime.
  const isTaken = found !== undefined && (yield* db.run(TAKE, found.code_hash)) > 0;
  if (!isTaken) {
    yield* countFailure(db, platform, now);
    return { outcome: 'not_found' };
  }
  const { user_id: userId, user_name: userName } = found;
  yield* db.run(APPROVE, platform, userId, userName, toSeconds(now));
  return { outcome: 'approved', user: { platform, userId, userName, approvedAt: now } };
}

function* isLocked(db: Transaction, platform: string, now: number): Work<boolean> {
  const until = (yield* db.get<{ amount: number }>(LIMIT, `_lockout:${platform}`))?.amount ?? 0;
  return toMilliseconds(until) > now;
}

function* countFailure(db: Transaction, platform: string, now: number): Work<void> {
  const failures = ((yield* db.get<{ amount: number }>(LIMIT, `_failures:${platform}`))?.amount ?? 0) + 1;
  const isLast = failures >= PAIRING_LIMITS.maxFailures;
  yield* db.run(SET_LIMIT, `_failures:${platform}`, isLast ? 0 : failures);
  if (isLast) yield* db.run(SET_LIMIT, `_lockout:${platform}`, toSeconds(now + PAIRING_LIMITS.lockoutMs));
}

function* revoke(db: Transaction, platform: string, userId: string): Work<boolean> {
  return (yield* db.run(REVOKE, platform, userId)) > 0;
}

function* clear(db: Transaction, only: string | undefined, now: number): Work<number> {
  yield* db.run(EXPIRE, toSeconds(now - PAIRING_LIMITS.codeMs));
  return yield* db.run(CLEAR, only ?? null);
}

function* listOpen(db: Transaction, now: number): Work<RequestRow[]> {
  return yield* db.all<RequestRow>(OPEN, toSeconds(now - PAIRING_LIMITS.codeMs));
}

function* listApproved(db: Transaction, only: string | undefined): Work<ApprovedUser[]> {
  const rows = yield* db.all<PersonRow & { approved_at: number }>(APPROVED, only ?? null);
  return rows.map((row) => ({ ...toUser(row), approvedAt: toMilliseconds(row.approved_at) }));
}

function toPending(row: RequestRow): PendingUser {
  return { ...toUser(row), code: undefined, createdAt: toMilliseconds(row.created_at) };
}

function toUser({ platform, user_id: userId, user_name: userName }: PersonRow): PairedUser {
  return { platform, userId, userName };
}
