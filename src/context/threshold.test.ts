import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { DEFAULT_COMPRESSION } from '../config/index.ts';
import { compressionThreshold } from './threshold.ts';

const defaultsFor = (window: number) => compressionThreshold(window, DEFAULT_COMPRESSION);
const windows = fc.integer({ min: 1_000, max: 4_000_000 });

describe('the size at which compression starts', () => {
  verifies('CTX-13', 'is 0.85 of a small window without the reserve, and falls to 0.5 of a large one', () => {
    expect(defaultsFor(4_096)).toEqual({ tokens: 2_096, rule: 'reserve' });
    expect(defaultsFor(8_000)).toEqual({ tokens: 6_000, rule: 'reserve' });
    expect(defaultsFor(16_000)).toEqual({ tokens: 13_600, rule: 'window' });
    expect(defaultsFor(32_000)).toEqual({ tokens: 27_200, rule: 'window' });
    expect(defaultsFor(66_000).tokens).toBeCloseTo(66_000 * 0.675);
    expect(defaultsFor(100_000)).toEqual({ tokens: 50_000, rule: 'window' });
    expect(defaultsFor(128_000)).toEqual({ tokens: 64_000, rule: 'window' });
    expect(defaultsFor(320_000)).toEqual({ tokens: 160_000, rule: 'window' });
    expect(defaultsFor(1_000_000)).toEqual({ tokens: 160_000, rule: 'max_tokens' });
  });

  verifies('CTX-13', 'is never above max_tokens, below half of the window or above 0.85 of it', () => {
    const limits = fc.integer({ min: 1_000, max: 500_000 });
    fc.assert(
      fc.property(windows, limits, (window, maxTokens) => {
        const { tokens, rule } = compressionThreshold(window, { threshold: undefined, maxTokens });
        expect(tokens).toBeLessThanOrEqual(maxTokens);
        expect(tokens).toBeLessThanOrEqual(window * 0.85);
        if (rule !== 'max_tokens') expect(tokens).toBeGreaterThanOrEqual(window * 0.5);
        else expect(tokens).toBe(maxTokens);
        if (window >= 4_000) expect(tokens).toBeLessThanOrEqual(window - 2_000);
      }),
    );
  });

  verifies('CTX-13', 'hardly changes between windows of nearly the same size, and grows with them', () => {
    fc.assert(
      fc.property(windows, fc.integer({ min: 1, max: 100 }), (window, more) => {
        const grown = defaultsFor(window + more).tokens - defaultsFor(window).tokens;
        expect(grown).toBeLessThanOrEqual(more * 1.02);
        // Just below 100k, the share falls slightly faster than the window grows.
        expect(grown).toBeGreaterThanOrEqual(-more * 0.02);
      }),
    );
  });

  verifies(['CTX-13', 'CTX-2'], 'is exactly the share that the user has set', () => {
    const shares = fc.double({ min: 0.01, max: 1, noNaN: true });
    fc.assert(
      fc.property(windows, shares, (window, threshold) => {
        const { tokens, rule } = compressionThreshold(window, { threshold, maxTokens: 1_000 });
        expect({ tokens, rule }).toEqual({ tokens: window * threshold, rule: 'configured' });
      }),
    );
  });
});
