import { type Clock, errorMessage } from '../base/index.ts';
import type { Logger } from '../contracts/index.ts';
import { settlesWithin } from '../util/index.ts';

/** Fetches the tool list of a server again when the server reports a change. */
export interface ListRefresher {
  scheduleRefresh(): void;
  /** Waits briefly for a refresh in progress: the model that changed the list will use the new tools next. */
  settled(): Promise<void>;
  /** No refresh starts after this. */
  stop(): void;
}

export type RefresherParts = { server: string; clock: Clock; logger: Logger };

/** How long a call result may be delayed by a refresh in progress. */
const MAX_REFRESH_WAIT_MS = 1000;
/** A change that is reported this soon after a refresh belongs to the same series. */
const SERIES_GAP_MS = 1000;
/** Refreshes of a series without a delay. The delay before a later one doubles each time. */
const IMMEDIATE_REFRESHES = 5;
const [FIRST_DELAY_MS, MAX_DELAY_MS] = [1000, 60_000];

/**
 * Creates a refresher. Servers report each change separately, so all changes during a refresh lead to a single
 * further refresh. A series of refreshes slows down, because some servers report a change whenever they are asked for
 * their list.
 */
export function createListRefresher(
  refresh: () => Promise<void>,
  { server, clock, logger }: RefresherParts,
): ListRefresher {
  const stopped = new AbortController();
  let running: Promise<void> | undefined;
  let [again, isDelayed] = [false, false];
  let [length, endedAt] = [0, Number.NEGATIVE_INFINITY];

  async function delay(): Promise<void> {
    length = clock.now() - endedAt < SERIES_GAP_MS ? length + 1 : 1;
    if (length <= IMMEDIATE_REFRESHES) return;
    isDelayed = true;
    const delayMs = FIRST_DELAY_MS * 2 ** Math.min(length - IMMEDIATE_REFRESHES - 1, 10);
    await clock.sleep(Math.min(delayMs, MAX_DELAY_MS), stopped.signal);
    isDelayed = false;
  }

  async function run(): Promise<void> {
    try {
      while (again) {
        await delay();
        again = false;
        await refresh().finally(() => (endedAt = clock.now()));
      }
    } catch (thrown) {
      if (stopped.signal.aborted) return;
      logger.warn('could not refresh the tool list of an MCP server', { server, error: errorMessage(thrown) });
    }
  }

  return {
    scheduleRefresh() {
      if (stopped.signal.aborted) return;
      again = true;
      running ??= run().finally(() => (running = undefined));
    },
    async settled() {
      if (running !== undefined && !isDelayed) await settlesWithin(running, MAX_REFRESH_WAIT_MS);
    },
    stop: () => stopped.abort(),
  };
}
