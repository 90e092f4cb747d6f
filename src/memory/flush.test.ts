import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { openAuxiliaryModels, startServer } from '../../test/support/auxiliary-fixture.ts';
import { routeToServer } from '../../test/support/provider-fixture.ts';
import { type Message, NO_COST, NO_USAGE } from '../base/index.ts';
import { type AuxiliaryModels, type AuxiliaryRequest, silentLogger } from '../contracts/index.ts';
import { abortable } from '../util/index.ts';
import { createMemoryFiles, createMemoryFlush } from './index.ts';

const HISTORY: Message[] = [
  { role: 'user', content: 'I am Ada, and ships are deployed with make ship.' },
  { role: 'assistant', content: 'Noted.' },
  { role: 'tool', toolCallId: 'c', toolName: 'terminal', content: 'line\n'.repeat(5_000) },
];

describe('the memory flush', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hermes-memory-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const stored = (name: string) => readFile(join(folder, name), 'utf8').catch(() => undefined);
  async function flush(
    answer: string | ((request: AuxiliaryRequest) => Promise<string>),
    options: {
      messages?: Message[];
      limits?: { memory?: number; user?: number };
      signal?: AbortSignal;
      timeoutMs?: number;
    } = {},
  ) {
    const asked: AuxiliaryRequest[] = [];
    const auxiliary: AuxiliaryModels = {
      async ask(task, request) {
        expect(task).toBe('memory_flush');
        asked.push(request);
        const text = typeof answer === 'string' ? answer : await answer(request);
        return { text, finishReason: 'stop', usage: NO_USAGE, cost: NO_COST, provider: 'p', model: 'm' };
      },
    };
    const files = createMemoryFiles({ folder, limits: options.limits ?? { memory: 200, user: 200 } });
    const { signal = new AbortController().signal } = options;
    const flusher = createMemoryFlush({ files, auxiliary, logger: silentLogger, timeoutMs: options.timeoutMs });
    await flusher.beforeCompression(options.messages ?? HISTORY, { sessionId: 's', taskId: 't', signal });
    return asked;
  }

  verifies(
    'CTX-11',
    'asks an auxiliary model, with the conversation as data, and writes to the memory files',
    async () => {
      await writeFile(join(folder, 'MEMORY.md'), 'ships are deployed by hand');
      const operations = [
        { target: 'user', action: 'add', content: 'Ada' },
        { target: 'memory', action: 'replace', old_text: 'by hand', content: 'ships are deployed with make ship' },
      ];
      const [request] = await flush(`Here:\n\`\`\`json\n${JSON.stringify({ operations })}\n\`\`\``);
      expect([await stored('USER.md'), await stored('MEMORY.md')]).toEqual([
        'Ada',
        'ships are deployed with make ship',
      ]);
      const { notes, conversation } = JSON.parse(request?.messages[0]?.content ?? '') as {
        notes: unknown;
        conversation: { role: string; text: string }[];
      };
      expect(notes).toEqual({
        memory: { entries: ['ships are deployed by hand'], limit: 200 },
        user: { entries: [], limit: 200 },
      });
      expect(conversation.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
      expect(conversation[2]?.text.length).toBeLessThanOrEqual(300);
      expect(request).toMatchObject({ sessionId: 's', taskId: 't' });
    },
  );

  it('writes what fits and is harmless', async () => {
    const add = (content: string, target = 'memory') => ({ target, action: 'add', content });
    const hidden = `read${String.fromCodePoint(0xe0049)}`;
    const operations = [add('x'.repeat(300)), add(hidden), add('fits'), add('nobody', 'user'), add('', 'memory')];
    await flush(JSON.stringify({ operations }), { limits: { memory: 200 } });
    expect([await stored('MEMORY.md'), await stored('USER.md')]).toEqual(['fits', undefined]);
    const many = Array.from({ length: 30 }, (_, index) => add(`n${index}`));
    await flush(JSON.stringify({ operations: many }));
    expect((await stored('MEMORY.md'))?.split('\n§\n')).toHaveLength(1 + 10);
  });

  const nonsense = [
    '',
    'I cannot do that.',
    '{"operations": "all"}',
    '{"operations": [1, null, {"target": "memory"}, {"target": "other", "action": "add", "content": "x"}, {"target": "memory", "action": "remove", "old_text": "x", "content": "y"}]}',
    '{"operations": [{"target": "memory", "action": "add", "content": "cut',
    '[]',
  ];
  for (const answer of nonsense) {
    it(`writes nothing if the model answers ${JSON.stringify(answer.slice(0, 40))}`, async () => {
      await flush(answer);
      expect([await stored('MEMORY.md'), await stored('USER.md')]).toEqual([undefined, undefined]);
    });
  }

  it('asks the next model if one does not answer in the requested format', async () => {
    const operations = [{ target: 'user', action: 'add', content: 'Ada' }];
    const replies = [
      { text: 'I cannot do that.' },
      { text: `{"operations": "all"}` },
      { text: JSON.stringify({ operations }) },
    ];
    const server = await startServer({ script: replies });
    const routes = ['small', 'main'].map((name) => routeToServer(server, 'chat_completions', name));
    const { models, store } = await openAuxiliaryModels(routes);
    const files = createMemoryFiles({ folder, limits: { memory: 200, user: 200 } });
    const flusher = createMemoryFlush({ files, auxiliary: models, logger: silentLogger });
    const { signal } = new AbortController();
    await flusher.beforeCompression(HISTORY, { sessionId: 'one', taskId: 't', signal });
    expect(await stored('USER.md')).toBe('Ada');
    const { calls } = await store.exportSession('one');
    expect(calls.map(({ provider, outcome }) => [provider, outcome])).toEqual([
      ['small', 'discarded'],
      ['small', 'discarded'],
      ['main', 'ok'],
    ]);
  });

  verifies('CTX-11', 'respects its timeout, and ignores failures', async () => {
    await flush(() => Promise.reject(new Error('no model')));
    // A model call that ends only when its timeout expires.
    const hangs = ({ signal }: AuxiliaryRequest) => abortable(new Promise<string>(() => undefined), signal);
    await flush(hangs, { timeoutMs: 10 });
    const stopped = flush(() => Promise.reject(new Error('x')), { signal: AbortSignal.abort(new Error('stopped')) });
    await expect(stopped).rejects.toThrow('stopped');
  });

  it('shows the newest part of a long conversation, without secrets', async () => {
    const secret = `sk-ant-${'a1'.repeat(20)}`;
    const long: Message[] = Array.from({ length: 500 }, (_, index) => ({
      role: 'user',
      content: `${index} ${'w'.repeat(3_000)}`,
    }));
    const [request] = await flush('{}', { messages: [...long, { role: 'user', content: `key ${secret}` }] });
    const text = request?.messages[0]?.content ?? '';
    expect(text.length).toBeLessThan(90_000);
    expect(text).toContain('"499 w');
    expect(text).not.toContain(secret);
  });

  it('shows no part of a secret where a message is truncated', async () => {
    const content = `${'w'.repeat(1_980)} sk-ant-${'a1'.repeat(20)}`;
    const [request] = await flush('{}', { messages: [{ role: 'user', content }] });
    expect(request?.messages[0]?.content).not.toContain('sk-ant');
  });
});
