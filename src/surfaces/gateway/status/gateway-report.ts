import { type Clock, errorMessage, isJsonObject, type JsonObject, type JsonValue } from '../../../base/index.ts';
import { loadGatewaySettings, type PlatformSettings } from '../../../config/gateway/index.ts';
import type { EnvironmentVariables } from '../../../config/index.ts';
import type {
  AccountReport,
  Fill,
  GatewayFigures,
  GatewayStore,
  SendErrorReport,
  WorkingReport,
} from '../../../contracts/index.ts';
import { openChannels, PLATFORMS } from '../../../platforms/index.ts';
import { MAX_WAITING } from '../accounts/account-runner.ts';
import { MAX_UNSENT } from '../sending/messaging.ts';
import { readStateFile } from './state-file.ts';

export type PlatformReport = {
  platform: string;
  /** As the gateway reported it last; `not running` without a gateway. */
  state: string;
  since: string | undefined;
  error: string | undefined;
  account: string | undefined;
  stored: AccountReport | undefined;
  /** With `deep`: who the bot is according to the platform, or why it cannot be reached. */
  check?: { name: string } | { error: string };
};

export type GatewayReport = {
  isHealthy: boolean;
  /** What is wrong, for people. */
  problems: readonly string[];
  gateway: {
    isRunning: boolean;
    pid: number | undefined;
    startedAt: string | undefined;
    activeChats: number | undefined;
  };
  platforms: readonly PlatformReport[];
  figures: GatewayFigures;
  working: readonly (WorkingReport & { isStuck: boolean })[];
  sendErrors: readonly SendErrorReport[];
  /** With `deep`: what the process of the gateway uses. */
  process?: JsonObject;
  /** With `deep`: how full everything is that has a limit. */
  fills?: readonly Fill[];
  /** With `deep`: what was refused without a reply since the gateway started, by reason. */
  refused?: JsonObject;
};

export type ReportOptions = {
  home: string;
  env: EnvironmentVariables;
  store: GatewayStore;
  clock: Clock;
  deep: boolean;
  signal: AbortSignal;
};

/** A message that waits longer than this is a problem. */
const LATE_MS = 600_000;
/** A turn that works longer than this is probably stuck. */
const STUCK_MS = 1_800_000;
const CHECK_MS = 10_000;
const MAX_LISTED = 10;

/** What the gateway of a home is doing, from its state file and the store. */
export async function reportGateway(options: ReportOptions): Promise<GatewayReport> {
  const { home, env, store, clock, deep } = options;
  const { platforms: configured, webhooks } = await loadGatewaySettings({ home, env, platforms: PLATFORMS });
  const [file, accounts] = [await readStateFile(home), await store.listAccounts()];
  const isHere = file?.isAlive === true;
  const known = { accounts, state: isHere ? file.state : {} };
  const platforms = (await Promise.all(configured.map((settings) => reportPlatform(options, settings, known)))).flat();
  if (webhooks.isEnabled) platforms.push(...describeAccounts('webhook', known));
  const working = (await store.listWorking(MAX_LISTED)).map((turn) => ({
    ...turn,
    isStuck: turn.owner === undefined || clock.now() - turn.since > STUCK_MS,
  }));
  const figures = await store.figures();
  // With a shared database, the gateway may run on another machine.
  const isRunning = isHere || accounts.some(({ holder }) => holder !== undefined);
  const parts = { isRunning, platforms, working, figures, now: clock.now() };
  const problems = findProblems(parts);
  const { pid, started_at: startedAt, active_agents: activeChats } = isHere ? file.state : {};
  return {
    isHealthy: problems.length === 0,
    problems,
    gateway: {
      isRunning,
      pid: typeof pid === 'number' ? pid : undefined,
      startedAt: typeof startedAt === 'string' ? startedAt : undefined,
      activeChats: typeof activeChats === 'number' ? activeChats : undefined,
    },
    platforms,
    figures,
    working,
    sendErrors: await store.listSendErrors(MAX_LISTED),
    ...(deep && { fills: readFills(isHere ? file.state : {}, figures) }),
    ...(deep && isHere && { process: processFigures(file.state), refused: objectOf(file.state['refused']) }),
  };
}

