import { expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { StoredMessage } from './index.ts';
import { uniqueMessages } from './index.ts';

const stored = (sessionId: string, id: number, copyOf?: number): StoredMessage => ({
  id,
  sessionId,
  timestamp: 0,
  message: { role: 'user', content: `${id}` },
  ...(copyOf !== undefined && { copyOf }),
});

verifies('STORE-5', 'returns each message once, and a copy if its original was deleted', async () => {
  const sessions: Record<string, StoredMessage[]> = {
    first: [stored('first', 1), stored('first', 2)],
    second: [stored('second', 3, 2), stored('second', 4)],
    third: [stored('third', 5, 2), stored('third', 6, 4), stored('third', 7)],
  };
  const store = { getMessages: async (id: string) => sessions[id] ?? [] };
  const read = async (...ids: string[]) => (await uniqueMessages(store, ids)).map(({ id }) => id);
  expect(await read('first', 'second', 'third')).toEqual([1, 2, 4, 7]);
  expect(await read('second', 'third')).toEqual([3, 4, 7]);
  expect(await read('third')).toEqual([5, 6, 7]);
});
