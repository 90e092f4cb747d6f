import { join } from 'node:path';
import type { Message } from '../src/base/index.ts';
import type { SessionStore } from '../src/contracts/index.ts';

type StoreModule = { openSqliteStore(options: { file: string }): Promise<SessionStore> };

const MESSAGES = 10_000;
const CHARACTERS = 1_100;
/** As in messages that Hermes stored, unlike those of other programs. */
const PRODUCER = 'chat_completions http://127.0.0.1';

/**
 * Stores a session of 10,000 messages and 11 MB in a home directory and returns its id. It uses the store of the
 * checkout that will read it, because an older store rejects the file of a newer one.
 */
export async function storeLongSession(home: string, root = join(import.meta.dirname, '..')): Promise<string> {
  const id = '20260101_000000_be4c11';
  const { openSqliteStore } = (await import(join(root, 'src/store/sqlite/index.ts'))) as StoreModule;
  const store = await openSqliteStore({ file: join(home, 'state.db') });
  await store.createSession({ id, source: 'cli', startedAt: Date.UTC(2026, 0, 1), model: 'bench-model' });
  await store.appendMessages(id, longHistory(), {
    taskId: 'task_bench',
    provider: 'custom',
    model: 'bench-model',
    baseUrl: 'http://127.0.0.1/v1',
    startedAt: Date.UTC(2026, 0, 1),
    durationMs: 1,
    outcome: 'ok',
    cost: { usd: 0, status: 'unknown' },
    // The usage of the last call is known, as in a real session.
    usage: { input: 2_900_000, output: 300, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
  });
  await store.close();
  return id;
}

/** Exchanges of four messages: a request, a tool call, its result, an answer. */
function longHistory(): Message[] {
  return Array.from({ length: MESSAGES / 4 }, (_, index): Message[] => {
    const callId = `call_old_${index}`;
    const toolCalls = [{ id: callId, name: 'terminal', arguments: JSON.stringify({ command: filler(index, 'echo') }) }];
    return [
      { role: 'user', content: filler(index, 'request') },
      { role: 'assistant', content: '', toolCalls, finishReason: 'tool_calls', producer: PRODUCER },
      { role: 'tool', toolCallId: callId, toolName: 'terminal', content: filler(index, 'result') },
      { role: 'assistant', content: filler(index, 'answer'), finishReason: 'stop', producer: PRODUCER },
    ];
  }).flat();
}

/** Text of the required length; no two messages are equal. */
function filler(index: number, word: string): string {
  return `${word} ${index} `.repeat(Math.ceil(CHARACTERS / (word.length + 3))).slice(0, CHARACTERS);
}
