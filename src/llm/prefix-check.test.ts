import { describe, expect, it } from 'vitest';
import type { Message } from '../base/index.ts';
import type { ModelRequest, PrefixBreak } from '../contracts/index.ts';
import { createPrefixCheck } from './prefix-check.ts';

const TOOL = { name: 'read_file', description: 'Reads.', parameters: { type: 'object' } };
const GO: Message = { role: 'user', content: 'go' };
const DONE: Message = { role: 'assistant', content: 'It is done.' };
const MORE: Message = { role: 'user', content: 'more' };

function requestOf(messages: readonly Message[], extra: Partial<ModelRequest> = {}): ModelRequest {
  const rest = { tools: [TOOL], toolChoice: 'auto', stream: true, cacheKey: 'session', revision: '1' } as const;
  return { system: 'Be good.', messages, ...rest, ...extra };
}

/** Returns the break that is found between these requests. */
function findIn(...requests: ModelRequest[]): (PrefixBreak | undefined)[] {
  const watch = createPrefixCheck((message) => JSON.stringify(message));
  return requests.map((request) => watch.check(request));
}

describe('the prefix watch', () => {
  it('accepts a request that extends the previous one, with the same or with equal objects', () => {
    const copies = [GO, DONE, MORE].map((message) => ({ ...message }));
    const again = requestOf(copies, { tools: [{ ...TOOL }] });
    expect(findIn(requestOf([GO]), requestOf([GO, DONE, MORE]), again)).toEqual([undefined, undefined, undefined]);
  });

  it('reports the message and byte that changed, with the text there', () => {
    const changed: Message = { role: 'assistant', content: 'It was done, über all.' };
    const [, found] = findIn(requestOf([GO, DONE]), requestOf([GO, changed, MORE]));
    const byte = '{"role":"assistant","content":"It '.length;
    expect(found).toMatchObject({ part: 'message', index: 1, role: 'assistant', byte });
    expect(found?.before).toContain('It is done.');
    expect(found?.after).toContain('It was done');
    const long = { ...DONE, content: `ü${'x'.repeat(500)}y` };
    const [, far] = findIn(requestOf([long]), requestOf([{ ...long, content: `${long.content.slice(0, -1)}z` }]));
    expect(far?.byte).toBe('{"role":"assistant","content":""'.length + 501);
    expect(far?.before.length).toBeLessThan(100);
  });

  it('shows no secret and no part of one', () => {
    const secret = `sk-ant-api03-${'aB3dE5fG7h'.repeat(8)}`;
    const saying = (words: string): Message => ({ role: 'user', content: `The key is ${secret} ${words}` });
    const cut: Message = { role: 'user', content: `The key is ${secret.slice(0, -12)}` };
    for (const [first, second] of [
      [saying('now'), saying('then')],
      [saying('now'), cut],
    ] as const) {
      const [, found] = findIn(requestOf([first]), requestOf([second]));
      expect(found?.part).toBe('message');
      expect(JSON.stringify(found)).not.toContain(secret.slice(30, 42));
    }
  });

  it('detects a removed message, a changed system prompt and a changed tool', () => {
    expect(findIn(requestOf([GO, DONE]), requestOf([GO]))[1]).toMatchObject({ part: 'message', index: 1, after: '' });
    expect(findIn(requestOf([GO]), requestOf([GO], { system: 'Be kind.' }))[1]).toEqual({
      part: 'system',
      byte: 3,
      before: 'Be good.',
      after: 'Be kind.',
    });
    const tools = [TOOL, { ...TOOL, name: 'other' }];
    expect(findIn(requestOf([GO]), requestOf([GO], { tools }))[1]).toMatchObject({ part: 'tools', index: 1, byte: 0 });
  });

  it('ignores intentional changes, one-off parts and other sessions', () => {
    const other = requestOf([DONE]);
    expect(findIn(requestOf([GO]), { ...other, revision: '2' })[1]).toBeUndefined();
    expect(findIn(requestOf([GO]), { ...other, cacheKey: 'another' })[1]).toBeUndefined();
    const nudged = requestOf([GO, DONE, MORE], { tailLength: 2 });
    expect(findIn(nudged, requestOf([GO, { ...DONE, content: 'Well.' }]))[1]).toBeUndefined();
    const question = requestOf([MORE], { cacheKey: undefined });
    expect(findIn(requestOf([GO]), question, requestOf([GO, DONE]))).toEqual([undefined, undefined, undefined]);
  });
});
