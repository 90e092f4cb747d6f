import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { JsonObject } from '../base/index.ts';
import type { AuxiliaryRequest, Interaction } from '../contracts/index.ts';
import { createFakeClock } from '../testing/index.ts';
import { createElicitation, createSampling } from './server-requests.ts';
import {
  callTool,
  createTemporaryFolder,
  openTestServer,
  settingsFor,
  testServer,
  pollUntil,
} from '../../test/support/mcp-servers.ts';
import { keepAlive } from './session-lifetime.ts';

const signal = new AbortController().signal;

describe('sampling by a server', () => {
  const asked: AuxiliaryRequest[] = [];
  const auxiliary = {
    async ask(_task: string, request: AuxiliaryRequest) {
      asked.push(request);
      return { text: 'yes', finishReason: 'length', model: 'm', provider: 'p', usage: {}, cost: {} } as never;
    },
  };
  const settings = { maxTokens: 100, perMinute: 2, timeoutSeconds: 5 };
  const message = (content: unknown, role = 'user') => ({ role, content }) as unknown as JsonObject;

  it('returns text within the rate limit, which resets after a minute', async () => {
    const clock = createFakeClock();
    const sample = createSampling({
      serverName: 'it',
      settings,
      auxiliary,
      clock,
      caller: () => ({ sessionId: 's', signal }),
    });
    const messages = [message({ type: 'text', text: 'one' }), message([{ type: 'image', data: 'x' }], 'assistant')];
    expect(await sample({ messages, maxTokens: 7.9, systemPrompt: 'Be brief.' }, signal)).toEqual({
      role: 'assistant',
      model: 'm',
      stopReason: 'maxTokens',
      content: { type: 'text', text: 'yes' },
    });
    expect(asked[0]).toMatchObject({
      system: 'Be brief.',
      maxOutputTokens: 7,
      sessionId: 's',
      messages: [
        { role: 'user', content: 'one' },
        { role: 'assistant', content: '[image omitted: not text]' },
      ],
    });
    await sample({ messages, maxTokens: 5000 }, signal);
    expect(asked[1]?.maxOutputTokens).toBe(100);
    await expect(sample({ messages }, signal)).rejects.toThrow('at most 2 sampling requests per minute');
    clock.advance(60_001);
    await sample({ messages }, signal);
    expect(asked).toHaveLength(3);
  });

  it('fails without messages or with too long ones', async () => {
    const parts = { serverName: 'it', settings: { ...settings, perMinute: 9 }, auxiliary, caller: () => ({ signal }) };
    const sample = createSampling({ ...parts, clock: createFakeClock() });
    for (const messages of [undefined, [], 'x', [7]])
      await expect(sample({ messages } as unknown as JsonObject, signal)).rejects.toThrow('is empty');
    const long = { type: 'text', text: 'x'.repeat(200_001) };
    await expect(sample({ messages: [message(long)] }, signal)).rejects.toThrow('longer than 200000 characters');
  });

  verifies('SURF-8', 'fails outside a tool call and after the call was interrupted', async () => {
    asked.length = 0;
    const record = join(await createTemporaryFolder(), 'record');
    const entry = { ...testServer('--samples', `--record=${record}`), sampling: true };
    const stopped = Promise.withResolvers<void>();
    const patient = {
      async ask(_task: string, request: AuxiliaryRequest) {
        asked.push(request);
        request.signal.addEventListener('abort', () => stopped.resolve());
        return new Promise<never>(() => undefined);
      },
    };
    const server = await openTestServer(entry, { auxiliary: patient });
    await server.connect();
    await pollUntil(async () => (await readFile(record, 'utf8')).includes('asked at the start: '));
    expect(await readFile(record, 'utf8')).toContain('only available while one of your tools is being called');
    expect(asked).toEqual([]);
    const interrupt = new AbortController();
    const call = callTool(server, 'sample', {}, { signal: interrupt.signal }).catch(() => 'interrupted');
    await pollUntil(() => asked.length > 0);
    expect(asked).toMatchObject([{ sessionId: 's', taskId: 't' }]);
    interrupt.abort();
    expect(await call).toBe('interrupted');
    await stopped.promise;
  });
});

describe('elicitation by a server', () => {
  const answering = (answers: Record<string, string | undefined>): Interaction => ({
    approve: async () => 'deny',
    async clarify({ question, choices }) {
      const found = Object.entries(answers).find(([name]) => question.includes(`(${name}`));
      return found === undefined ? choices[0] : found[1];
    },
  });
  const requestedSchema = {
    type: 'object',
    properties: {
      age: { type: 'integer' },
      ok: { type: 'boolean' },
      colour: { type: 'string', oneOf: [{ const: 'red', title: 'Red' }] },
      several: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
    },
    required: ['age'],
  };
  const ask = (interaction: Interaction | undefined, schema: JsonObject = requestedSchema) =>
    createElicitation('it', () => interaction)({ message: 'Tell me', requestedSchema: schema }, signal);

  it('returns the answers in the requested types', async () => {
    expect(await ask(answering({ age: '42', several: 'a, b' }))).toEqual({
      action: 'accept',
      content: { age: 42, ok: true, colour: 'red', several: ['a', 'b'] },
    });
    expect(await ask(answering({ age: 'many' }))).toEqual({ action: 'decline' });
    expect(await ask(answering({ age: '42', ok: undefined }))).toEqual({ action: 'cancel' });
    expect(await ask(undefined)).toEqual({ action: 'cancel' });
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`, { type: 'string' }]));
    expect(await ask(answering({}), { type: 'object', properties: many })).toEqual({ action: 'cancel' });
  });
});

describe('an HTTP connection', () => {
  it('is pinged at intervals and closed if the server does not respond', async () => {
    const clock = createFakeClock();
    const settings = await settingsFor({ url: 'http://127.0.0.1:9/mcp', keepalive_interval: 10 });
    const asked: string[] = [];
    const lost = Promise.withResolvers<string>();
    let closed = 0;
    const session = keepAlive(
      {
        serverVersion: '1',
        protocolVersion: '1',
        legacy: true,
        supportsTasks: false,
        capabilities: new Set<string>(),
        async request(method) {
          asked.push(method);
          if (asked.length === 2) throw new Error('no answer');
          return {};
        },
        async close() {
          closed += 1;
        },
      },
      { settings, clock, onClosed: ({ message }) => lost.resolve(message) },
    );
    clock.advance(10_000);
    clock.advance(10_000);
    expect(await lost.promise).toBe('The server no longer responds.');
    expect({ asked, closed }).toEqual({ asked: ['ping', 'ping'], closed: 1 });
    await session.close();
  });
});
