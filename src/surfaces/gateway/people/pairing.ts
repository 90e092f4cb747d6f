import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import {
  type Clock,
  ConfigurationError,
  errorMessage,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../../base/index.ts';
import {
  PAIRING_ALPHABET,
  PAIRING_LIMITS,
  type PairedUser,
  type Pairing,
  type PairingApproval,
  type PairingRequest,
} from '../../../contracts/index.ts';
import { changeFile, writeFileAtomic } from '../../../util/index.ts';

const { codeLength, codeMs, maxOpen, requestIntervalMs, maxFailures, lockoutMs } = PAIRING_LIMITS;

/**
 * Pairing in files with the format of the original, so that a home can be used by both programs. `onProblem` is called once for each file that cannot be read. Lists then have what the other files say; changes fail,
 * so that nobody is forgotten.
 */
export function createPairing(
  home: string,
  clock: Pick<Clock, 'now'>,
  onProblem: (problem: string) => void = () => undefined,
): Pairing {
  const files = openFiles(home, clock);
  const reported = new Set<string>();
  const readable = (reading: Promise<JsonObject>) =>
    reading.catch((thrown: unknown): JsonObject => {
      const problem = errorMessage(thrown);
      if (!reported.has(problem)) onProblem(problem);
      reported.add(problem);
      return {};
    });
  return {
    request: (user) => files.change(() => request(files, user, clock.now())),
    approve: (platform, code) => files.change(() => approve(files, { platform, code }, clock.now())),
    revoke: (platform, userId) =>
      files.change(async () => {
        const { [userId]: entry, ...others } = await files.readApproved(platform);
        if (entry !== undefined) await files.writeApproved(platform, others);
        return entry !== undefined;
      }),
    clearPending: (only) =>
      files.change(async () => {
        const platforms = only === undefined ? await files.platformsOf('pending') : [only];
        const counts = platforms.map(async (platform) => {
          const count = Object.keys(await files.readPending(platform)).length;
          await files.writePending(platform, {});
          return count;
        });
        return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
      }),
    async listPending() {
      const lists = (await files.platformsOf('pending')).map(async (platform) =>
        Object.entries(await readable(files.readPending(platform))).map(([code, entry]) => ({
          platform,
          code,
          userId: textOf(entry, 'user_id'),
          userName: textOf(entry, 'user_name'),
          createdAt: timeOf(entry, 'created_at'),
        })),
      );
      return (await Promise.all(lists))
        .flat()
        .filter(({ userId }) => userId !== '')
        .sort((a, b) => a.createdAt - b.createdAt);
    },
    async listApproved(only) {
      const platforms = only === undefined ? await files.platformsOf('approved') : [only];
      const lists = platforms.map(async (platform) =>
        Object.entries(await readable(files.readApproved(platform))).flatMap(([userId, entry]) =>
          isJsonObject(entry) && userId !== ''
            ? [{ platform, userId, userName: textOf(entry, 'user_name'), approvedAt: timeOf(entry, 'approved_at') }]
            : [],
        ),
      );
      return (await Promise.all(lists)).flat().sort((a, b) => a.approvedAt - b.approvedAt);
    },
  };
}

async function request(
  files: PairingFiles,
  { platform, userId, userName }: PairedUser,
  now: number,
): Promise<PairingRequest> {
  if (await files.isLocked(platform)) return { outcome: 'locked' };
  const limits = await files.readLimits();
  const last = limits[`${platform}:${userId}`];
  if (typeof last === 'number' && last * 1000 > now - requestIntervalMs) return { outcome: 'waiting' };
  const pending = await files.readPending(platform);
  if (Object.keys(pending).length >= maxOpen) return { outcome: 'full' };
  const code = newCode();
  const entry = { user_id: userId, user_name: userName, created_at: now / 1000 };
  await files.writePending(platform, { ...pending, [code]: entry });
  await files.writeLimits({ ...limits, [`${platform}:${userId}`]: now / 1000 });
  return { outcome: 'code', code };
}

type GivenCode = { platform: string; code: string };

async function approve(files: PairingFiles, { platform, code }: GivenCode, now: number): Promise<PairingApproval> {
  if (await files.isLocked(platform)) return { outcome: 'locked' };
  const { [code.trim().toUpperCase()]: entry, ...others } = await files.readPending(platform);
  const userId = textOf(entry, 'user_id');
  if (userId === '') {
    await files.countFailure(platform);
    return { outcome: 'not_found' };
  }
  const user = { platform, userId, userName: textOf(entry, 'user_name'), approvedAt: now };
  const approved = await files.readApproved(platform);
  const added = { user_name: user.userName, approved_at: now / 1000 };
  await files.writeApproved(platform, { ...approved, [userId]: added });
  await files.writePending(platform, others);
  return { outcome: 'approved', user };
}

type PairingFiles = ReturnType<typeof openFiles>;

/** The files of the original. */
function openFiles(home: string, clock: Pick<Clock, 'now'>) {
  const older = join(home, 'pairing');
  const folder = existsSync(older) ? older : join(home, 'platforms', 'pairing');
  const limits = join(folder, '_rate_limits.json');
  const fileOf = (platform: string, kind: 'pending' | 'approved') =>
    join(folder, `${checkedName(platform)}-${kind}.json`);
  const readLimits = () => readEntries(limits);
  const writeLimits = (entries: JsonObject) => write(limits, entries);
  return {
    /** One lock for all files, because most changes concern two of them. */
    change: <Value>(task: () => Promise<Value>) => changeFile(limits, task),
    readLimits,
    writeLimits,
    /** Without the codes that have expired. */
    async readPending(platform: string): Promise<JsonObject> {
      const entries = Object.entries(await readEntries(fileOf(platform, 'pending')));
      return Object.fromEntries(entries.filter(([, entry]) => timeOf(entry, 'created_at') > clock.now() - codeMs));
    },
    writePending: (platform: string, entries: JsonObject) => write(fileOf(platform, 'pending'), entries),
    readApproved: (platform: string) => readEntries(fileOf(platform, 'approved')),
    writeApproved: (platform: string, entries: JsonObject) => write(fileOf(platform, 'approved'), entries),
    async isLocked(platform: string): Promise<boolean> {
      const until = (await readLimits())[`_lockout:${platform}`];
      return typeof until === 'number' && until * 1000 > clock.now();
    },
    async countFailure(platform: string): Promise<void> {
      const entries = await readLimits();
      const failures = Number(entries[`_failures:${platform}`] ?? 0) + 1;
      const isLast = failures >= maxFailures;
      entries[`_failures:${platform}`] = isLast ? 0 : failures;
      if (isLast) entries[`_lockout:${platform}`] = (clock.now() + lockoutMs) / 1000;
      await writeLimits(entries);
    },
    async platformsOf(kind: 'pending' | 'approved'): Promise<string[]> {
      const names = await readdir(folder).catch(() => []);
      const ending = `-${kind}.json`;
      return names
        .filter((name) => name.endsWith(ending))
        .map((name) => name.slice(0, -ending.length))
        .filter(isPlatformName);
    },
  };
}

function newCode(): string {
  return Array.from({ length: codeLength }, () => PAIRING_ALPHABET[randomInt(PAIRING_ALPHABET.length)]).join('');
}

/** The entries of a file; none if it does not exist. An unreadable file is an error, so that nobody is forgotten. */
async function readEntries(file: string): Promise<JsonObject> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new ConfigurationError(`${file} cannot be read: ${errorMessage(thrown)}.`, { cause: thrown });
  }
  const value = parseJson(text);
  if (isJsonObject(value)) return value;
  throw new ConfigurationError(`${file} is not a JSON object.`, { hint: 'Repair the file, or move it away.' });
}

/** A platform is part of a file name, and may come from the command line. */
function checkedName(platform: string): string {
  if (isPlatformName(platform)) return platform;
  throw new ConfigurationError(`"${platform}" is not the name of a platform.`);
}

function isPlatformName(name: string): boolean {
  return /^[a-z][a-z0-9_]*$/.test(name);
}

async function write(file: string, entries: JsonObject): Promise<void> {
  await writeFileAtomic(file, `${JSON.stringify(entries, null, 2)}\n`, { mode: 0o600 });
}

function textOf(entry: JsonValue | undefined, key: string): string {
  const value = isJsonObject(entry) ? entry[key] : undefined;
  return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '';
}

/** The last time that a date can have. */
const MAX_TIME = 8.64e15;

/** Times in these files are seconds since 1970. */
function timeOf(entry: JsonValue | undefined, key: string): number {
  const value = isJsonObject(entry) ? entry[key] : undefined;
  return typeof value === 'number' && Math.abs(value) <= MAX_TIME / 1000 ? value * 1000 : 0;
}
