import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ModelError } from '../../src/base/index.ts';
import { API_MODES, type ApiMode, type ModelRequest, type ModelStreamEvent } from '../../src/contracts/index.ts';
import { createModelClient } from '../../src/llm/index.ts';
import { createHttpTransport } from '../../src/llm/transport/http-transport.ts';
import { verifies } from '../spec/verifies.ts';

// A third-party emulator, so that encoders and decoders are not only tested against our own understanding of the
// APIs.

const WEATHER = {
  name: 'get_weather',
  description: 'The weather at a place.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const mock = new LLMock({ port: 0 });
const transport = createHttpTransport();

beforeAll(async () => {
  mock.onMessage('greet', { content: 'Grüezi, 世界 👋 — how are you?' });
  mock.onMessage('think', { content: 'Forty-two.', reasoning: 'Let me count.' });
  mock.on(
    { userMessage: 'weather', hasToolResult: false },
    { toolCalls: [{ name: 'get_weather', arguments: '{"city":"Zürich"}' }] },
  );
  mock.on({ userMessage: 'weather', hasToolResult: true }, { content: 'It is sunny in Zürich.' });
  mock.onMessage('busy', { error: { message: 'Slow down', type: 'rate_limit_error' }, status: 429, retryAfter: 7 });
  await mock.start();
});

afterAll(async () => {
  transport.close();
  await mock.stop();
});

function clientFor(apiMode: ApiMode) {
  const host = new URL(mock.url).host;
  const credential = { secret: 'any-key', hosts: [host] };
  return createModelClient({
    apiMode,
    baseUrl: `${mock.url}/v1`,
    model: 'm',
    credential,
    stallTimeoutMs: 20_000,
    transport,
  });
}

async function ask(apiMode: ApiMode, messages: ModelRequest['messages'], stream: boolean) {
  const events: ModelStreamEvent[] = [];
  const request: ModelRequest = { system: 'Be brief.', messages, tools: [WEATHER], toolChoice: 'auto', stream };
  const signal = new AbortController().signal;
  const answer = await clientFor(apiMode).stream(request, { signal, onEvent: (event) => void events.push(event) });
  const said = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
  return { answer, events, said };
}

for (const apiMode of API_MODES) {
  describe.each([true, false])(`${apiMode}, stream %s`, (stream) => {
    verifies('CALL-1', `${apiMode}: receives text from the emulator`, async () => {
      const { answer, said } = await ask(apiMode, [{ role: 'user', content: 'greet me' }], stream);
      expect(answer.text).toBe('Grüezi, 世界 👋 — how are you?');
      expect(said).toBe(answer.text);
      expect(answer.finishReason).toBe('stop');
    });

    verifies('CALL-1', `${apiMode}: runs a tool call and gets the answer to its result`, async () => {
      const question = { role: 'user', content: 'what is the weather' } as const;
      const first = await ask(apiMode, [question], stream);
      expect(first.answer.finishReason).toBe('tool_calls');
      expect(first.events).toContainEqual({ type: 'tool-call-start', name: 'get_weather' });
      const [call] = first.answer.toolCalls;
      expect(call).toMatchObject({ name: 'get_weather', arguments: '{"city":"Zürich"}' });
      const history = [
        question,
        { role: 'assistant', content: first.answer.text, toolCalls: first.answer.toolCalls },
        { role: 'tool', toolCallId: call?.id ?? '', toolName: 'get_weather', content: 'sunny' },
      ] as const;
      const second = await ask(apiMode, history, stream);
      expect(second.answer.text).toBe('It is sunny in Zürich.');
    });

    verifies('CALL-9', `${apiMode}: separates reasoning from text`, async () => {
      const { answer, said } = await ask(apiMode, [{ role: 'user', content: 'think' }], stream);
      expect(answer.text).toBe('Forty-two.');
      expect(said).toBe('Forty-two.');
      expect(answer.reasoning).toBe('Let me count.');
    });

    it('classifies an error', async () => {
      const thrown = await ask(apiMode, [{ role: 'user', content: 'busy' }], stream).catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(ModelError);
      expect((thrown as ModelError).failure).toMatchObject({ kind: 'rate_limit', status: 429, retryAfterMs: 7000 });
    });
  });
}