type Known = { accounts: readonly AccountReport[]; state: JsonObject };

async function reportPlatform(
  { deep, signal }: ReportOptions,
  settings: PlatformSettings,
  known: Known,
): Promise<PlatformReport[]> {
  const check = deep ? await checkPlatform(settings, signal) : undefined;
  return describeAccounts(settings.name, known).map((report) => ({
    ...report,
    ...(check !== undefined && { check }),
  }));
}

function describeAccounts(name: string, { accounts, state }: Known): PlatformReport[] {
  const own = objectOf(objectOf(state['platforms'])[name]);
  const several = Array.isArray(own['accounts']) ? own['accounts'].map(objectOf) : [own];
  return several.map((entry) => describeAccount(name, entry, accounts));
}

function describeAccount(name: string, entry: JsonObject, accounts: readonly AccountReport[]): PlatformReport {
  const text = (key: string) => (typeof entry[key] === 'string' ? entry[key] : undefined);
  const account = text('account') ?? accounts.find((each) => each.account.startsWith(`${name}:`))?.account;
  const stored = accounts.find((each) => each.account === account);
  const elsewhere = stored?.holder === undefined ? 'not running' : 'held by another process';
  return {
    platform: name,
    state: text('state') ?? elsewhere,
    since: text('since'),
    error: text('error_message'),
    account,
    stored,
  };
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** How full the tables are, and what the gateway has written about its memory. */
function readFills({ fills }: JsonObject, { waiting, unsent }: GatewayFigures): Fill[] {
  const written = (Array.isArray(fills) ? fills : []).map(objectOf).flatMap(({ name, used, limit }) => {
    return typeof name === 'string' && typeof used === 'number' && typeof limit === 'number'
      ? [{ name, used, limit }]
      : [];
  });
  return [
    { name: 'inbox', used: waiting, limit: MAX_WAITING },
    { name: 'outbox', used: unsent, limit: MAX_UNSENT },
    ...written,
  ];
}

async function checkPlatform(
  settings: PlatformSettings,
  signal: AbortSignal,
): Promise<NonNullable<PlatformReport['check']>> {
  const channels = await openChannels(settings);
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(CHECK_MS)]);
    const identities = await Promise.all(channels.map((channel) => channel.identify(within)));
    return { name: identities.map(({ name }) => name).join(', ') };
  } catch (thrown) {
    return { error: errorMessage(thrown) };
  } finally {
    await Promise.all(channels.map((channel) => channel.close()));
  }
}

type Judged = Pick<GatewayReport, 'platforms' | 'figures' | 'working'> & { isRunning: boolean; now: number };

function findProblems({ isRunning, platforms, figures, working, now }: Judged): string[] {
  if (platforms.length === 0) return ['No messaging platform is configured. Run `hermes gateway setup`.'];
  const problems = isRunning ? [] : ['The gateway is not running. Start it with `hermes gateway run`.'];
  const isLate = (since: number | undefined) => since !== undefined && now - since > LATE_MS;
  for (const { platform, state, error, check } of platforms) {
    const isConnected = state === 'connected' || state === 'held by another process';
    if (isRunning && !isConnected) problems.push(`${platform} is ${state}${error === undefined ? '.' : `: ${error}`}`);
    if (check !== undefined && 'error' in check) problems.push(`${platform} cannot be reached: ${check.error}`);
  }
  if (isLate(figures.waitingSince)) problems.push('Messages have been waiting for more than 10 minutes.');
  if (isLate(figures.unsentSince)) problems.push('Answers have been waiting to be sent for more than 10 minutes.');
  const stuck = working.filter(({ isStuck }) => isStuck).length;
  if (isRunning && stuck > 0) problems.push(`${stuck} turn${stuck === 1 ? ' is' : 's are'} stuck.`);
  return problems;
}

function processFigures({ memory, event_loop_delay_ms: delay }: JsonObject): JsonObject {
  const figures: JsonObject = isJsonObject(memory) ? { ...memory } : {};
  if (typeof delay === 'number') figures['event_loop_delay_ms'] = delay;
  return figures;
}
