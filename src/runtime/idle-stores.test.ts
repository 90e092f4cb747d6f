import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { ConfigurationError, StoreReplaced } from '../base/index.ts';
import { createTemporaryHome } from '../testing/index.ts';
import { assertIdle, homesIn, whileIdle } from './idle-stores.ts';
import { openStore } from './open-store.ts';
import { describeProcess } from './session-lease.ts';

const HOLDER = describeProcess('cli');
const TTL_MS = 30_000;
const caught = (thrown: unknown) => thrown;

describe('a task that replaces a home directory', () => {
  verifies('BOUND-4', 'is refused while a turn runs in the home or in one of its profiles', async () => {
    await using home = await createTemporaryHome();
    const profile = join(home.path, 'profiles/work');
    await mkdir(profile, { recursive: true });
    const stores = [await openStore({ home: home.path }), await openStore({ home: profile })];
    const homes = await homesIn(home.path);
    expect(homes).toEqual([home.path, profile]);
    for (const [index, store] of stores.entries()) {
      const held = await store.acquireLease(`session-${index}`, HOLDER, TTL_MS);
      const refusals = [assertIdle(homes), whileIdle(homes, async () => 'never')].map((task) => task.catch(caught));
      for (const refused of await Promise.all(refusals)) {
        expect(refused).toBeInstanceOf(ConfigurationError);
        expect(refused).toMatchObject({
          message: expect.stringMatching(`^Session session-${index} is in use: process ${process.pid} on .* \\(cli\\)`),
        });
      }
      if (held.acquired) await store.releaseLease(held.lease);
    }
    expect(await whileIdle(homes, async () => 'done')).toBe('done');
    for (const store of stores) await store.close();
  });

  verifies('BOUND-4', 'is not refused for the lease of a process that was killed or has expired', async () => {
    await using home = await createTemporaryHome();
    const store = await openStore({ home: home.path });
    await store.acquireLease('dead', { ...HOLDER, pid: 2 ** 22 + 1 }, TTL_MS);
    await store.acquireLease('expired', HOLDER, 0);
    expect(await whileIdle([home.path], async () => 'done')).toBe('done');
    await store.close();
  });

  verifies('BOUND-4', 'lets no turn start until it has ended, and such a turn then fails', async () => {
    await using home = await createTemporaryHome();
    const store = await openStore({ home: home.path });
    const aside = join(home.path, 'aside');
    let starting: Promise<unknown> | undefined;
    await whileIdle([home.path], async () => {
      starting = store.acquireLease('late', HOLDER, TTL_MS).catch(caught);
      await mkdir(aside);
      await rename(join(home.path, 'state.db'), join(aside, 'state.db'));
    });
    expect(await starting).toBeInstanceOf(StoreReplaced);
    await store.close();
  });

  it('ignores homes without a store and files that are not a database, and changes none of them', async () => {
    await using home = await createTemporaryHome();
    expect(await whileIdle([home.path], async () => 'done')).toBe('done');
    expect(existsSync(join(home.path, 'state.db'))).toBe(false);
    await writeFile(join(home.path, 'state.db'), 'This is a text. '.repeat(1000));
    expect(await whileIdle([home.path], async () => 'done')).toBe('done');
    await assertIdle([home.path]);
    expect(await home.read('state.db')).toBe('This is a text. '.repeat(1000));
  });
});
