import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Clock, errorMessage, isJsonObject, type JsonObject, parseJson } from '../../../base/index.ts';
import type { Logger } from '../../../contracts/index.ts';
import { processStartTime, writeFileAtomic } from '../../../util/index.ts';
import type { AccountState, AccountStatus } from '../accounts/account-runner.ts';
import type { Gateway } from '../gateway.ts';

/** `gateway_state.json`, in the format of the original with some more fields, and `gateway.pid`. */
export interface StateFile {
  /** Writes the state now, because it has changed. */
  wake(): void;
  /** Writes the last state and removes `gateway.pid`. */
  close(): Promise<void>;
}

export type StateFileOptions = {
  home: string;
  clock: Clock;
  logger: Logger;
  /** The running gateway; undefined while it starts. */
  gateway(): Pick<Gateway, 'working' | 'status' | 'listFills' | 'refused'> | undefined;
  /** The number of scheduled jobs that are running. */
  jobs?(): number;
};

/** The file is written this often without a reason, so that its figures are current. */
const WRITE_MS = 10_000;
/** How often the delay of the event loop is measured. The measured time contains it. */
const SAMPLE_MS = 50;
/** The worst state first: it is that of a platform with several accounts. */
const STATES: Readonly<Record<AccountState, string>> = {
  fatal: 'fatal',
  retrying: 'retrying',
  connecting: 'connecting',
  waiting: 'connecting',
  closed: 'disconnected',
  connected: 'connected',
};

export function startStateFile({ home, clock, logger, gateway, jobs }: StateFileOptions): StateFile {
  const [file, pidFile] = [join(home, 'gateway_state.json'), join(home, 'gateway.pid')];
  const delay = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  delay.enable();
  const closing = new AbortController();
  const own = ownProcess();
  const startedAt = clock.now();
  let waking = new AbortController();
  let last = Promise.resolve();

  function write(state: string): Promise<void> {
    const { rss, heapUsed } = process.memoryUsage();
    const running = gateway();
    const content = {
      ...own,
      gateway_state: state,
      exit_reason: null,
      restart_requested: false,
      active_agents: (running?.working ?? 0) + (jobs?.() ?? 0),
      platforms: toPlatforms(running?.status() ?? [], clock.now()),
      started_at: isoTime(startedAt),
      updated_at: isoTime(clock.now()),
      memory: { rss, heap_used: heapUsed },
      event_loop_delay_ms: Math.max(0, Math.round(delay.percentile(99) / 1e6) - SAMPLE_MS),
      fills: running?.listFills() ?? [],
      refused: { ...running?.refused },
    };
    delay.reset();
    last = last
      .then(() => writeOwn(file, `${JSON.stringify(content, null, 2)}\n`))
      .catch((thrown: unknown) =>
        logger.warn('could not write the state of the gateway', { error: errorMessage(thrown) }),
      );
    return last;
  }

  /** A second gateway of the same home waits for the first, whose state counts. */
  async function writeOwn(path: string, content: string): Promise<void> {
    const other = await readStateFile(home);
    if (other?.isAlive === true && other.state['pid'] !== process.pid) return;
    await writeFileAtomic(path, content, { mode: 0o600 });
  }

  async function work(): Promise<void> {
    await writeOwn(pidFile, `${JSON.stringify(own)}\n`).catch(() => undefined);
    while (!closing.signal.aborted) {
      const next = waking.signal;
      await write('running');
      await clock.sleep(WRITE_MS, AbortSignal.any([closing.signal, next])).catch(() => undefined);
    }
  }

  const writing = work();
  return {
    wake() {
      const asleep = waking;
      waking = new AbortController();
      asleep.abort();
    },
    async close() {
      closing.abort();
      await writing;
      delay.disable();
      const isOther = (await readStateFile(home))?.state['pid'] !== process.pid;
      if (isOther) return;
      await write('stopped');
      await rm(pidFile, { force: true });
    },
  };
}

/** The state of each platform, with its accounts if it has several. */
function toPlatforms(statuses: readonly AccountStatus[], now: number): JsonObject {
  const names = [...new Set(statuses.map(({ platform }) => platform))];
  const order = Object.keys(STATES);
  return Object.fromEntries(
    names.map((name) => {
      const own = statuses.filter(({ platform }) => platform === name);
      const [worst] = own.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
      const accounts: JsonObject = own.length > 1 ? { accounts: own.map((status) => toEntry(status, now)) } : {};
      return [name, { ...toEntry(worst as AccountStatus, now), ...accounts }];
    }),
  );
}

function toEntry({ account, state, error, since }: AccountStatus, now: number): JsonObject {
  const entry: JsonObject = {
    state: STATES[state],
    since: isoTime(since),
    updated_at: isoTime(now),
    error_code: null,
    error_message: error ?? null,
  };
  if (account !== undefined) entry['account'] = account;
  return entry;
}

function ownProcess(): JsonObject {
  return { pid: process.pid, kind: 'hermes-gateway', argv: process.argv, start_time: startTicks(process.pid) };
}

/** The start time as the original writes it: in clock ticks since the boot; null where it is not known. */
function startTicks(pid: number): number | null {
  const ticks = Number(processStartTime(pid).split(':').at(-1) || Number.NaN);
  return Number.isFinite(ticks) ? ticks : null;
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}

/** What the last gateway of a home wrote; undefined if there was none. `isAlive`: its process still runs. */
export async function readStateFile(home: string): Promise<{ state: JsonObject; isAlive: boolean } | undefined> {
  const state = parseJson(await readFile(join(home, 'gateway_state.json'), 'utf8').catch(() => ''));
  if (!isJsonObject(state)) return undefined;
  const { pid, start_time: started } = state;
  const isRunning = typeof pid === 'number' && processStartTime(pid) !== '' && startTicks(pid) === (started ?? null);
  return { state, isAlive: isRunning && state['gateway_state'] !== 'stopped' };
}
