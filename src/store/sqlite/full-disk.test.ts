import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HermesError } from '../../base/index.ts';
import type { SessionStore } from '../../contracts/index.ts';
import { openForTest } from './fixtures.ts';
import { checkIntegrity, openSqliteStore, repairDatabase } from './index.ts';

const NO_DISK = 'no small disk can be mounted here; in damage.test.ts a page limit stands in for it';

/** Mounts a two-megabyte file system for the duration of the test; undefined without permission to mount. */
function mountDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-disk-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m,mode=700', 'hermes-test', folder]);
  onTestFinished(() => {
    // Lazy unmount, because a failed test may have left a store open.
    if (status === 0) spawnSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return status === 0 ? folder : undefined;
}

/** Fills the disk to the last page. */
function takeAllRoom(disk: string): () => void {
  const file = join(disk, 'ballast');
  for (const bytes of [65_536, 4096, 1]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' });
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOSPC') throw thrown;
    }
  }
  return () => rmSync(file);
}

const long = (number: number) => ({ role: 'user', content: `${number} ${'x'.repeat(20_000)}` }) as const;

/** Appends messages until an append fails; returns the number of stored messages and the error. */
async function appendUntilFull(store: SessionStore): Promise<{ stored: number; failure: unknown }> {
  for (let stored = 0; ; stored += 1) {
    try {
      await store.appendMessages('one', [long(stored)]);
    } catch (failure) {
      return { stored, failure };
    }
  }
}

describe('a full disk', () => {
  it('is reported with the file and a hint; nothing stored is lost, and writing works again when there is space', async ({
    skip,
  }) => {
    const disk = mountDisk() ?? skip(NO_DISK);
    const file = join(disk, 'state.db');
    const store = await openForTest({ file });
    await store.createSession({ id: 'one', source: 'cli', startedAt: 0 });
    writeFileSync(join(disk, 'something-else'), Buffer.alloc(1_000_000));
    const { stored, failure } = await appendUntilFull(store);
    expect(stored).toBeGreaterThan(5);
    const expectFull = (thrown: unknown) => {
      expect(thrown).toBeInstanceOf(HermesError);
      expect((thrown as HermesError).message).toBe(`The session database ${file} cannot grow: the disk is full.`);
      expect((thrown as HermesError).hint).toContain('Free up disk space');
    };
    expectFull(failure);
    takeAllRoom(disk);
    // Every append fails with no byte left, including in a store that is opened only now.
    expectFull((await appendUntilFull(store)).failure);
    const late = await openForTest({ file });
    expectFull((await appendUntilFull(late)).failure);
    await expect(store.putBlob('one', Buffer.alloc(4096), 'text/plain')).rejects.toThrow(HermesError);
    for (const each of [store, late]) {
      expect(await each.getConversation('one')).toHaveLength(stored);
      expect((await each.getSession('one'))?.messageCount).toBe(stored);
    }
    rmSync(join(disk, 'something-else'));
    for (const [index, each] of [store, late].entries()) await each.appendMessages('one', [long(stored + index)]);
    const expected = Array.from({ length: stored + 2 }, (_, number) => long(number));
    expect(await store.getConversation('one')).toEqual(expected);
    await Promise.all([store.close(), late.close()]);
    expect((await checkIntegrity(file)).state).toBe('sound');
  });

  it('prevents opening a file, including a new one, until there is space', async ({ skip }) => {
    const disk = mountDisk() ?? skip(NO_DISK);
    const file = join(disk, 'state.db');
    const store = await openForTest({ file });
    await store.createSession({ id: 'one', source: 'cli', startedAt: 0 });
    await store.close();
    const makeRoom = takeAllRoom(disk);
    for (const name of ['new.db', 'state.db']) {
      await expect(openSqliteStore({ file: join(disk, name) })).rejects.toThrow(
        `${name} cannot grow: the disk is full`,
      );
    }
    makeRoom();
    expect((await (await openForTest({ file })).getSession('one'))?.id).toBe('one');
    await openForTest({ file: join(disk, 'new.db') });
  });

  it('leaves no partial repair behind', async ({ skip }) => {
    const disk = mountDisk() ?? skip(NO_DISK);
    const file = join(disk, 'state.db');
    const store = await openForTest({ file });
    await store.createSession({ id: 'one', source: 'cli', startedAt: 0 });
    const { stored } = await appendUntilFull(store);
    await store.close();
    await expect(repairDatabase(file, join(disk, 'repaired.db'))).rejects.toThrow(/the disk is full/);
    expect(readdirSync(disk).filter((name) => name.includes('repaired'))).toEqual([]);
    expect(await (await openForTest({ file })).getConversation('one')).toHaveLength(stored);
  });
});
