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
import { printable } from '../style.ts';
import { padWidth, textWidth } from '../../../util/text-width.ts';

export async function listAuth({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const { pools, saved } = await loadPoolsAndFile(io);
  if (json) writeJson(io.stdout, pools);
  else io.stdout.write(pools.length === 0 ? noCredentials(io) : pools.map((pool) => poolLines(pool, saved)).join('\n'));
  return 0;
}

async function loadPools(io: CliIo): Promise<PoolReport[]> {
  return (await loadPoolsAndFile(io)).pools;
}

/** `saved` has the variables that `.env` sets. */
async function loadPoolsAndFile(io: CliIo): Promise<{ pools: PoolReport[]; saved: ReadonlySet<string> }> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const pools = (await listCredentials(settings)).filter(({ credentials }) => credentials.length > 0);
  return { pools, saved: settings.savedVariables ?? new Set() };
}

function noCredentials(io: CliIo): string {
  return `There are no API keys or logins yet. Add one with \`hermes auth add PROVIDER\`, or add a key to ${homePaths(resolveHome(io.env)).envFile}.\n`;
}

function poolLines({ provider, credentials }: PoolReport, saved: ReadonlySet<string>): string {
  const rows = credentials.map((credential) => columnsOf(credential, saved));
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => textWidth(row[column] ?? ''))));
  const lines = rows.map((row) => row.map((text, column) => padWidth(text, widths[column] ?? 0)).join('  '));
  return `${[provider, ...lines.map((line) => `  ${line.trimEnd()}`)].map(printable).join('\n')}\n`;
}

function columnsOf(credential: CredentialReport, saved: ReadonlySet<string>): string[] {
  const { id, label, kind, source, masked, uses } = credential;
  // Credentials from variables or files of other programs have no id, since they cannot be removed here.
  const variable = saved.has(source.replace('env:', '')) ? '.env' : 'variable';
  const location = source.startsWith('env:') ? variable : source === 'claude_code' ? 'file' : id;
  const state = `${describeState(credential)}${uses === 0 ? '' : `, used ${uses}×`}`;
  return [label, location, kind === 'oauth' ? 'login' : 'key', masked, state];
}

/** One line per provider, and one for each credential that needs attention. */
export async function showAuthStatus({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const pools = await loadPools(io);
  if (json) writeJson(io.stdout, pools.map(summarise));
  else io.stdout.write(pools.length === 0 ? noCredentials(io) : pools.map(statusLines).join(''));
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
  const line = `${provider}: ${next === undefined ? 'any' : `next: ${next}`}${several}`;
  const problems = credentials
    .filter(({ state }) => state !== 'ready')
    .map((credential) => problemLine(provider, credential));
  return `${[line, ...problems].map(printable).join('\n')}\n`;
}

function problemLine(provider: string, credential: CredentialReport): string {
  const remedy =
    credential.reason === 'login_ended'
      ? `log in again with \`hermes auth add ${provider} --login\``
      : `\`hermes auth reset ${provider}\` enables it again`;
  return `  ${credential.label}: ${describeState(credential)}; ${remedy}`;
}

const REASONS: Readonly<Record<string, string>> = {
  auth: 'rejected by the provider',
  auth_permanent: 'permanently rejected by the provider',
  billing: 'no balance left',
  login_ended: 'the login has expired',
  rate_limit: 'rate limit reached',
  connection: 'the login server cannot be reached',
};

/** The state of a credential, with the reason if it is not used. */
export function describeState({ state, reason = '', until = 0, expiresAt, renewable }: CredentialReport): string {
  const why = REASONS[reason] ?? reason;
  if (state === 'marked') return `disabled (${why})`;
  if (state === 'resting') return `in cooldown until ${localTime(until)} (${why})`;
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
  if (!(await confirm(`Permanently remove ${label} of ${owner.name}?`, yes, io))) return 1;
  await removeCredential(settings, owner, id);
  io.stdout.write(`Removed ${printable(label)} of ${owner.name}.\n`);
  return 0;
}

export async function resetAuth(provider: string | undefined, io: CliIo): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  const owners = provider === undefined ? allOwners(settings) : [findOwner(settings, provider)];
  const count = await resetCredentials(settings, owners);
  if (count === 0) io.stdout.write('No credential is disabled or in cooldown.\n');
  else io.stdout.write(`${count === 1 ? '1 credential' : `${count} credentials`} enabled again.\n`);
  return 0;
}
