import type { Clock } from '../base/index.ts';
import type { Interaction } from '../contracts/index.ts';

/** How long calls may run beside each other before they are stopped. */
const DEADLINE_MS = 420_000;

/** The reason a call's signal is aborted with when the time of its batch is over. */
export class BatchTimeOver extends Error {
  constructor() {
    super(`the calls of one message may take ${DEADLINE_MS / 1000} s together`);
  }
}

/** Counts the time in which calls of a batch run beside each other, without that in which the person is asked. */
export interface BatchDeadline {
  readonly signal: AbortSignal;
  /** Work that counts. A call that runs alone has a limit of its own and is not counted. */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
  /** The same person, whose time to think is not the tools'. */
  patient(interaction: Interaction): Interaction;
}

export function createBatchDeadline(clock: Clock): BatchDeadline {
  const over = new AbortController();
  let running = 0;
  let asking = 0;
  let left = DEADLINE_MS;
  let since = 0;
  let timer: AbortController | undefined;

  function stopCounting(): void {
    if (!timer) return;
    left -= clock.now() - since;
    timer.abort('settled');
    timer = undefined;
  }

  function count(): void {
    if (running === 0 || asking > 0) {
      stopCounting();
      return;
    }
    if (timer || over.signal.aborted) return;
    const own = new AbortController();
    timer = own;
    since = clock.now();
    const passed = () => {
      if (timer === own) over.abort(new BatchTimeOver());
    };
    clock.sleep(Math.max(left, 0), own.signal).then(passed, () => undefined);
  }

  async function asked<Result>(question: () => Promise<Result>): Promise<Result> {
    asking += 1;
    count();
    try {
      return await question();
    } finally {
      asking -= 1;
      count();
    }
  }

  return {
    signal: over.signal,
    async during(work) {
      running += 1;
      count();
      try {
        return await work();
      } finally {
        running -= 1;
        count();
      }
    },
    patient: (interaction) => ({
      approve: (request) => asked(() => interaction.approve(request)),
      clarify: (request) => asked(() => interaction.clarify(request)),
    }),
  };
}
