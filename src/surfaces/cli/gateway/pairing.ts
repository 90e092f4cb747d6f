import { HermesError, systemClock } from '../../../base/index.ts';
import type { Pairing } from '../../../contracts/index.ts';
import { createPairing } from '../../gateway/index.ts';
import type { CliIo } from '../cli-io.ts';
import { storeLocation, withStore } from '../sessions/with-store.ts';
import { writeJson } from '../sessions/write-json.ts';
import { printable } from '../style.ts';

/** Pairing is in files of the home directory, or in the database that several machines share. */
async function withPairing<Result>(io: CliIo, use: (pairing: Pairing) => Promise<Result>): Promise<Result> {
  const { home, storage } = await storeLocation(io);
  if (storage !== undefined) return withStore(io, async (store) => use((await store.openGatewayStore()).pairing));
  const warn = (problem: string) => void io.stderr.write(`${printable(`Warning: ${problem}`)}\n`);
  return use(createPairing(home, io.clock ?? systemClock, warn));
}

/** `hermes pairing list`: open requests and approved people, with their stable ids. */
export async function listPairing({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const { pending, approved } = await withPairing(io, async (pairing) => ({
    pending: await pairing.listPending(),
    approved: await pairing.listApproved(),
  }));
  if (json) {
    writeJson(io.stdout, { pending, approved });
    return 0;
  }
  const line = (platform: string, userId: string, userName: string, more: string) =>
    printable(`  ${platform}  ${userId}  ${userName}  ${more}`);
  const lines = [
    ...(pending.length > 0 ? ['Waiting:'] : []),
    ...pending.map(({ platform, userId, userName, code }) =>
      line(platform, userId, userName, code ?? '(the user has the code)'),
    ),
    ...(approved.length > 0 ? ['Approved:'] : []),
    ...approved.map(({ platform, userId, userName, approvedAt }) =>
      line(platform, userId, userName, `since ${new Date(approvedAt).toISOString().slice(0, 10)}`),
    ),
  ];
  io.stdout.write(
    pending.length + approved.length === 0 ? 'Nobody is waiting or approved.\n' : `${lines.join('\n')}\n`,
  );
  return 0;
}

export async function approvePairing(platform: string, code: string, io: CliIo): Promise<number> {
  const { result, approved } = await withPairing(io, async (pairing) => ({
    result: await pairing.approve(platform, code),
    approved: await pairing.listApproved(platform),
  }));
  if (result.outcome === 'locked')
    throw new HermesError(`Too many wrong codes were entered for ${platform}.`, { hint: 'Try again in an hour.' });
  if (result.outcome !== 'approved')
    throw new HermesError(`The code ${code} is not valid for ${platform}.`, {
      hint: 'Codes are valid for one hour. `hermes pairing list` shows the open requests.',
    });
  const { userId, userName } = result.user;
  const isFirst = approved.length === 1;
  const more = isFirst ? ' The first approved user is the admin, unless others are configured as admins.' : '';
  io.stdout.write(printable(`${userName} (${userId}) may now use the bot on ${platform}.${more}`) + '\n');
  return 0;
}

export async function revokePairing(platform: string, userId: string, io: CliIo): Promise<number> {
  if (!(await withPairing(io, (pairing) => pairing.revoke(platform, userId))))
    throw new HermesError(`${userId} is not approved on ${platform}.`, { hint: 'See `hermes pairing list`.' });
  io.stdout.write(printable(`${userId} may no longer use the bot on ${platform}.`) + '\n');
  return 0;
}

export async function clearPairing(io: CliIo): Promise<number> {
  const count = await withPairing(io, (pairing) => pairing.clearPending());
  io.stdout.write(`Deleted ${count} open request${count === 1 ? '' : 's'}.\n`);
  return 0;
}
