import { describe, expect } from 'vitest';
import { measureReplay } from '../../bench/replay/measure-replay.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';

// Peak memory is read from /proc.
describe.runIf(process.platform === 'linux')('the memory of a replay', () => {
  verifies('OBS-3', 'does not grow with the number of requests', fullDoseOnly, async () => {
    const { peakMb, lastLine } = await measureReplay(2_000);
    expect(lastLine).toMatch(/^1,000 requests, /);
    // When all requests were kept, it was 420 MB.
    expect(peakMb).toBeLessThan(200);
  });

  verifies('OBS-3', 'is at most 300 MB for 50,000 messages', fullDoseOnly, async () => {
    const { peakMb, lastLine } = await measureReplay(50_000);
    expect(lastLine).toMatch(/^25,000 requests, /);
    expect(peakMb).toBeLessThan(300);
  });
});
