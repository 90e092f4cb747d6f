import { type Clock, startTimer } from '../base/index.ts';
import type { Interaction } from '../contracts/index.ts';

/** A time limit that counts only while work is running, and pauses while the user is asked. */
export interface WorkTime {
  /** Aborted when the time is used up. */
  readonly signal: AbortSignal;
  isExpired(): boolean;
  /** Runs work that counts against the limit. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Wraps an interaction so that the clock pauses while the user decides. */
  pauseWhileAsking(interaction: Interaction): Interaction;
}

export function createWorkTime(limitMs: number, clock: Clock, reason: () => Error): WorkTime {
  const over = new AbortController();
  let running = 0;
  let asking = 0;
  let left = limitMs;
  let elapsed = () => 0;
  let timer: AbortController | undefined;

  function stopCounting(): void {
    if (!timer) return;
    left -= elapsed();
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
    elapsed = startTimer(clock);
    const passed = () => {
      if (timer === own) over.abort(reason());
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
    isExpired: () => over.signal.aborted,
    async run(work) {
      running += 1;
      count();
      try {
        return await work();
      } finally {
        running -= 1;
        count();
      }
    },
    pauseWhileAsking: (interaction) => ({
      approve: (request) => asked(() => interaction.approve(request)),
      clarify: (request) => asked(() => interaction.clarify(request)),
    }),
  };
}
