import { type Lane, type LaneOptions, openLane } from './driver.ts';

/** A few connections, opened when they are needed and kept. */
export interface Lanes {
  /** Alone on a connection for as long as the operation takes; waits where all are taken. */
  with<T>(operation: (lane: Lane) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function createLanes(options: LaneOptions & { size: number }): Lanes {
  const free: Lane[] = [];
  const waiting: (() => void)[] = [];
  let taken = 0;

  const take = async (): Promise<Lane> => {
    while (taken >= options.size) await new Promise<void>((resolve) => waiting.push(resolve));
    taken += 1;
    return free.pop() ?? openLane(options);
  };
  const giveBack = (lane: Lane) => {
    taken -= 1;
    if (lane.isBroken) lane.discard();
    else free.push(lane);
    waiting.shift()?.();
  };
  return {
    async with(operation) {
      let lane = await take();
      // One that the server closed while nobody used it costs no attempt.
      while (lane.isBroken) {
        lane.discard();
        lane = free.pop() ?? openLane(options);
      }
      try {
        return await operation(lane);
      } finally {
        giveBack(lane);
      }
    },
    async close() {
      await Promise.all(free.splice(0).map((lane) => lane.close()));
    },
  };
}
