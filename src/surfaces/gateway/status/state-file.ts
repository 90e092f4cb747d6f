import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Clock, errorMessage, isJsonObject, type JsonObject, parseJson } from '../../../base/index.ts';
import type { Logger } from '../../../contracts/index.ts';
import { processStartTime, writeFileAtomic } from '../../../util/index.ts';
import type { AccountState, AccountStatus } from '../accounts/account-runner.ts';

/** `gateway_state.json`, in the format of the original with some more fields, and `gateway.pid`. */
export interface StateFile {
  onStatus(status: AccountStatus): void;
  /** Writes the last state and removes `gateway.pid`. */
  close(): Promise<void>;
}

export type StateFileOptions = {
  home: string;
  clock: Clock;
  logger: Logger;
  /** The number of chats that are being worked on. */
  working(): number;
};

/** The file is written this often without a reason, so that its figures are current. */
const WRITE_MS = 10_000;
const STATES: Readonly<Record<AccountState, string>> = {
  connecting: 'connecting',
  connected: 'connected',
  retrying: 'retrying',
  waiting: 'connecting',
  fatal: 'fatal',
  closed: 'disconnected',
};

export function startStateFile({ home, clock, logger, working }: StateFileOptions): StateFile {
  const [file, pidFile] = [join(home, 'gateway_state.json'), join(home, 'gateway.pid')];
  const platforms: Record<string, JsonObject> = {};
  const delay = monitorEventLoopDelay({ resolution: 50 });
  delay.enable();
  const closing = new AbortController();
  const own = ownProcess();
  const startedAt = clock.now();
  let waking = new AbortController();
  let last = Promise.resolve();

  function write(state: string): Promise<void> {
    const { rss, heapUsed } = process.memoryUsage();
    const content = {
      ...own,
      gateway_state: state,
      exit_reason: null,
      restart_requested: false,
      active_agents: working(),
      platforms,
      started_at: isoTime(startedAt),
      updated_at: isoTime(clock.now()),
      memory: { rss, heap_used: heapUsed },
      event_loop_delay_ms: Math.round(delay.percentile(99) / 1e6),
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
    onStatus({ platform, account, state, error }) {
      const before = platforms[platform];
      const shown = STATES[state];
      const now = isoTime(clock.now());
      // Every sign of life is reported, but only a change is news.
      const since = before?.['state'] === shown ? (before['since'] ?? now) : now;
      const next: JsonObject = { state: shown, since, updated_at: now, error_code: null, error_message: error ?? null };
      if (account !== undefined) next['account'] = account;
      platforms[platform] = next;
      if (before?.['state'] === shown && before['error_message'] === next['error_message']) return;
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
