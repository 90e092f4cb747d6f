/** Shows something that runs on its own, until it ends or the user stops watching it. */
export interface Follow {
  /** `stopped` if the user did not wait for the end. */
  run(task: (signal: AbortSignal) => Promise<void>): Promise<'ended' | 'stopped'>;
  /** Returns false if nothing is followed. */
  stop(): boolean;
}

export function createFollow(): Follow {
  let following: AbortController | undefined;
  return {
    async run(task) {
      const own = new AbortController();
      following?.abort();
      following = own;
      try {
        await task(own.signal);
        return own.signal.aborted ? 'stopped' : 'ended';
      } finally {
        if (following === own) following = undefined;
      }
    },
    stop() {
      const wasFollowing = following !== undefined;
      following?.abort();
      return wasFollowing;
    },
  };
}
