import fc from 'fast-check';
import { describe, expect } from 'vitest';
import {
  answering,
  applyCompression,
  conversations,
  inputOf,
  step,
  summaryWith,
} from '../../test/support/context-fixture.ts';
import { createStoredLineage } from '../../test/support/stored-lineage.ts';
import { verifies } from '../../test/spec/verifies.ts';
import type { Message } from '../base/index.ts';
import { type CompressionSettings, DEFAULT_COMPRESSION } from '../config/index.ts';
import { type CompressionInput, silentLogger } from '../contracts/index.ts';
import { createFakeClock } from '../testing/index.ts';
import { createContextEngine } from './index.ts';
import { findReplacement } from './replacement.ts';

const WINDOW = 32_000;
const USER: Message = { role: 'user', content: 'Read all modules.' };

function openEngine(changes: Partial<CompressionSettings> = {}) {
  const auxiliary = answering(() => summaryWith({ Goal: 'it' }));
  const compression = { ...DEFAULT_COMPRESSION, ...changes };
  return createContextEngine({ compression }, { auxiliary, logger: silentLogger, clock: createFakeClock() });
}

const output = (index: number) => `output ${index}\n${`line ${index} of a result\n`.repeat(100)}`;
/** Steps with one result of about 700 tokens each. */
const stepsOf = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => step(`s${from + index}`, [output(from + index)])).flat();
const inputFor = (messages: readonly Message[], changes: Partial<CompressionInput> = {}) =>
  inputOf(messages, { contextLength: WINDOW, reason: 'results', canReadBack: true, ...changes });
const isCleared = ({ role, content }: Message) => role === 'tool' && content.includes('omitted to save context');
const clearedOf = (messages: readonly Message[]) =>
  messages.flatMap((message, index) => (isCleared(message) ? [index] : []));

/** Runs a turn of this many steps. Returns the conversation after each compression, and the lineage. */
async function work(steps: number, settings: Partial<CompressionSettings> = {}) {
  const engine = openEngine(settings);
  const lineage = createStoredLineage();
  lineage.append([USER]);
  const states: { before: Message[]; after: Message[]; by: string }[] = [];
  let inherited = 0;
  for (let index = 0; index < steps; index += 1) {
    lineage.append(step(`s${index}`, [output(index)]));
    const before = lineage.conversation();
    const input = inputFor(before, { inherited });
    if (!engine.shouldCompress(input) && !(await engine.shouldClear?.(input))) continue;
    const compression = await engine.compress(input);
    if (compression === undefined) return expect.unreachable('nothing was saved');
    lineage.split(compression);
    const after = lineage.conversation();
    inherited = after.length;
    states.push({ before, after, by: compression.summary.by });
  }
  return { lineage, states };
}

describe('clearing old tool results', () => {
  verifies('CTX-13', 'happens before anything is summarised, oldest first, in large steps', async () => {
    const { states } = await work(200);
    expect(states.map(({ by }) => by).slice(0, 3)).toEqual(['none', 'none', 'none']);
    expect(states.some(({ by }) => by === 'model')).toBe(true);
    const [first, second] = states as [(typeof states)[number], (typeof states)[number]];
    const cleared = clearedOf(first.after);
    expect(cleared.length).toBeGreaterThan(8);
    // All messages are still there, and the results that were cleared are the oldest ones.
    expect(first.after).toHaveLength(first.before.length);
    expect(cleared).toEqual(cleared.map((_, index) => 2 + index * 2));
    expect(first.after.at(-1)).toBe(first.before.at(-1));
    // The next step leaves everything as it is that the first one has left.
    expect(second.after.slice(0, first.after.length)).toEqual(first.after);
    expect(clearedOf(second.after).length).toBeGreaterThan(cleared.length + 5);
  });

  verifies('CTX-13', 'waits until it is due, and keeps the newest results', async () => {
    const engine = openEngine();
    const due = async (messages: Message[]) => (await engine.shouldClear?.(inputFor(messages))) ?? false;
    expect(await due([USER, ...stepsOf(0, 5)])).toBe(false);
    const messages = [USER, ...stepsOf(0, 26)];
    expect(await due(messages)).toBe(true);
    const after = applyCompression(messages, (await engine.compress(inputFor(messages)))?.messages ?? []);
    expect(
      after
        .slice(-6)
        .filter(({ role }) => role === 'tool')
        .some(isCleared),
    ).toBe(false);
    // A conversation of texts has nothing that could be cleared.
    const talk = Array.from(
      { length: 40 },
      (_, index): Message => ({ role: index % 2 ? 'assistant' : 'user', content: output(index) }),
    );
    expect(await due(talk)).toBe(false);
    // What would be freed is less than what would have to be written to the cache again.
    const texts = step('long', ['x'], output(0).repeat(14));
    expect(await due([USER, ...stepsOf(0, 9), ...texts])).toBe(false);
  });

  verifies(
    ['CTX-13', 'CTX-8'],
    'names the message that shows the whole result, only if it can be read back',
    async () => {
      const { lineage, states } = await work(200);
      expect(states.filter(({ by }) => by === 'model').length).toBeGreaterThan(0);
      let found = 0;
      for (const message of lineage.conversation()) {
        const [, number] = /omitted to save context: message #(\d+)\]$/.exec(message.content) ?? [];
        if (message.role !== 'tool' || number === undefined) continue;
        found += 1;
        const original = lineage.originals[Number(number) - 1];
        expect(original).toMatchObject({ role: 'tool', toolCallId: message.toolCallId });
        expect(original?.content).toMatch(/^output \d+\n/);
      }
      expect(found).toBeGreaterThan(5);
      const messages = [USER, ...stepsOf(0, 26)];
      const alone = await openEngine().compress(inputFor(messages, { canReadBack: false }));
      expect(JSON.stringify(alone?.messages)).toMatch(/omitted to save context\]/);
    },
  );

  verifies('CTX-13', 'is the only thing that changes, and gives the same bytes for the same history', async () => {
    const one = await work(50);
    const two = await work(50);
    expect(one.states).toEqual(two.states);
    const [{ before, after }] = one.states as [(typeof one.states)[number]];
    after.forEach((message, index) => {
      if (!isCleared(message)) expect(message).toBe(before[index]);
    });
  });

  verifies('CTX-13', 'starts at compression.clear_at of the threshold, and not for a command', async () => {
    const messages = [USER, ...stepsOf(0, 26)];
    const { tokens } = inputFor(messages);
    expect(tokens).toBeLessThan(WINDOW * 0.8);
    expect(await openEngine({ clearAt: 1 }).shouldClear?.(inputFor(messages))).toBe(false);
    expect(await openEngine({ clearAt: 0.5 }).shouldClear?.(inputFor(messages))).toBe(true);
    expect(await openEngine().shouldClear?.(inputFor(messages, { reason: 'command' }))).toBe(false);
    const asked = await openEngine().compress(inputFor(messages, { reason: 'command' }));
    expect(asked?.summary.by).toBe('model');
  });
});

