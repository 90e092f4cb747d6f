import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { sessionFolderName } from '../../base/index.ts';
import { openForTest, temporaryFile, withDatabase } from './fixtures.ts';

function blobFiles(file: string): string[] {
  const root = `${file}.blobs`;
  return existsSync(root) ? readdirSync(root).flatMap((folder) => readdirSync(join(root, folder))) : [];
}

async function openWithFolders() {
  const file = temporaryFile();
  const spill = join(dirname(file), 'spill');
  const store = await openForTest({ file, sessionFolders: [spill] });
  const spillFor = (id: string) => {
    const folder = join(spill, sessionFolderName(id));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'result.txt'), 'x');
    return folder;
  };
  return { file, store, spillFor };
}

describe('files of a session next to the database', () => {
  verifies('STORE-8', 'are deleted when it is deleted or pruned, and nothing else is', async () => {
    const { file, store, spillFor } = await openWithFolders();
    for (const id of ['one', 'two', '../three']) await store.createSession({ id, source: 'cli', startedAt: 0 });
    const [one, two, three] = [spillFor('one'), spillFor('two'), spillFor('../three')];
    await store.putBlob('one', Buffer.from('mine'), 'text/plain');
    await store.putBlob('one', Buffer.from('shared'), 'text/plain');
    await store.putBlob('two', Buffer.from('shared'), 'text/plain');
    expect(blobFiles(file)).toHaveLength(2);
    await store.deleteSession('one');
    expect([existsSync(one), existsSync(two), existsSync(three)]).toEqual([false, true, true]);
    expect(blobFiles(file)).toHaveLength(1);
    await store.endSession('../three', 'user_exit');
    await store.pruneSessions({ inactiveSince: Date.now() });
    expect([existsSync(two), existsSync(three), existsSync(dirname(file))]).toEqual([true, false, true]);
  });

  verifies('STORE-8', 'are readable only by the user', async () => {
    const { file, store } = await openWithFolders();
    await store.createSession({ id: 'one', source: 'cli', startedAt: 0 });
    const { hash } = await store.putBlob('one', Buffer.from('mine'), 'text/plain');
    const folder = join(`${file}.blobs`, hash.slice(0, 2));
    expect(statSync(join(folder, hash)).mode & 0o777).toBe(0o600);
    for (const path of [folder, dirname(folder)]) expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it('are deleted with the next removal after a crash, or if another program deleted the session', async () => {
    const { file, store, spillFor } = await openWithFolders();
    for (const id of ['crashed', 'theirs', 'back', 'last']) {
      await store.createSession({ id, source: 'cli', startedAt: 0 });
      await store.putBlob(id, Buffer.from(id), 'text/plain');
    }
    const [crashed, back] = [spillFor('crashed'), spillFor('back')];
    withDatabase(file, (database) =>
      database.exec(`PRAGMA foreign_keys = ON;
        DELETE FROM sessions WHERE id IN ('crashed', 'theirs');
        INSERT INTO session_removals VALUES ('crashed'), ('back')`),
    );
    expect(blobFiles(file)).toHaveLength(4);
    await store.deleteSession('last');
    expect(blobFiles(file)).toHaveLength(1);
    expect([existsSync(crashed), existsSync(back)]).toEqual([false, true]);
  });
});

describe('a parent that another program deleted', () => {
  verifies('STORE-5', 'turns its copies into messages of their own', async () => {
    const file = temporaryFile();
    const store = await openForTest({ file });
    await store.createSession({ id: 'parent', source: 'cli', startedAt: 0 });
    await store.appendMessages('parent', [{ role: 'user', content: 'kept' }]);
    const [kept] = await store.getMessages('parent');
    await store.splitSession('parent', { id: 'child', source: 'cli', startedAt: 1 }, [{ copyOf: kept?.id ?? 0 }]);
    expect((await store.statistics()).messages.user).toBe(1);
    withDatabase(file, (database) =>
      database.exec(`UPDATE sessions SET parent_session_id = NULL; DELETE FROM messages WHERE session_id = 'parent';
        DELETE FROM sessions WHERE id = 'parent'`),
    );
    expect((await store.statistics()).messages.user).toBe(1);
    const record = await store.exportSession('child');
    expect(record.messages).toEqual([{ timestamp: expect.any(Number), message: { role: 'user', content: 'kept' } }]);
  });
});
