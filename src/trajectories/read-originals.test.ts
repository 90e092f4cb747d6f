import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { Message } from '../base/index.ts';
import { openSqliteStore } from '../store/sqlite/index.ts';
import { readOriginals } from './index.ts';

const user = (content: string): Message => ({ role: 'user', content });

verifies(
  'TRAJ-1',
  'reads the original messages of a lineage: no summaries, no shortened copies, nothing after a branch',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hermes-originals-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const store = await openSqliteStore({ file: join(folder, 'state.db') });
    onTestFinished(() => store.close());
    const said = async (id: string) => (await readOriginals(store, id)).map(({ message }) => message.content);

    await store.createSession({ id: 'first', source: 'cli', startedAt: 1 });
    await store.appendMessages('first', [user('1'), user('2'), user('3, long')]);
    const [one, , three] = (await store.getMessages('first')).map(({ id }) => id) as [number, number, number];
    await store.splitSession('first', { id: 'second', source: 'cli', startedAt: 2 }, [
      { copyOf: one },
      { message: user('a summary of 2'), isReplacement: true },
      { copyOf: three, message: user('3') },
    ]);
    await store.appendMessages('second', [user('4')]);
    await store.branchSession('second', { id: 'branch', source: 'cli', startedAt: 3 });
    await store.appendMessages('second', [user('5, not in the branch')]);
    await store.appendMessages('branch', [user('5, in the branch')]);

    expect(await said('second')).toEqual(['1', '2', '3, long', '4', '5, not in the branch']);
    expect(await said('branch')).toEqual(['1', '2', '3, long', '4', '5, in the branch']);
    expect(await said('nobody')).toEqual([]);
  },
);