describe('a result that the model has not seen', () => {
  const windows = fc.constantFrom(8_000, 16_000, 60_000);

  verifies('CTX-13', 'stays as it is in every compression in which the request can fit', async () => {
    const unseen = fc.array(
      fc.nat({ max: 2_000 }).map((length) => 'line of output\n'.repeat(length / 15)),
      {
        minLength: 1,
        maxLength: 3,
      },
    );
    await fc.assert(
      fc.asyncProperty(
        conversations,
        unseen,
        windows,
        fc.constantFrom(1, 2),
        fc.constantFrom('compressor', 'lossless'),
        async (earlier, outputs, contextLength, attempt, contextEngine) => {
          const messages = [...earlier, { role: 'user', content: 'more' } as const, ...step('new', outputs)];
          const auxiliary = answering(() => summaryWith({ Goal: 'it' }));
          const engine = createContextEngine(
            { contextEngine },
            { auxiliary, logger: silentLogger, clock: createFakeClock() },
          );
          const compression = await engine.compress(
            inputFor(messages, { contextLength, attempt, reason: attempt === 1 ? 'results' : 'overflow' }),
          );
          if (compression === undefined) return;
          const after = applyCompression(messages, compression.messages);
          expect(after.slice(-outputs.length)).toEqual(messages.slice(-outputs.length));
        },
      ),
      { numRuns: 100 },
    );
  });

  verifies('CTX-13', 'is shortened only if nothing else makes the request fit', async () => {
    const messages = [USER, ...stepsOf(0, 4), ...step('new', ['begin ' + 'word '.repeat(9_000)])];
    const compression = await openEngine().compress(inputFor(messages, { contextLength: 8_000, reason: 'overflow' }));
    const newest = applyCompression(messages, compression?.messages ?? []).at(-1);
    expect(newest?.content).toMatch(/^begin /);
    expect(newest?.content.length).toBeLessThan(20_000);
  });

  verifies('CTX-13', 'includes the answers of context_expand, which are never shortened', async () => {
    const [call, result] = step('read', [output(7)]) as [Message, Message];
    const read = [call, { ...result, toolName: 'context_expand' }];
    const messages = [USER, ...stepsOf(0, 3), ...read, ...stepsOf(3, 26)] as Message[];
    const after = applyCompression(messages, (await openEngine().compress(inputFor(messages)))?.messages ?? []);
    expect(after[8]).toBe(messages[8]);
    expect([after[6], after[10]].every((message) => message !== undefined && isCleared(message))).toBe(true);
    // In the part that a summary keeps, it stays complete, too.
    const tail = [USER, ...stepsOf(0, 20), ...read, { role: 'assistant', content: 'Now I know.' } as const];
    const summarised = await openEngine().compress(inputFor(tail, { reason: 'overflow', attempt: 2 }));
    const kept = applyCompression(tail, summarised?.messages ?? []);
    expect(kept.some((message) => findReplacement(message) !== undefined)).toBe(true);
    expect(kept).toContain(read[1]);
  });
});
