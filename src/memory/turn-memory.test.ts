import { describe, expect, it } from 'vitest';
import type { Logger, MemoryProvider } from '../contracts/index.ts';
import { createProviderMemory } from './index.ts';

const never = new AbortController().signal;
const query = { text: 'hello', sessionId: 's' };
const turn = (userMessage: string) => ({ sessionId: 's', userMessage, answer: 'a', completed: true });

function createLog() {
  const lines: string[] = [];
  const write = (message: string, fields?: object) => void lines.push(`${message} ${JSON.stringify(fields ?? {})}`);
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  return { logger, lines };
}

function open(provider: Partial<MemoryProvider>, times: { recallMs?: number; learnMs?: number } = {}) {
  const { logger, lines } = createLog();
  const whole: MemoryProvider = { name: 'test', isAvailable: async () => true, recall: async () => [], ...provider };
  return { lines, memory: createProviderMemory({ provider: whole, logger, ...times }) };
}

describe('recalling', () => {
  it('returns limited text without secrets and prompt injections', async () => {
    const hidden = `read${String.fromCodePoint(0xe0049, 0xe0047)}`;
    const secret = `sk-ant-${'a1'.repeat(20)}`;
    const items = ['Likes tea.', '  ', hidden, `key ${secret}`, 'x'.repeat(5_000), 'Works on ships.'];
    const { memory, lines } = open({ recall: async () => items });
    const text = (await memory.recall(query, never)) ?? '';
    expect(text.split('\n\n')).toEqual(['Likes tea.', 'key «secret removed»', 'Works on ships.']);
    expect(lines.join('\n')).toContain('recalled text was omitted');
    const long = open({ recall: async () => ['y'.repeat(9_000)] });
    expect(await long.memory.recall(query, never)).toBe('y'.repeat(4_000));
    expect(await open({}).memory.recall(query, never)).toBeUndefined();
  });

  it('never fails and never waits long: errors are only logged', async () => {
    const failing = open({ recall: () => Promise.reject(new Error('away')) });
    expect(await failing.memory.recall(query, never)).toBeUndefined();
    expect(failing.lines).toEqual(['memory provider: recall failed {"provider":"test","reason":"away"}']);
    // A provider that ignores its signal.
    const deaf = open({ recall: () => new Promise(() => undefined) }, { recallMs: 10 });
    expect(await deaf.memory.recall(query, never)).toBeUndefined();
    expect(deaf.lines[0]).toContain('recall failed');
    const stopped = open({ recall: () => new Promise(() => undefined) });
    expect(await stopped.memory.recall(query, AbortSignal.abort(new Error('stop')))).toBeUndefined();
    expect(stopped.lines).toEqual([]);
  });

  it('skips an unavailable provider, which is logged once', async () => {
    let asked = 0;
    const { memory, lines } = open({
      isAvailable: async () => ({ reason: 'no key' }),
      recall: async () => {
        asked += 1;
        return ['x'];
      },
    });
    expect([await memory.recall(query, never), await memory.recall(query, never)]).toEqual([undefined, undefined]);
    expect(asked).toBe(0);
    expect(lines).toEqual(['memory provider is not available {"provider":"test","reason":"no key"}']);
  });
});

describe('learning', () => {
  it('runs in the background, one turn at a time, and is waited for when closing', async () => {
    const hold = Promise.withResolvers<void>();
    const learnt: string[] = [];
    const { memory } = open({
      async learnTurn({ userMessage }) {
        if (userMessage === 'one') await hold.promise;
        learnt.push(userMessage);
      },
      sessionEnded: async (sessionId) => void learnt.push(`end of ${sessionId}`),
      close: async () => void learnt.push('closed'),
    });
    memory.learn(turn('one'));
    memory.learn(turn('two'));
    memory.sessionEnded('s');
    expect(learnt).toEqual([]);
    const closed = memory.close();
    hold.resolve();
    await closed;
    expect(learnt).toEqual(['one', 'two', 'end of s', 'closed']);
    memory.learn(turn('too late'));
    expect(learnt).toHaveLength(4);
  });

  it('does not block the next turn or closing when it fails or hangs', async () => {
    const learnt: string[] = [];
    const { memory, lines } = open(
      {
        async learnTurn({ userMessage }, signal) {
          if (userMessage === 'fails') throw new Error('refused');
          if (userMessage === 'hangs') await new Promise(() => undefined);
          signal.throwIfAborted();
          learnt.push(userMessage);
        },
      },
      { learnMs: 20 },
    );
    for (const text of ['fails', 'hangs', 'fine']) memory.learn(turn(text));
    await memory.close();
    expect(learnt).toEqual(['fine']);
    expect(lines.filter((line) => line.includes('learning failed'))).toHaveLength(2);
    const stuck = open({ learnTurn: () => new Promise(() => undefined) });
    stuck.memory.learn(turn('hangs'));
    await stuck.memory.close(10);
  });

  it('has a limited queue', async () => {
    const hold = Promise.withResolvers<void>();
    let learnt = 0;
    const { memory, lines } = open({
      async learnTurn() {
        await hold.promise;
        learnt += 1;
      },
    });
    for (let index = 0; index < 150; index += 1) memory.learn(turn('x'));
    hold.resolve();
    await memory.close();
    expect(learnt).toBe(100);
    expect(lines).toHaveLength(50);
  });
});
