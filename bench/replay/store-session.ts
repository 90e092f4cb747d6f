import { join } from 'node:path';
import type { Message } from '../../src/base/index.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';

const CHARACTERS = 300;
const ID = '20260101_000000_4e91a7';

/** Stores a session of this many messages in a home directory and returns its id. */
export async function storeSession(home: string, messages: number): Promise<string> {
  const store = await openSqliteStore({ file: join(home, 'state.db') });
  await store.createSession({ id: ID, source: 'cli', startedAt: Date.UTC(2026, 0, 1), model: 'bench-model' });
  const history = Array.from({ length: messages / 4 }, (_, index) => exchange(index)).flat();
  await store.appendMessages(ID, history);
  await store.close();
  return ID;
}

function exchange(index: number): Message[] {
  const id = `call_${index}`;
  const args = JSON.stringify({ command: filler(index, 'echo') });
  return [
    { role: 'user', content: filler(index, 'request') },
    { role: 'assistant', content: '', toolCalls: [{ id, name: 'terminal', arguments: args }] },
    { role: 'tool', toolCallId: id, toolName: 'terminal', content: filler(index, 'result') },
    { role: 'assistant', content: filler(index, 'answer') },
  ];
}

/** Text of the required length; no two messages are equal. */
function filler(index: number, word: string): string {
  return `${word} ${index} `.repeat(Math.ceil(CHARACTERS / (word.length + 3))).slice(0, CHARACTERS);
}
