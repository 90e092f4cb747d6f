import { homePaths, loadSettings, resolveHome } from '../../../config/index.ts';
import {
  allOwners,
  type CredentialReport,
  findOwner,
  findStored,
  listCredentials,
  type PoolReport,
  removeCredential,
  resetCredentials,
} from '../../../providers/credentials/index.ts';
import { localTime } from '../../../util/index.ts';
import type { CliIo } from '../cli-io.ts';
import { confirm } from '../sessions/confirm.ts';
import { writeJson } from '../sessions/write-json.ts';
import { showable } from '../style.ts';

export async function listAuth({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const pools = await loadPools(io);
  if (json) writeJson(io.stdout, pools);
  else io.stdout.write(pools.length === 0 ? nothing(io) : pools.map(poolLines).join('\n'));
  return 0;
}

async function loadPools(io: CliIo): Promise<PoolReport[]> {
  const pools = await listCredentials(await loadSettings({ home: resolveHome(io.env), env: io.env }));
  return pools.filter(({ credentials }) => credentials.length > 0);
}

function nothing(io: CliIo): string {
  return `There are no keys or logins yet. Add one with \`hermes auth add PROVIDER\`, or put a key into ${homePaths(resolveHome(io.env)).envFile}.\n`;
}

function poolLines({ provider, credentials }: PoolReport): string {
  const rows = credentials.map(columnsOf);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  '));
  return `${[provider, ...lines.map((line) => `  ${line.trimEnd()}`)].map(showable).join('\n')}\n`;
}

function columnsOf(credential: CredentialReport): string[] {
  const { id, label, kind, source, masked, uses } = credential;
  // What stands elsewhere has no id by which it could be removed here.
  const place = source.startsWith('env:') ? 'variable' : source === 'claude_code' ? 'file' : id;
  const state = `${describeState(credential)}${uses === 0 ? '' : `, used ${uses}×`}`;
  return [label, place, kind === 'oauth' ? 'login' : 'key', masked, state];
}

/** One line for each provider, and one for whatever needs attention. */
export async function showAuthStatus({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const pools = await loadPools(io);
  if (json) writeJson(io.stdout, pools.map(summarise));
  else io.stdout.write(pools.length === 0 ? nothing(io) : pools.map(statusLines).join(''));
  return 0;
}

function summarise({ provider, strategy, credentials, next }: PoolReport) {
  const ready = credentials.filter(({ state }) => state === 'ready').length;
  return { provider, strategy, count: credentials.length, ready, next };
}

function statusLines(pool: PoolReport): string {
  const { provider, credentials, strategy } = pool;
  const { ready, count, next } = summarise(pool);
  const several = count === 1 ? '' : `, ${ready} of ${count} ready, ${strategy}`;
  const line = `${provider}: ${next === undefined ? 'any' : `next is ${next}`}${several}`;
  const troubles = credentials
    .filter(({ state }) => state !== 'ready')
    .map((credential) => troubleLine(provider, credential));
  return `${[line, ...troubles].map(showable).join('\n')}\n`;
}

function troubleLine(provider: string, credential: CredentialReport): string {
  const wayOut =
    credential.reason === 'login_ended'
      ? `log in again with \`hermes auth add ${provider} --login\``
      : `\`hermes auth reset ${provider}\` uses it again`;
  return `  ${credential.label}: ${describeState(credential)}; ${wayOut}`;
}

const REASONS: Readonly<Record<string, string>> = {
  auth: 'it was refused',
  auth_permanent: 'it was refused for good',
  billing: 'its account has nothing left',
  login_ended: 'the login has ended',
  rate_limit: 'its limit is reached',
  connection: 'its login server cannot be reached',
};

/** Whether a credential is used, and why not. */
export function describeState({ state, reason = '', until = 0, expiresAt, renewable }: CredentialReport): string {
  const why = REASONS[reason] ?? reason;
  if (state === 'marked') return `not used (${why})`;
  if (state === 'resting') return `rests until ${localTime(until)} (${why})`;
  if (expiresAt === undefined || renewable) return 'ready';
  return `ready until ${localTime(expiresAt)}`;
}

export async function removeAuth(
  provider: string,
  reference: string | undefined,
  { yes }: { yes?: boolean },
  io: CliIo,
): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const owner = findOwner(settings, provider);
  const { id, label } = findStored(settings, owner, reference);
  if (!(await confirm(`Remove ${label} of ${owner.name} for good?`, yes, io))) return 1;
  await removeCredential(settings, owner, id);
  io.stdout.write(`Removed ${showable(label)} of ${owner.name}.\n`);
  return 0;
}

export async function resetAuth(provider: string | undefined, io: CliIo): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const owners = provider === undefined ? allOwners(settings) : [findOwner(settings, provider)];
  const count = await resetCredentials(settings, owners);
  if (count === 0) io.stdout.write('Nothing rested and nothing was marked.\n');
  else io.stdout.write(`${count === 1 ? '1 credential is' : `${count} credentials are`} used again.\n`);
  return 0;
}
