import { describe, expect } from 'vitest';
import { createExtractiveModel } from '../../bench/fidelity/summary-model.ts';
import { verifies } from '../../test/spec/verifies.ts';
import { inputOf, step } from '../../test/support/context-fixture.ts';
import { createStoredLineage } from '../../test/support/stored-lineage.ts';
import { silentLogger } from '../contracts/index.ts';
import { createFakeClock } from '../testing/index.ts';
import { createContextEngine } from './index.ts';
import { findReplacement } from './replacement.ts';

const WINDOW = 32_000;

/** Runs one turn with this many steps, compresses whenever the threshold is reached, and returns every compression. */
async function work(contextEngine: string, steps: number) {
  const auxiliary = createExtractiveModel();
  const engine = createContextEngine({ contextEngine }, { auxiliary, logger: silentLogger, clock: createFakeClock() });
  const lineage = createStoredLineage();
  lineage.append([{ role: 'user', content: 'Work through all items. Never touch /etc/passwd.' }]);
  const sizes: number[] = [];
  let largest = 0;
  for (let item = 0; item < steps; item += 1) {
    const log = `item ${item} has the value ${item * 31}\n${`line of log ${item}\n`.repeat(60 + ((item * 37) % 200))}`;
    lineage.append(step(`s${item}`, [log, 'ok'], item % 10 === 0 ? `Item ${item} is done.` : ''));
    const input = inputOf(lineage.conversation(), { contextLength: WINDOW, reason: 'results', canReadBack: true });
    largest = Math.max(largest, input.tokens);
    if (!engine.shouldCompress(input)) continue;
    const compression = await engine.compress(input);
    if (compression === undefined) return expect.unreachable(`nothing could be saved after ${item} steps`);
    lineage.split(compression);
    sizes.push(compression.tokensAfter);
  }
  return { lineage, sizes, largest };
}

describe.each(['compressor', 'lossless'])('one turn of 1,000 steps in a window of 32,000 tokens, with %s', (name) => {
  verifies(
    ['CTX-8', 'CTX-10'],
    'runs to its end, and requests stay as small as after the first compression',
    async () => {
      const { lineage, sizes, largest } = await work(name, 1_000);
      expect(sizes.length).toBeGreaterThan(30);
      expect(largest).toBeLessThan(WINDOW);
      // Clearing old results leaves more than a summary or a map.
      expect(Math.max(...sizes)).toBeLessThan(WINDOW * (name === 'compressor' ? 0.8 : 0.45));
      const last = lineage.conversation().map(findReplacement).find(Boolean);
      // The removed messages are listed as one range, however many compressions there were.
      expect(last?.numbers?.removed.length).toBeGreaterThan(2_500);
      const text = JSON.stringify(lineage.conversation());
      expect(text).toMatch(/replaces messages #5-#\d+, which were compacted/);
      expect(text).toContain('Never touch /etc/passwd.');
    },
  );
});

verifies('CTX-8', 'an old removal map has fewer and longer lines for older messages', async () => {
  const { lineage } = await work('lossless', 1_000);
  const map = lineage.conversation().map(findReplacement).find(Boolean)?.body ?? '';
  const spans = [...map.matchAll(/^- #(\d+)-#(\d+) \|/gm)].map(([, first, last]) => Number(last) - Number(first) + 1);
  expect(spans.length).toBeGreaterThan(4);
  expect(spans[0]).toBeLessThan(2_000);
  expect(spans[0]).toBeGreaterThan((spans.at(-1) ?? 0) * 4);
});
