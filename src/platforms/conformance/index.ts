import { afterEach, beforeEach, describe } from 'vitest';
import type { ChannelBench } from './channel-bench.ts';
import { describeReceiving } from './receiving.ts';
import { describeRendering } from './rendering.ts';
import { describeSending } from './sending.ts';

export { callTimeout, type ChannelBench } from './channel-bench.ts';

/** The tests that the adapter of every platform must pass. `open` starts a fake platform with one direct chat. */
export function describeChannel(name: string, open: () => Promise<ChannelBench>): void {
  describe(`${name} as a channel`, () => {
    let bench: ChannelBench;
    beforeEach(async () => {
      bench = await open();
    });
    afterEach(() => bench.close());
    for (const describeGroup of [describeReceiving, describeSending, describeRendering]) describeGroup(() => bench);
  });
}
