import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { StoreReplaced } from '../../base/index.ts';
import { openForTest, temporaryFile } from './fixtures.ts';

const said = (text: string) => [{ role: 'user', content: text } as const];
const caught = (thrown: unknown) => thrown;

async function openWithSession(groupWrites: boolean) {
  const file = temporaryFile();
  const store = await openForTest({ file, groupWrites });
  await store.createSession({ id: 'one', source: 'cli', startedAt: 0 });
  await store.appendMessages('one', said('first'));
  const contents = async () => (await store.getMessages('one')).map(({ message }) => message.content);
  return { file, store, contents };
}

for (const groupWrites of [false, true]) {
  describe(`a database file that was replaced, ${groupWrites ? 'with' : 'without'} grouped writes`, () => {
    verifies('BOUND-4', 'gets no more writes, and can still be read', async () => {
      const { file, store, contents } = await openWithSession(groupWrites);
      const aside = join(dirname(file), 'aside');
      mkdirSync(aside);
      renameSync(file, join(aside, 'state.db'));
      const other = await openForTest({ file: join(dirname(file), 'other.db') });
      await other.close();
      renameSync(join(dirname(file), 'other.db'), file);
      const writes = ['second', 'third'].map((text) => store.appendMessages('one', said(text)).catch(caught));
      for (const refused of await Promise.all(writes)) {
        expect(refused).toBeInstanceOf(StoreReplaced);
        expect(refused).toMatchObject({
          file,
          message: expect.stringContaining(`moved to ${join(aside, 'state.db')}`),
        });
      }
      expect(await contents()).toEqual(['first']);
      // The same file at the same path again.
      renameSync(join(aside, 'state.db'), file);
      await store.appendMessages('one', said('again'));
      expect(await contents()).toEqual(['first', 'again']);
    });

    verifies('BOUND-4', 'is reported as deleted if it has no name any more', async () => {
      const { file, store } = await openWithSession(groupWrites);
      rmSync(file);
      const refused = await store.appendMessages('one', said('second')).catch(caught);
      expect(refused).toMatchObject({ fate: 'deleted', hint: 'Exit Hermes and start it again.' });
    });
  });
}
