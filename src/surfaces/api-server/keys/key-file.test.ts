import { expect, onTestFinished } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { createTemporaryHome } from '../../../testing/index.ts';
import { addKey, hashOf, readKeys } from './key-file.ts';

verifies('GW-26', 'no key gets the rights of the first one by its name', async () => {
  const home = await createTemporaryHome();
  onTestFinished(() => home.remove());
  await expect(addKey(home.path, 'default', {}, 0)).rejects.toThrow('is the name of the first key');
  const secret = await addKey(home.path, 'friend', {}, 0);
  expect(readKeys(home.path)).toEqual([{ name: 'friend', hash: hashOf(secret), createdAt: 0 }]);
  const renamed = { keys: [{ name: 'default', hash: hashOf(secret), created_at: 0 }] };
  await home.write('api_keys.json', JSON.stringify(renamed));
  expect(() => readKeys(home.path)).toThrow('is not a valid list of keys');
});
