import { type JsonObject, newId } from '../../../base/index.ts';
import type { GatewayAccounts, HeldAccount } from '../../../contracts/index.ts';
import type { Database, Transaction, Work } from '../../database.ts';
import { readObject } from '../../rows/values.ts';

type AccountRow = { cursor_value: string | null };

// A lease that ends later than any lease can was taken before a clock was set back.
const HOLD = `INSERT INTO gateway_accounts (account, holder, holder_token, leased_until)
VALUES (?1, ?2, ?3, {now ?4} + ?5)
ON CONFLICT (account) DO UPDATE SET holder = excluded.holder, holder_token = excluded.holder_token,
leased_until = excluded.leased_until
WHERE gateway_accounts.holder_token IS NULL OR gateway_accounts.leased_until < {now ?4}
OR gateway_accounts.leased_until > {now ?4} + ?5`;
const BY_ACCOUNT = 'SELECT cursor_value FROM gateway_accounts WHERE account = ?1';
const RENEW = 'UPDATE gateway_accounts SET leased_until = {now ?3} + ?4 WHERE account = ?1 AND holder_token = ?2';
const RELEASE = `UPDATE gateway_accounts SET holder = NULL, holder_token = NULL
WHERE account = ?1 AND holder_token = ?2`;
const OWNERS = `SELECT holder AS owner FROM gateway_accounts WHERE holder_token IS NOT NULL
UNION SELECT owner FROM gateway_conversations WHERE owner_token IS NOT NULL`;
const RELEASE_ACCOUNTS = 'UPDATE gateway_accounts SET holder = NULL, holder_token = NULL WHERE holder = ?1';
const RELEASE_CHATS = 'UPDATE gateway_conversations SET owner = NULL, owner_token = NULL WHERE owner = ?1';
const SAVE_CURSOR = 'UPDATE gateway_accounts SET cursor_value = ?3 WHERE account = ?1 AND holder_token = ?2';

export function createAccounts(database: Database): GatewayAccounts {
  return {
    holdAccount: (account, holder, ttlMs) => database.write((db) => hold(db, { account, holder, ttlMs })),
    renewAccount: (held, ttlMs) => database.write((db) => renew(db, held, ttlMs)),
    releaseAccount: (held) => database.write((db) => release(db, held)),
    listOwners: () => database.read(listOwners),
    releaseOwner: (owner) => database.write((db) => releaseOwner(db, owner)),
  };
}

type Wanted = { account: string; holder: string; ttlMs: number };

function* hold(db: Transaction, { account, holder, ttlMs }: Wanted): Work<HeldAccount | undefined> {
  const token = newId('account');
  const taken = yield* db.run(HOLD, account, holder, token, db.leaseTime(), ttlMs / 1000);
  if (taken === 0) return undefined;
  const row = yield* db.get<AccountRow>(BY_ACCOUNT, account);
  return { account, token, cursor: readObject(row?.cursor_value) as JsonObject | undefined };
}

function* renew(db: Transaction, { account, token }: HeldAccount, ttlMs: number): Work<boolean> {
  return (yield* db.run(RENEW, account, token, db.leaseTime(), ttlMs / 1000)) > 0;
}

function* release(db: Transaction, { account, token }: HeldAccount): Work<void> {
  yield* db.run(RELEASE, account, token);
}

function* listOwners(db: Transaction): Work<string[]> {
  return (yield* db.all<{ owner: string | null }>(OWNERS)).flatMap(({ owner }) => owner ?? []);
}

function* releaseOwner(db: Transaction, owner: string): Work<void> {
  yield* db.run(RELEASE_ACCOUNTS, owner);
  yield* db.run(RELEASE_CHATS, owner);
}

/** Stores where receiving continues. Returns false if another process holds the account. */
export function* saveCursor(db: Transaction, { account, token }: HeldAccount, cursor: JsonObject): Work<boolean> {
  return (yield* db.run(SAVE_CURSOR, account, token, JSON.stringify(cursor))) > 0;
}
