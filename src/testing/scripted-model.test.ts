import { describe, expect, it } from 'vitest';
import { ModelError, type ModelFailure } from '../base/index.ts';
import type { ModelRequest, ModelStreamEvent } from '../contracts/index.ts';
import { createFakeClock } from './fake-clock.ts';
import { createScriptedModel, type ModelScript } from './scripted-model.ts';

const REQUEST: ModelRequest = {
  system: 'Be brief.',
  messages: [{ role: 'user', content: 'hello' }],
  tools: [],
  toolChoice: 'auto',
  stream: true,
};

const FAILURE: ModelFailure = {
  kind: 'rate_limit',
  message: 'Too many requests.',
  retryable: true,
  compress: false,
  rotateCredential: true,
  fallBack: true,
};

async function listen(script: ModelScript, request = REQUEST) {
  const events: ModelStreamEvent[] = [];
  const model = createScriptedModel(script);
  const signal = new AbortController().signal;
  const answer = await model.stream(request, { signal, onEvent: (event) => events.push(event) });
  return { answer, events, model };
}

describe('createScriptedModel', () => {
  it('streams reasoning, text and calls, and returns the complete response', async () => {
    const toolCalls = [{ id: 'c1', name: 'read_file', arguments: { path: 'a' } }];
    const reply = { reasoning: 'hmm', text: 'abcdef', toolCalls, chunkSize: 4, usage: { input: 9 } };
    const { answer, events, model } = await listen([reply]);
    expect(events).toEqual([
      { type: 'reasoning-delta', text: 'hmm' },
      { type: 'text-delta', text: 'abcd' },
      { type: 'text-delta', text: 'ef' },
      { type: 'tool-call-start', name: 'read_file' },
    ]);
    expect(answer).toMatchObject({ text: 'abcdef', reasoning: 'hmm', finishReason: 'tool_calls', usage: { input: 9 } });
    expect(answer.toolCalls).toEqual([{ id: 'c1', name: 'read_file', arguments: '{"path":"a"}' }]);
    expect(model.requests).toEqual([REQUEST]);
  });

  it('responds in one piece without streaming', async () => {
    const { events } = await listen([{ text: 'a long sentence that would be cut' }], { ...REQUEST, stream: false });
    expect(events).toHaveLength(1);
  });

  it('computes the reply with a function, and reports a refusal as filtered', async () => {
    const { answer } = await listen((request) => ({ text: `${request.messages.length}`, finishReason: 'refusal' }));
    expect(answer).toMatchObject({ text: '1', finishReason: 'content_filter' });
  });

  it('fails where the script says, after the events before that', async () => {
    const events: ModelStreamEvent[] = [];
    const model = createScriptedModel([
      { text: 'ab', chunkSize: 1, fault: { type: 'failure', failure: FAILURE, afterEvents: 1 } },
    ]);
    const options = { signal: new AbortController().signal, onEvent: (event: ModelStreamEvent) => events.push(event) };
    const failed = await model.stream(REQUEST, options).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ModelError);
    expect((failed as ModelError).failure).toBe(FAILURE);
    expect(events).toEqual([{ type: 'text-delta', text: 'a' }]);
  });

  it('waits between chunks on its clock', async () => {
    const clock = createFakeClock();
    const model = createScriptedModel([{ text: 'abc', chunkSize: 1, delayMs: 50 }], { clock });
    await model.stream(REQUEST, { signal: new AbortController().signal, onEvent: () => undefined });
    expect(clock.sleeps).toEqual([50, 50, 50]);
  });

  it('rejects with the reason of an abort at any time', async () => {
    const controller = new AbortController();
    const stalled = createScriptedModel([{ fault: { type: 'stall' } }]);
    const waiting = stalled.stream(REQUEST, { signal: controller.signal, onEvent: () => undefined });
    controller.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
    const between = new AbortController();
    const speaking = createScriptedModel([{ text: 'abcdef', chunkSize: 1 }]);
    const onEvent = () => between.abort(new Error('enough'));
    await expect(speaking.stream(REQUEST, { signal: between.signal, onEvent })).rejects.toThrow('enough');
    await expect(speaking.stream(REQUEST, { signal: between.signal, onEvent })).rejects.toThrow('enough');
    expect(speaking.requests).toHaveLength(1);
  });

  it('prepares the same bytes for the same request', () => {
    const model = createScriptedModel([]);
    const { stream, toolChoice, tools, messages, system } = REQUEST;
    const reordered: ModelRequest = { stream, toolChoice, tools, messages, system };
    expect(model.prepare(REQUEST).body).toBe(model.prepare(reordered).body);
    expect(JSON.parse(model.prepare(REQUEST).body)).toEqual(REQUEST);
  });
});
