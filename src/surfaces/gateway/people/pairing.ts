import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import {
  type Clock,
  ConfigurationError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../../base/index.ts';
import { changeFile, writeFileAtomic } from '../../../util/index.ts';

/** Without letters and digits that look alike. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const CODE_LENGTH = 8;
const CODE_MS = 3_600_000;
const MAX_OPEN = 3;
const REQUEST_INTERVAL_MS = 600_000;
const MAX_FAILURES = 5;
const LOCKOUT_MS = 3_600_000;

export type PairedUser = { platform: string; userId: string; userName: string };
export type PendingUser = PairedUser & { code: string; createdAt: number };
export type ApprovedUser = PairedUser & { approvedAt: number };

/** The outcome of a request: `waiting`: the user already has a code; `full`: too many requests are open. */
export type PairingRequest = { outcome: 'code'; code: string } | { outcome: 'waiting' | 'full' | 'locked' };
export type PairingApproval = { outcome: 'approved'; user: ApprovedUser } | { outcome: 'not_found' | 'locked' };

/**
 * Lets strangers ask for access: they get a code, and the owner approves it in the terminal. The files have the format
 * of the original, so a home can be used by both programs.
 */
export interface Pairing {
  request(user: PairedUser): Promise<PairingRequest>;
  approve(platform: string, code: string): Promise<PairingApproval>;
  /** Returns false if the user was not approved. */
  revoke(platform: string, userId: string): Promise<boolean>;
  /** Deletes open requests and returns their number. */
  clearPending(platform?: string): Promise<number>;
  listPending(): Promise<PendingUser[]>;
  /** The users of one platform, or of all, those who were approved first at the start. */
  listApproved(platform?: string): Promise<ApprovedUser[]>;
}

export function createPairing(home: string, clock: Pick<Clock, 'now'>): Pairing {
  const older = join(home, 'pairing');
  const folder = existsSync(older) ? older : join(home, 'platforms', 'pairing');
  const limits = join(folder, '_rate_limits.json');
  const pendingFile = (platform: string) => join(folder, `${checkedName(platform)}-pending.json`);
  const approvedFile = (platform: string) => join(folder, `${checkedName(platform)}-approved.json`);
  /** One lock for all files, because most changes concern two of them. */
  const change = <Value>(task: () => Promise<Value>) => changeFile(limits, task);

  async function readPending(platform: string): Promise<JsonObject> {
    const entries = Object.entries(await readEntries(pendingFile(platform)));
    return Object.fromEntries(entries.filter(([, entry]) => timeOf(entry, 'created_at') > clock.now() - CODE_MS));
  }

  async function isLocked(platform: string): Promise<boolean> {
    const until = (await readEntries(limits))[`_lockout:${platform}`];
    return typeof until === 'number' && until * 1000 > clock.now();
  }

  async function countFailure(platform: string): Promise<void> {
    const entries = await readEntries(limits);
    const failures = Number(entries[`_failures:${platform}`] ?? 0) + 1;
    const isLast = failures >= MAX_FAILURES;
    entries[`_failures:${platform}`] = isLast ? 0 : failures;
    if (isLast) entries[`_lockout:${platform}`] = (clock.now() + LOCKOUT_MS) / 1000;
    await write(limits, entries);
  }

  async function platformsOf(kind: 'pending' | 'approved'): Promise<string[]> {
    const names = await readdir(folder).catch(() => []);
    return names.filter((name) => name.endsWith(`-${kind}.json`)).map((name) => name.slice(0, -`-${kind}.json`.length));
  }

  return {
    request: ({ platform, userId, userName }) =>
      change(async () => {
        if (await isLocked(platform)) return { outcome: 'locked' };
        const entries = await readEntries(limits);
        const last = entries[`${platform}:${userId}`];
        if (typeof last === 'number' && last * 1000 > clock.now() - REQUEST_INTERVAL_MS) return { outcome: 'waiting' };
        const pending = await readPending(platform);
        if (Object.keys(pending).length >= MAX_OPEN) return { outcome: 'full' };
        const code = newCode();
        const now = clock.now() / 1000;
        await write(pendingFile(platform), {
          ...pending,
          [code]: { user_id: userId, user_name: userName, created_at: now },
        });
        await write(limits, { ...entries, [`${platform}:${userId}`]: now });
        return { outcome: 'code', code };
      }),
    approve: (platform, given) =>
      change(async () => {
        if (await isLocked(platform)) return { outcome: 'locked' };
        const pending = await readPending(platform);
        const code = given.trim().toUpperCase();
        const { [code]: entry, ...others } = pending;
        const userId = textOf(entry, 'user_id');
        if (userId === '') {
          await countFailure(platform);
          return { outcome: 'not_found' };
        }
        const user = { platform, userId, userName: textOf(entry, 'user_name'), approvedAt: clock.now() };
        const approved = await readEntries(approvedFile(platform));
        approved[userId] = { user_name: user.userName, approved_at: user.approvedAt / 1000 };
        await write(approvedFile(platform), approved);
        await write(pendingFile(platform), others);
        return { outcome: 'approved', user };
      }),
    revoke: (platform, userId) =>
      change(async () => {
        const { [userId]: entry, ...others } = await readEntries(approvedFile(platform));
        if (entry !== undefined) await write(approvedFile(platform), others);
        return entry !== undefined;
      }),
    clearPending: (only) =>
      change(async () => {
        const platforms = only === undefined ? await platformsOf('pending') : [only];
        const counts = platforms.map(async (platform) => {
          const count = Object.keys(await readEntries(pendingFile(platform))).length;
          if (count > 0) await write(pendingFile(platform), {});
          return count;
        });
        return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
      }),
    async listPending() {
      const lists = (await platformsOf('pending')).map(async (platform) =>
        Object.entries(await readPending(platform)).map(([code, entry]) => ({
          platform,
          code,
          userId: textOf(entry, 'user_id'),
          userName: textOf(entry, 'user_name'),
          createdAt: timeOf(entry, 'created_at'),
        })),
      );
      return (await Promise.all(lists)).flat().sort((a, b) => a.createdAt - b.createdAt);
    },
    async listApproved(only) {
      const platforms = only === undefined ? await platformsOf('approved') : [only];
      const lists = platforms.map(async (platform) =>
        Object.entries(await readEntries(approvedFile(platform))).map(([userId, entry]) => ({
          platform,
          userId,
          userName: textOf(entry, 'user_name'),
          approvedAt: timeOf(entry, 'approved_at'),
        })),
      );
      return (await Promise.all(lists)).flat().sort((a, b) => a.approvedAt - b.approvedAt);
    },
  };
}

function newCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** The entries of a file; none if it does not exist. An unreadable file is an error, so that nobody is forgotten. */
async function readEntries(file: string): Promise<JsonObject> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw thrown;
  }
  const value = parseJson(text);
  if (isJsonObject(value)) return value;
  throw new ConfigurationError(`${file} is not a JSON object.`, { hint: 'Repair the file, or move it away.' });
}

/** A platform is part of a file name, and may come from the command line. */
function checkedName(platform: string): string {
  if (/^[a-z][a-z0-9_]*$/.test(platform)) return platform;
  throw new ConfigurationError(`"${platform}" is not the name of a platform.`);
}

async function write(file: string, entries: JsonObject): Promise<void> {
  await writeFileAtomic(file, `${JSON.stringify(entries, null, 2)}\n`, { mode: 0o600 });
}

function textOf(entry: JsonValue | undefined, key: string): string {
  const value = isJsonObject(entry) ? entry[key] : undefined;
  return typeof value === 'string' ? value : '';
}

/** Times in these files are seconds since 1970. */
function timeOf(entry: JsonValue | undefined, key: string): number {
  const value = isJsonObject(entry) ? entry[key] : undefined;
  return typeof value === 'number' ? value * 1000 : 0;
}
