import type { AgentEvent } from '../../../base/index.ts';
import type { Job } from '../../slash/index.ts';

/** Keeps the list of running jobs on the terminal up to date. */
export interface JobWatch {
  refresh(): void;
  /** A tool call may have started or ended a process. */
  onEvent(event: AgentEvent): void;
  close(): void;
}

type JobWatchOptions = {
  list(): Promise<readonly Job[]>;
  show(running: readonly Job[]): void;
  onError(thrown: unknown): void;
};

/** Tools that start or end processes. */
const PROCESS_TOOLS = new Set(['terminal', 'process', 'execute_code']);
/** How often running jobs are checked for their end. */
const CHECK_MS = 1000;

export function createJobWatch({ list, show, onError }: JobWatchOptions): JobWatch {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let isListing = false;

  async function check(): Promise<void> {
    const jobs = await list();
    if (isClosed) return;
    // Subagents are drawn below the call that started them.
    const running = jobs.filter(({ ended, kind }) => ended === undefined && kind !== 'subagent');
    show(running);
    clearTimeout(timer);
    if (running.length > 0) timer = setTimeout(refresh, CHECK_MS).unref();
  }

  function refresh(): void {
    if (isClosed || isListing) return;
    isListing = true;
    void check()
      .catch(onError)
      .finally(() => {
        isListing = false;
      });
  }

  return {
    refresh,
    onEvent(event) {
      if (event.type === 'tool-finished' && PROCESS_TOOLS.has(event.name)) refresh();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
