import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { attachmentOf, imageFile } from '../../../test/support/sample-files.ts';
import type { Message } from '../../base/index.ts';
import type { ToolDefinition } from '../../contracts/index.ts';
import { createTokenMeter } from '../index.ts';
import { countText } from './count-text.ts';

const FOLDER = join(import.meta.dirname, '../../../test/recordings/conversations');
const SYSTEM = 'You are an agent that works with tools. Say what you do, and do what you say. '.repeat(12);
const TOOLS: ToolDefinition[] = ['terminal', 'read_file', 'patch'].map((name) => ({
  name,
  description: `Does what its name says: ${name}. Use it where nothing better is at hand.`,
  parameters: { type: 'object', properties: { path: { type: 'string' }, limit: { type: 'integer' } } },
}));

function recorded(name: string): Message[] {
  return JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as Message[];
}

/**
 * The tokens that a provider would count: all text through its tokenizer, plus its own delimiters around each
 * message.
 */
function realTokens(messages: readonly Message[]): number {
  const frame = countTokens(SYSTEM) + countTokens(JSON.stringify(TOOLS));
  return messages.reduce((sum, message) => {
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    const written = calls.map((call) => `{"name":"${call.name}","arguments":${call.arguments}}`);
    return sum + 3 + countTokens(message.content) + written.reduce((all, call) => all + countTokens(call), 0);
  }, frame);
}

/** The positions at which the model is called: before every assistant message. */
function callPlaces(messages: readonly Message[]): number[] {
  return messages.flatMap(({ role }, index) => (role === 'assistant' ? [index] : [])).filter((index) => index > 0);
}

describe('the token meter', () => {
  verifies('CTX-4', 'is within 5 % of the actual usage after three calls, for English, code, JSON and Chinese', () => {
    for (const name of ['english', 'code', 'json', 'chinese']) {
      const messages = recorded(name);
      const meter = createTokenMeter();
      let measured = { messages: 0, tokens: 0 };
      callPlaces(messages).forEach((index, call) => {
        const sent = messages.slice(0, index);
        const guessed = meter.ofFixed('m', SYSTEM, TOOLS) + meter.ofMessages('m', sent);
        const real = realTokens(sent);
        // Two estimates: the whole request, as before the first call, and the last actual count plus an estimate of
        // what was added.
        const figure = measured.tokens + meter.ofMessages('m', sent.slice(measured.messages));
        if (call >= 3) {
          for (const tokens of [guessed, figure]) {
            expect({ name, call, ratio: tokens / real, near: Math.abs(tokens / real - 1) < 0.05 }).toMatchObject({
              near: true,
            });
          }
          expect(Math.abs(guessed / figure - 1)).toBeLessThan(0.1);
        }
        meter.calibrate('m', guessed, real);
        measured = { messages: index, tokens: real };
      });
      expect(callPlaces(messages).length).toBeGreaterThan(8);
    }
  });

  verifies('CTX-4', 'calibrates itself for each model separately', () => {
    const messages = recorded('english');
    const meter = createTokenMeter();
    const before = meter.ofMessages('other', messages);
    for (let call = 0; call < 3; call += 1) {
      const guessed = meter.ofMessages('dense', messages);
      meter.calibrate('dense', guessed, Math.round(before * 1.7));
    }
    expect(meter.ofMessages('dense', messages) / before).toBeCloseTo(1.7, 2);
    expect(meter.ofMessages('other', messages)).toBe(before);
  });

  verifies('CTX-4', 'ignores implausible counts', () => {
    const messages = recorded('code');
    const meter = createTokenMeter();
    const before = meter.ofMessages('m', messages);
    for (const counted of [0, -5, Number.NaN, Number.POSITIVE_INFINITY, 1, before * 1_000])
      meter.calibrate('m', before, counted);
    for (const guessed of [0, -1, Number.NaN, 10]) meter.calibrate('m', guessed, 4_000);
    expect(meter.ofMessages('m', messages)).toBe(before);
    // One implausible count among good ones does not change the median.
    for (const counted of [before, before, before * 4, before])
      meter.calibrate('m', meter.ofMessages('m', messages), counted);
    expect(Math.abs(meter.ofMessages('m', messages) / before - 1)).toBeLessThan(0.02);
  });

  verifies('CTX-4', 'counts attachments, tool calls and reasoning that is sent back', () => {
    const meter = createTokenMeter();
    const of = (message: Message) => meter.ofMessages('m', [message]);
    const plain = of({ role: 'user', content: 'look' });
    const attachments = [attachmentOf(imageFile())];
    expect(of({ role: 'user', content: 'look', attachments })).toBe(plain + 1_600);
    const result: Message = { role: 'tool', toolCallId: 'a', toolName: 'read_file', content: 'look' };
    expect(of({ ...result, attachments })).toBe(of(result) + 1_600);
    expect(of({ role: 'user', content: 'look', sentContent: 'look '.repeat(100) })).toBeGreaterThan(plain + 90);
    const answer: Message = { role: 'assistant', content: 'yes' };
    const calls = [{ id: 'a', name: 'terminal', arguments: JSON.stringify({ command: 'word '.repeat(200) }) }];
    expect(of({ ...answer, toolCalls: calls })).toBeGreaterThan(of(answer) + 190);
    expect(of({ ...answer, reasoning: 'word '.repeat(200) })).toBe(of(answer));
    const thinking = { type: 'thinking', thinking: 'word '.repeat(200), signature: 'A1b2'.repeat(100) };
    expect(of({ ...answer, reasoningDetails: [thinking] })).toBeGreaterThan(of(answer) + 200);
    expect(of({ ...answer, codexReasoningItems: [{ encrypted_content: 'A1b2'.repeat(400) }] })).toBeLessThan(
      of(answer) + 400,
    );
  });

  it('counts each message only once', () => {
    const meter = createTokenMeter();
    let reads = 0;
    const message: Message = {
      role: 'user',
      get content() {
        reads += 1;
        return 'text';
      },
    };
    meter.ofMessages('m', [message]);
    meter.ofMessages('other', [message]);
    expect(reads).toBe(1);
  });

  it('never decreases when text is added, and is always a number', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc.string({ unit: fc.constantFrom('a', 'B', '1', ' ', '\n', '.', '-', '中', '😀', 'é', '"'), maxLength: 200 }),
    );
    fc.assert(
      fc.property(texts, texts, (text, added) => {
        const [before, after] = [countText(text), countText(text + added)];
        expect(Number.isFinite(before)).toBe(true);
        expect(before).toBeGreaterThanOrEqual(0);
        expect(after).toBeGreaterThanOrEqual(before - 1e-9);
      }),
      { numRuns: 2_000 },
    );
  });

  it('handles very deeply nested reasoning', () => {
    let nested: unknown = 'deep';
    for (let level = 0; level < 50_000; level += 1) nested = [nested];
    const message = { role: 'assistant', content: '', reasoningDetails: [nested] } as Message;
    expect(createTokenMeter().ofMessages('m', [message])).toBeGreaterThan(0);
  });
});
