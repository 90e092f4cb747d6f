import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import {
  answering,
  conversations,
  inputOf,
  longConversation,
  step,
  summaryWith,
} from '../../test/support/context-fixture.ts';
import { createStoredLineage, type StoredLineage } from '../../test/support/stored-lineage.ts';
import { type Message, ownBlock } from '../base/index.ts';
import { type CompressionInput, type ContextEngine, silentLogger } from '../contracts/index.ts';
import { createFakeClock } from '../testing/index.ts';
import { createContextEngine } from './index.ts';
import { findReplacement } from './replacement.ts';

function openEngine(contextEngine: string): ContextEngine {
  const auxiliary = answering(() => summaryWith({ Values: 'port 8123' }));
  return createContextEngine({ contextEngine }, { auxiliary, logger: silentLogger, clock: createFakeClock() });
}

/** Compresses a lineage once and returns the replacement. */
async function compressOnce(engine: ContextEngine, lineage: StoredLineage, changes: Partial<CompressionInput> = {}) {
  const compression = await engine.compress(inputOf(lineage.conversation(), { reason: 'command', ...changes }));
  if (compression !== undefined) lineage.split(compression);
  return {
    compression,
    found: lineage
      .conversation()
      .map(findReplacement)
      .find((replacement) => replacement !== undefined),
  };
}

describe('the lossless engine', () => {
  verifies(
    'CTX-8',
    'replaces old turns with a map of numbers, user texts, tools, files and answers, without calling a model',
    async () => {
      const lineage = createStoredLineage();
      lineage.append(longConversation(12));
      const { compression, found } = await compressOnce(openEngine('lossless'), lineage, { canReadBack: true });
      expect(compression?.summary).toEqual({ by: 'map' });
      expect(found?.kind).toBe('map');
      expect(found?.body).toContain('Read messages back');
      expect(found?.body).toContain(
        '- #15-#21 | user: Wish number 2: edit module2 | ran: terminal step 2a / read_file / terminal step 2b | files: src/2a.ts | answer: Module 2 is edited.',
      );
    },
  );

  verifies(
    'CTX-8',
    'finds every removed message by its number after many compressions, with either engine',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(conversations, { minLength: 2, maxLength: 5 }),
          fc.constantFrom('compressor', 'lossless'),
          async (parts, name) => {
            const engine = openEngine(name);
            const lineage = createStoredLineage();
            for (const part of parts) {
              lineage.append([...part, { role: 'assistant', content: 'so far' }]);
              const { found } = await compressOnce(engine, lineage, { contextLength: 8_000 });
              if (found === undefined) continue;
              // The numbers listed as kept are exactly those of the messages that are still there.
              const own = lineage
                .conversation()
                .findIndex((message) => findReplacement(message)?.rest === undefined && findReplacement(message));
              const kept = lineage.numbers().filter((_, index) => index !== own);
              expect(found.numbers?.kept).toEqual(kept);
              const summaries = lineage.originals.flatMap((message, index) =>
                findReplacement(message) ? [index + 1] : [],
              );
              const all = new Set([...(found.numbers?.removed ?? []), ...kept, ...summaries]);
              expect([...all].sort((a, b) => a - b)).toEqual(lineage.originals.map((_, index) => index + 1));
            }
          },
        ),
        { numRuns: 60 },
      );
    },
  );

  verifies('CTX-8', 'does not mention the context tools if they are not offered', async () => {
    const compression = await openEngine('lossless').compress(inputOf(longConversation(12)));
    const text = JSON.stringify(compression?.messages);
    expect(text).toContain('- #15-#21 | user: Wish number 2');
    expect(text).not.toContain('context_');
  });

  verifies(
    'CTX-8',
    'condenses a map that exceeds its limit, oldest lines first, without dropping a number',
    async () => {
      const engine = openEngine('lossless');
      const lineage = createStoredLineage();
      for (let round = 0; round < 12; round += 1) {
        lineage.append(longConversation(20));
        const { found } = await compressOnce(engine, lineage, { contextLength: 32_000 });
        const body = found?.body ?? '';
        expect(inputOf([]).tokensOf([{ role: 'user', content: body }])).toBeLessThan(1_640);
        const listed = body
          .split('\n')
          .flatMap((line) => /^- (#[\d#, -]+)/.exec(line)?.[1]?.match(/\d+/g) ?? [])
          .map(Number);
        expect(Math.min(...listed)).toBe(5);
        const newest =
          body
            .split('\n')
            .filter((line) => line.startsWith('- #') && line.includes(' | '))
            .at(-1) ?? '';
        expect(newest).toMatch(/user: Wish number \d+: edit module\d+ \| ran: /);
      }
      expect(lineage.originals.length).toBeGreaterThan(1_600);
    },
  );

  verifies('CTX-8', 'includes steering messages of the user in the map', async () => {
    const [call, result] = step('s', ['done']) as [Message, Message];
    const steered = { ...result, content: `done${ownBlock('steering').write('Use port 8123 | and / not 80.')}` };
    const lineage = createStoredLineage();
    const steps = Array.from({ length: 40 }, (_, index) => step(`${index}`, ['x '.repeat(400)])).flat();
    lineage.append([...longConversation(2), { role: 'user', content: 'Go.' }, call, steered, ...steps]);
    const { found } = await compressOnce(openEngine('lossless'), lineage);
    expect(found?.body).toContain('Most recent user message (#17): Use port 8123 | and / not 80.');
    expect(found?.body).toMatch(/^- #\d.*user: Use port 8123, and, not 80\. \| /m);
  });

  verifies('CTX-1', 'continues from the replacement of the other engine', async () => {
    const lineage = createStoredLineage();
    lineage.append(longConversation(12));
    await compressOnce(openEngine('compressor'), lineage);
    lineage.append(longConversation(12));
    const mapped = await compressOnce(openEngine('lossless'), lineage);
    expect(mapped.found?.kind).toBe('map');
    expect(mapped.found?.body).toContain('- port 8123');
    lineage.append(longConversation(12));
    const auxiliary = answering(() => summaryWith({ Goal: 'a goal' }));
    const engine = createContextEngine({}, { auxiliary, logger: silentLogger, clock: createFakeClock() });
    const summed = await compressOnce(engine, lineage);
    expect(summed.found?.kind).toBe('summary');
    expect(auxiliary.requests[0]?.messages[0]?.content).toContain('port 8123');
    expect(summed.found?.body).toContain('port 8123');
  });
});
