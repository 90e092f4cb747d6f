import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkText, createScriptReader, planReply } from './reply.ts';

describe('chunkText', () => {
  it('returns the text when joined and never splits a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 0, max: 9 }), (text, size) => {
        const chunks = chunkText(text, size);
        expect(chunks.join('')).toBe(text);
        expect(chunks.every((chunk) => chunk.length > 0 && chunk.isWellFormed())).toBe(true);
      }),
    );
  });

  it('keeps chunks within the size if characters allow it', () => {
    expect(chunkText('abcdefg', 3)).toEqual(['abc', 'def', 'g']);
    expect(chunkText('a😀b', 2)).toEqual(['a', '😀', 'b']);
    expect(chunkText('😀', 1)).toEqual(['😀']);
    expect(chunkText('whole', Number.POSITIVE_INFINITY)).toEqual(['whole']);
  });
});

describe('planReply', () => {
  it('fills in the defaults', () => {
    const plan = planReply({ text: '12345678', reasoning: '1234' }, 40);
    expect(plan).toMatchObject({ finishReason: 'stop', toolCalls: [], delayMs: 0 });
    expect(plan.usage).toEqual({ input: 10, output: 3, cacheRead: 0, cacheWrite: 0, reasoning: 1 });
  });

  it('finishes with tool_calls if there are calls, each with a unique id', () => {
    const plan = planReply(
      {
        toolCalls: [
          { name: 'a', arguments: { x: 1 } },
          { name: 'b', arguments: '{"y":' },
          { id: '', name: 'c', arguments: '' },
        ],
      },
      0,
    );
    expect(plan.finishReason).toBe('tool_calls');
    expect(plan.toolCalls.map((call) => call.arguments)).toEqual(['{"x":1}', '{"y":', '']);
    expect(plan.toolCalls[0]?.id).not.toBe(plan.toolCalls[1]?.id);
    expect(plan.toolCalls[2]?.id).toBe('');
  });

  it('uses the given usage', () => {
    expect(planReply({ usage: { input: 7, cacheRead: 3 } }, 400).usage).toMatchObject({ input: 7, cacheRead: 3 });
  });
});

it('returns the replies of a list in order and reports when it is used up', async () => {
  const next = createScriptReader<string, number>([1, 2]);
  expect([await next('a'), await next('b')]).toEqual([1, 2]);
  await expect(next('c')).rejects.toThrow('The script has 2 replies, but this is request 3.');
});

it('repeats the last reply with repeatLast', async () => {
  const next = createScriptReader<string, number>([1, 2], { repeatLast: true });
  expect([await next('a'), await next('b'), await next('c')]).toEqual([1, 2, 2]);
  await expect(createScriptReader<string, number>([], { repeatLast: true })('a')).rejects.toThrow('0 replies');
});

it('passes the request to a function', async () => {
  const next = createScriptReader((request: string) => request.length);
  expect(await next('four')).toBe(4);
});
