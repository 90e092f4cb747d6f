import type { Clock } from '../../base/index.ts';

/** Allows so many requests in any period of a minute, for each name. */
export interface WindowLimit {
  /** Counts a request and returns 0, or returns the milliseconds until one is allowed. */
  take(name: string): number;
}

const WINDOW_MS = 60_000;

export function createWindowLimit(perMinute: number, clock: Pick<Clock, 'now'>): WindowLimit {
  const times = new Map<string, number[]>();
  return {
    take(name) {
      const now = clock.now();
      const recent = (times.get(name) ?? []).filter((time) => time > now - WINDOW_MS && time <= now);
      times.set(name, recent);
      const oldest = recent[0];
      if (recent.length >= perMinute && oldest !== undefined) return oldest + WINDOW_MS - now;
      recent.push(now);
      return 0;
    },
  };
}
