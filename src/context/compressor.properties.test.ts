import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { type Message, ownBlock } from '../base/index.ts';
import { silentLogger } from '../contracts/index.ts';
import { createFakeClock } from '../testing/index.ts';
import {
  answering,
  applyCompression,
  conversations,
  inputOf,
  summaryWith,
} from '../../test/support/context-fixture.ts';
import { createContextEngine } from './index.ts';
import { findReplacement } from './replacement.ts';

function engineOf(contextEngine: string) {
  const auxiliary = answering(() => summaryWith({ Goal: 'to edit the build', Values: 'port 8080' }));
  return createContextEngine({ contextEngine }, { auxiliary, logger: silentLogger, clock: createFakeClock() });
}

function expectWellFormed(messages: readonly Message[]): void {
  let open: string[] = [];
  let last: Message | undefined;
  for (const message of messages) {
    if (message.role === 'tool') {
      expect(open).toContain(message.toolCallId);
      open = open.filter((id) => id !== message.toolCallId);
    } else {
      expect(open).toEqual([]);
      if (message.role === 'user') expect(last?.role).not.toBe('user');
      if (message.role === 'assistant' && last?.role === 'assistant')
        expect(last.toolCalls?.length ?? 0).toBeGreaterThan(0);
      if (message.role === 'assistant') open = (message.toolCalls ?? []).map(({ id }) => id);
    }
    last = message;
  }
  expect(open).toEqual([]);
  expect(messages[0]?.role).toBe('user');
}

const windows = fc.constantFrom(2_000, 6_000, 16_000, 60_000);

describe.each(['compressor', 'lossless'])('for any conversation, %s', (name) => {
  verifies(['CTX-6', 'CTX-9'], 'keeps pairs, roles, order and the newest user message', async () => {
    await fc.assert(
      fc.asyncProperty(
        conversations,
        windows,
        fc.integer({ min: 1, max: 4 }),
        async (messages, contextLength, attempt) => {
          const engine = engineOf(name);
          const input = inputOf(messages, { contextLength, attempt });
          const compression = await engine.compress(input);
          if (compression === undefined) {
            // Every message in these conversations can be removed or shortened, so a conversation that is not
            // compressed must already fit.
            expect(input.tokens).toBeLessThanOrEqual(contextLength);
            return;
          }
          const after = applyCompression(messages, compression.messages);
          expectWellFormed(after);
          const indexes = compression.messages.flatMap((each) => ('index' in each ? [each.index] : []));
          expect(indexes).toEqual([...new Set(indexes)].sort((a, b) => a - b));
          const newest = messages.findLastIndex(({ role }) => role === 'user');
          expect(indexes).toContain(newest);
          expect(after.map(({ content }) => content)).toContain(messages[newest]?.content);
          const said = messages.flatMap(({ content }) => ownBlock('steering').lastText(content) ?? []).at(-1);
          const sent = after.map(
            (message) => (message.role === 'user' ? (message.sentContent ?? '') : '') + message.content,
          );
          if (said !== undefined && contextLength >= 16_000) expect(sent.join('\n')).toContain(said.slice(0, 60));
          expect(compression.tokensAfter).toBeLessThan(compression.tokensBefore);
          expect(compression.tokensAfter).toBeLessThanOrEqual(contextLength);
          expect(compression.tokensAfter).toBe(input.fixedTokens + input.tokensOf(after));
          expect(after.filter((message) => findReplacement(message)).length).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 150 },
    );
  });

  verifies('CTX-7', 'compresses its own result repeatedly, with exactly one summary each time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(conversations, { minLength: 2, maxLength: 4 }), async (parts) => {
        const engine = engineOf(name);
        let messages: Message[] = [];
        for (const part of parts) {
          messages = [...messages, ...(messages.at(-1)?.role === 'user' ? part.slice(1) : part)];
          if (messages.at(-1)?.role !== 'assistant') messages = [...messages, { role: 'assistant', content: 'so far' }];
          const compression = await engine.compress(inputOf(messages, { contextLength: 8_000, reason: 'command' }));
          if (compression === undefined) continue;
          messages = applyCompression(messages, compression.messages);
          expectWellFormed(messages);
          // Compressing the result again finds the same parts or has nothing to do.
          const again = await engine.compress(inputOf(messages, { contextLength: 8_000, reason: 'command' }));
          if (again !== undefined) {
            expectWellFormed(applyCompression(messages, again.messages));
            expect(again.tokensAfter).toBeLessThan(compression.tokensAfter);
          }
          expect(messages.filter((message) => findReplacement(message)).length).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 60 },
    );
  });
});
