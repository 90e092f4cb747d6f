import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { type OpenStore, openHarness } from './store-harness.ts';

const BYTES = Uint8Array.from({ length: 70_000 }, (_, index) => index % 251);

export function describeBlobs(openStore: OpenStore): void {
  describe('blobs', () => {
    verifies(
      ['STORE-4', 'STORE-8'],
      'bytes are stored once and deleted with the last session that references them',
      async () => {
        const { store, create, openAgain } = await openHarness(openStore);
        await create('one');
        await create('two');
        const reference = await store.putBlob('one', BYTES, 'image/png');
        expect(reference).toMatchObject({ mediaType: 'image/png', size: BYTES.length });
        expect(reference.hash).toMatch(/^[0-9a-f]{64}$/);
        expect(await store.putBlob('one', BYTES, 'image/png')).toEqual(reference);
        expect(await store.putBlob('two', BYTES, 'image/png')).toEqual(reference);
        const other = await openAgain();
        const found = await other.getBlob(reference.hash);
        expect(found?.mediaType).toBe('image/png');
        expect(Buffer.from(found?.bytes ?? []).equals(BYTES)).toBe(true);
        await store.deleteSession('one');
        expect(await other.getBlob(reference.hash)).toBeDefined();
        await store.deleteSession('two');
        expect(await other.getBlob(reference.hash)).toBeUndefined();
        await other.close();
      },
    );

    it('rejects bytes for a session that does not exist, and returns nothing for an unknown hash', async () => {
      const { store } = await openHarness(openStore);
      await expect(store.putBlob('nobody', BYTES, 'x')).rejects.toThrow('There is no session nobody');
      for (const hash of ['', '../../etc/passwd', 'a'.repeat(64)]) expect(await store.getBlob(hash)).toBeUndefined();
    });
  });
}
