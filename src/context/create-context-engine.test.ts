import { describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import {
  answering,
  applyCompression,
  inputOf,
  longConversation,
  step,
  summaryWith,
} from '../../test/support/context-fixture.ts';
import { attachmentOf, imageFile } from '../../test/support/sample-files.ts';
import type { Message } from '../base/index.ts';
import { type CompressionSettings, DEFAULT_COMPRESSION } from '../config/index.ts';
import { type Compression, type CompressionInput, silentLogger } from '../contracts/index.ts';
import { createFakeClock } from '../testing/index.ts';
import { createContextEngine } from './index.ts';
import { replacementLimit } from './compression-plan.ts';
import { findReplacement } from './replacement.ts';

function openEngine(changes: Partial<CompressionSettings> = {}, contextEngine?: string) {
  const auxiliary = answering(() => summaryWith({ Goal: 'it' }));
  const engine = createContextEngine(
    { compression: { ...DEFAULT_COMPRESSION, ...changes }, ...(contextEngine !== undefined && { contextEngine }) },
    { auxiliary, clock: createFakeClock(), logger: silentLogger },
  );
  return { engine, auxiliary };
}

const windowOf = (tokens: number, contextLength = 10_000) => ({ lineageId: 'lineage', tokens, contextLength });

describe('choosing the context engine', () => {
  verifies('CTX-1', 'uses the configured engine, and the default for any other name', () => {
    for (const [asked, given] of [
      [undefined, 'compressor'],
      ['compressor', 'compressor'],
      ['lossless', 'lossless'],
      ['somebody-elses', 'compressor'],
    ] as const) {
      expect(openEngine({}, asked).engine.name).toBe(given);
    }
  });
});

describe('when to compress', () => {
  verifies('CTX-2', 'compresses from a configured share of the window on', () => {
    for (const threshold of [0.5, 0.8, 1]) {
      const { engine } = openEngine({ threshold });
      const [below, at] = [threshold * 10_000 - 1, threshold * 10_000];
      expect([below, at].map((tokens) => engine.shouldCompress(windowOf(tokens)))).toEqual([false, true]);
      expect(engine.threshold?.(10_000)).toEqual({ tokens: at, rule: 'configured' });
    }
  });

  verifies('CTX-3', 'looks at short conversations, too, if they hardly leave room for an answer', () => {
    const { engine } = openEngine();
    for (const messageCount of [1, 3]) {
      const asked = [6_999, 7_000].map((tokens) => engine.shouldCompress({ ...windowOf(tokens, 8_000), messageCount }));
      expect(asked).toEqual([false, true]);
    }
    expect(engine.shouldCompress({ ...windowOf(6_000, 8_000), messageCount: 4 })).toBe(true);
  });

  verifies(
    'CTX-2',
    'limits the summary to a fifth of what it replaces, at least 2,000 tokens and at most what the window allows',
    () => {
      expect(replacementLimit(5_000, 200_000)).toBe(2_000);
      expect(replacementLimit(30_000, 200_000)).toBe(6_000);
      expect(replacementLimit(90_000, 200_000)).toBe(10_000);
      expect(replacementLimit(900_000, 2_000_000)).toBe(12_000);
      expect(replacementLimit(5_000, 20_000)).toBe(1_000);
    },
  );

  verifies('CTX-2', 'keeps as much of the start and the end as configured', async () => {
    const messages = longConversation(40, 'x');
    const tailOf = async (changes: Partial<CompressionSettings>) => {
      const { engine } = openEngine(changes);
      const compression = await engine.compress(inputOf(messages, { contextLength: 6_000, reason: 'command' }));
      const indexes = compression?.messages.map((each) => ('index' in each ? each.index : -1)) ?? [];
      const kept = indexes.filter((index) => index >= 0);
      const gap = kept.findIndex((index, position) => index !== position);
      return [gap, kept.length - gap];
    };
    // A user message, an answer with two calls, and two results are four messages: the head never ends between a call
    // and its result.
    expect((await tailOf({}))[0]).toBe(4);
    expect((await tailOf({ protectFirstN: 1 }))[0]).toBe(0);
    expect((await tailOf({ protectFirstN: 6 }))[0]).toBe(6);
    const small = (await tailOf({ targetRatio: 0.1, protectLastN: 1 }))[1] as number;
    const large = (await tailOf({ targetRatio: 0.4, protectLastN: 1 }))[1] as number;
    expect(small).toBeGreaterThanOrEqual(3);
    expect(large).toBeGreaterThan(small * 2);
  });
});

describe('compressions that save nothing', () => {
  /** Two messages that cannot be made smaller. */
  const stubborn: Message[] = [
    { role: 'user', content: 'a wish' },
    { role: 'assistant', content: 'an answer' },
  ];

  verifies('CTX-10', 'stop after two in a row until something changes', async () => {
    for (const why of ['user-message', 'model-switch', 'command'] as const) {
      const { engine } = openEngine();
      const compress = () => engine.compress(inputOf(stubborn));
      expect(await compress()).toBeUndefined();
      expect(engine.shouldCompress(windowOf(9_000))).toBe(true);
      await compress();
      expect(engine.shouldCompress(windowOf(9_000))).toBe(false);
      expect(engine.shouldCompress({ ...windowOf(9_000), lineageId: 'another' })).toBe(true);
      engine.allow('lineage', why);
      expect(engine.shouldCompress(windowOf(9_000))).toBe(true);
    }
  });

  verifies('CTX-10', 'are counted from zero again after one that saves much, and previews do not count', async () => {
    const { engine } = openEngine();
    await engine.compress(inputOf(stubborn));
    for (let time = 0; time < 3; time += 1) await engine.compress(inputOf(stubborn, { previewOnly: true }));
    expect(engine.shouldCompress(windowOf(9_000))).toBe(true);
    await engine.compress(inputOf(longConversation(20), { reason: 'command' }));
    await engine.compress(inputOf(stubborn));
    expect(engine.shouldCompress(windowOf(9_000))).toBe(true);
  });
});

describe('calls to the summary model', () => {
  verifies('CTX-5', 'are skipped if pruning old results is enough', async () => {
    const { engine, auxiliary } = openEngine();
    const messages = longConversation(14, 'line of output\n'.repeat(300));
    const compression = (await engine.compress(inputOf(messages, { contextLength: 100_000 }))) as Compression;
    expect(compression.summary.by).toBe('none');
    expect(auxiliary.requests).toEqual([]);
    const after = applyCompression(messages, compression.messages);
    expect(after).toHaveLength(messages.length);
    expect(after.map(({ role, content }) => (role === 'tool' ? '' : content))).toEqual(
      messages.map(({ role, content }) => (role === 'tool' ? '' : content)),
    );
    expect(after[2]?.content).toContain('omitted to save context');
    // Results that are already pruned cannot be pruned again, so the next compression calls the model.
    expect(after.at(-2)).toBe(messages.at(-2));
  });

  verifies('CTX-8', 'are not made for a preview, which reports the saving', async () => {
    const { engine, auxiliary } = openEngine();
    const input = inputOf(longConversation(20), { reason: 'command' });
    const preview = await engine.compress({ ...input, previewOnly: true });
    expect(auxiliary.requests).toEqual([]);
    const real = await engine.compress(input);
    expect(auxiliary.requests.length).toBeGreaterThan(0);
    expect(Math.abs((preview?.tokensAfter ?? 0) - (real?.tokensAfter ?? 0))).toBeLessThan(900);
  });
});

/** Returns the compressed conversation and whether it fits. */
async function compressed(messages: readonly Message[], changes: Partial<CompressionInput>, name?: string) {
  const input = inputOf(messages, changes);
  const compression = await openEngine({}, name).engine.compress(input);
  return { after: compression && applyCompression(messages, compression.messages), ...compression };
}

describe.each(['compressor', 'lossless'])('a window that is too small, with %s', (name) => {
  verifies('CTX-6', 'keeps no more with each attempt, and finally truncates the newest results', async () => {
    const messages = [...longConversation(20), ...step('z', [`begin ${'x '.repeat(20_000)} end`])];
    const sizes: number[] = [];
    for (const attempt of [1, 2, 3]) {
      const { after, tokensAfter } = await compressed(
        messages,
        { contextLength: 100_000, attempt, reason: 'overflow' },
        name,
      );
      sizes.push(tokensAfter ?? 0);
      const newest = after?.at(-1)?.content ?? '';
      expect(newest).toMatch(/^begin .* end$/s);
      expect(newest.length <= 4_100).toBe(attempt === 3);
    }
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    // What the model has not seen is shortened last, although it is by far the largest part.
    expect(sizes[2]).toBeLessThan((sizes[1] as number) / 2);
  });

  verifies('CTX-6', 'truncates a message larger than the window in the request only, not in the store', async () => {
    const wish = `first words ${'about this '.repeat(20_000)} last words`;
    const { after, tokensAfter } = await compressed(
      [...longConversation(3), { role: 'user', content: wish }],
      {},
      name,
    );
    const newest = after?.at(-1);
    expect(tokensAfter).toBeLessThan(16_000);
    expect(newest?.content).toBe(wish);
    expect(newest).toMatchObject({
      sentContent: expect.stringMatching(/first words .* characters omitted .* last words$/s),
    });
  });

  verifies('CTX-6', 'drops head and tail if they do not fit, and returns nothing if nothing fits', async () => {
    const messages = [...longConversation(4), { role: 'user', content: 'the wish' } as const];
    for (const contextLength of [1_000, 1_500, 3_000, 5_000]) {
      const { after, tokensAfter } = await compressed(messages, { contextLength, fixedTokens: 400 }, name);
      expect(tokensAfter).toBeLessThanOrEqual(contextLength);
      expect(after?.at(-1)?.content).toBe('the wish');
    }
    expect((await compressed(messages, { contextLength: 1_000, fixedTokens: 2_000 }, name)).after).toBeUndefined();
    expect((await compressed([], {}, name)).after).toBeUndefined();
    const attachments = Array.from({ length: 12 }, () => attachmentOf(imageFile()));
    const seen = await compressed([...messages.slice(0, -1), { role: 'user', content: 'look', attachments }], {}, name);
    expect(seen.tokensAfter).toBeLessThan(16_000);
    expect(seen.after?.at(-1)?.content).toBe('look');
  });

  verifies('CTX-9', 'never puts the text of a summary into the content of a user message', async () => {
    const { after } = await compressed(longConversation(20), { contextLength: 6_000, reason: 'command' }, name);
    for (const message of after ?? [])
      if (message.role === 'user')
        expect(message.content.startsWith('[Hermes') && findReplacement(message)?.rest).toBeFalsy();
  });
});
