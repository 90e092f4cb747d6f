import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { JsonObject, JsonValue, ToolCall } from '../base/index.ts';
import { anthropicDecoder } from './anthropic-messages/decode.ts';
import { chatDecoder } from './chat-completions/decode.ts';
import { responsesDecoder } from './responses/decode.ts';
import { withUniqueIds } from './tool-call-ids.ts';
import { type RunningDecoder, runDecoder } from './wire-format.ts';

function callsOf(decoder: RunningDecoder, events: readonly JsonObject[]): ToolCall[] {
  for (const event of events) decoder.push(event);
  const finished = decoder.finish();
  if ('failure' in finished) throw new Error(finished.failure.message);
  return finished.answer.toolCalls;
}

function chat(...deltas: JsonValue[]): ToolCall[] {
  const chunks = deltas.map((delta) => ({ choices: [{ index: 0, delta: { tool_calls: [delta] } }] }));
  return callsOf(runDecoder(chatDecoder), [
    ...chunks,
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  ]);
}

const named = (name: string, args: JsonValue, rest: JsonObject = {}): JsonObject => ({
  function: { name, arguments: args },
  ...rest,
});
const more = (args: string, rest: JsonObject = {}): JsonObject => ({ function: { arguments: args }, ...rest });
const shape = (calls: readonly ToolCall[]) => calls.map((call) => [call.name, call.arguments]);

describe('chat deltas of unusual providers', () => {
  it('accepts every call with index 0 and a different id', () => {
    const calls = chat(
      named('a', '{"x":', { index: 0, id: '1' }),
      more('1}', { index: 0 }),
      named('b', '', { index: 0, id: '2' }),
      more('{}', { index: 0 }),
    );
    expect(shape(calls)).toEqual([
      ['a', '{"x":1}'],
      ['b', '{}'],
    ]);
  });

  it('accepts complete calls without index or id', () => {
    expect(shape(chat(named('a', '{"x":1}'), named('a', '{"x":2}')))).toEqual([
      ['a', '{"x":1}'],
      ['a', '{"x":2}'],
    ]);
  });

  it('accepts every call with index 0 and no id', () => {
    const calls = chat(named('a', '{"x":1}', { index: 0 }), named('a', '{"x":2}', { index: 0 }));
    expect(shape(calls)).toEqual([
      ['a', '{"x":1}'],
      ['a', '{"x":2}'],
    ]);
    expect(new Set(calls.map((call) => call.id)).size).toBe(2);
  });

  it('accepts a response that is not streamed without index, id or arguments', () => {
    const message = { role: 'assistant', tool_calls: [named('a', ''), named('a', '')] };
    const decoder = runDecoder(chatDecoder);
    decoder.pushBody({ choices: [{ message, finish_reason: 'tool_calls' }] });
    const finished = decoder.finish();
    expect('answer' in finished && shape(finished.answer.toolCalls)).toEqual([
      ['a', ''],
      ['a', ''],
    ]);
  });

  it('accepts name and id repeated in every delta', () => {
    const calls = chat(named('a', '{"x', { index: 0, id: '1' }), named('a', '":1}', { index: 0, id: '1' }));
    expect(shape(calls)).toEqual([['a', '{"x":1}']]);
    expect(shape(chat(named('a', '{"x', { id: '1' }), named('a', '":1}', { id: '1' })))).toEqual([['a', '{"x":1}']]);
  });

  it('accepts the id before the name', () => {
    expect(chat({ index: 0, id: '1' }, named('a', '{}', { index: 0 }))).toEqual([
      { id: '1', name: 'a', arguments: '{}' },
    ]);
  });

  it('accepts arguments as an object or null', () => {
    expect(shape(chat(named('a', { b: 1, a: 2 }, { id: '1' })))).toEqual([['a', '{"a":2,"b":1}']]);
    expect(shape(chat(named('a', null, { id: '1' })))).toEqual([['a', '']]);
  });

  it('ignores a call that is started but has no content', () => {
    expect(chat({ index: 0 }, named('a', '{}', { index: 1, id: '1' }))).toHaveLength(1);
  });

  it('accepts calls interleaved in any order if they have indexes', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 });
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(3), { maxLength: 40 }),
        (texts, order) => {
          const rest = texts.map((each) => [...each]);
          const deltas: JsonObject[] = texts.map((_, index) => named(`t${index}`, '', { index, id: `id${index}` }));
          for (const pick of order) {
            const index = pick % texts.length;
            deltas.push(more(rest[index]?.shift() ?? '', { index }));
          }
          for (const [index, left] of rest.entries()) deltas.push(more(left.join(''), { index }));
          expect(shape(chat(...deltas))).toEqual(texts.map((each, index) => [`t${index}`, each]));
        },
      ),
    );
  });
});

describe('ids', () => {
  verifies('CALL-10', 'replaces a missing or repeated id, always with the same one', () => {
    const deltas = [
      named('a', '{}', { index: 0 }),
      named('a', '{}', { index: 1 }),
      named('b', '{}', { index: 2, id: 'x' }),
      named('b', '{}', { index: 3, id: 'x' }),
    ];
    const first = chat(...deltas);
    const ids = first.map((call) => call.id);
    expect(new Set(ids).size).toBe(4);
    expect(ids[2]).toBe('x');
    expect(ids[3]).toMatch(/^call_[0-9a-f]{24}$/);
    expect(chat(...deltas)).toEqual(first);
  });

  verifies('CALL-10', 'does the same in the other two modes', () => {
    const use = (index: number) => ({
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id: 'x', name: 'a', input: {} },
    });
    const anthropic = callsOf(runDecoder(anthropicDecoder), [
      use(0),
      use(1),
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    ]);
    const output = [
      { type: 'function_call', name: 'a', arguments: '{}' },
      { type: 'function_call', name: 'a', arguments: '{}' },
    ];
    const responses = callsOf(runDecoder(responsesDecoder), [{ type: 'response.completed', response: { output } }]);
    for (const calls of [anthropic, responses]) expect(new Set(calls.map((call) => call.id)).size).toBe(2);
  });

  verifies('CALL-10', 'are always unique', () => {
    const call = fc.record({
      id: fc.option(fc.constantFrom('', 'a', 'b'), { nil: undefined }),
      name: fc.constantFrom('x', 'y'),
      arguments: fc.constantFrom('{}', '{"a":1}'),
    });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 8 }), (calls) => {
        const once = withUniqueIds(calls);
        expect(new Set(once.map(({ id }) => id)).size).toBe(calls.length);
        expect(withUniqueIds(calls)).toEqual(once);
        // If a provider uses an id that we derived earlier, the two must not collide.
        expect(new Set(withUniqueIds([...once, ...calls]).map(({ id }) => id)).size).toBe(calls.length * 2);
      }),
    );
  });
});

describe('responses items of unusual servers', () => {
  it('finds arguments that are only in deltas by their item id', () => {
    const calls = callsOf(runDecoder(responsesDecoder), [
      {
        type: 'response.output_item.added',
        item: { type: 'function_call', id: 'f', call_id: 'c', name: 'a', arguments: '' },
      },
      { type: 'response.function_call_arguments.delta', item_id: 'f', delta: '{"x"' },
      { type: 'response.function_call_arguments.delta', delta: ':1}' },
      { type: 'response.completed', response: {} },
    ]);
    expect(calls).toEqual([{ id: 'c', itemId: 'f', name: 'a', arguments: '{"x":1}' }]);
  });
});
