import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkText, createScriptReader, planReply } from './reply.ts';

describe('chunkText', () => {
  it('gives back the text when joined, and never cuts a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 0, max: 9 }), (text, size) => {
        const chunks = chunkText(text, size);
        expect(chunks.join('')).toBe(text);
        expect(chunks.every((chunk) => chunk.length > 0 && chunk.isWellFormed())).toBe(true);
      }),
    );
  });

  it('keeps pieces within the size where characters allow it', () => {
    expect(chunkText('abcdefg', 3)).toEqual(['abc', 'def', 'g']);
    expect(chunkText('a😀b', 2)).toEqual(['a', '😀', 'b']);
    expect(chunkText('😀', 1)).toEqual(['😀']);
    expect(chunkText('whole', Number.POSITIVE_INFINITY)).toEqual(['whole']);
  });
});

describe('planReply', () => {
  it('fills in what was left out', () => {
    const plan = planReply({ text: '12345678', reasoning: '1234' }, 40);
    expect(plan).toMatchObject({ finishReason: 'stop', toolCalls: [], delayMs: 0 });
    expect(plan.usage).toEqual({ input: 10, output: 3, cacheRead: 0, cacheWrite: 0, reasoning: 1 });
  });

  it('finishes with tool calls where there are some, each with an id of its own', () => {
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

  it('takes the usage it is given', () => {
    expect(planReply({ usage: { input: 7, cacheRead: 3 } }, 400).usage).toMatchObject({ input: 7, cacheRead: 3 });
  });
});

it('gives the replies of a list in order and says when there are none left', async () => {
  const next = createScriptReader<string, number>([1, 2]);
  expect([await next('a'), await next('b')]).toEqual([1, 2]);
  await expect(next('c')).rejects.toThrow('The script has 2 replies, and this is request 3.');
});

it('repeats the last reply where that is wanted', async () => {
  const next = createScriptReader<string, number>([1, 2], { repeatLast: true });
  expect([await next('a'), await next('b'), await next('c')]).toEqual([1, 2, 2]);
  await expect(createScriptReader<string, number>([], { repeatLast: true })('a')).rejects.toThrow('0 replies');
});

it('hands the request to a function', async () => {
  const next = createScriptReader((request: string) => request.length);
  expect(await next('four')).toBe(4);
});
