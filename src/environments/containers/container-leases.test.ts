import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createContainerLeases } from './container-leases.ts';

it('knows which containers are in use, even if the platform reports no process start times', async () => {
  const root = await mkdtemp(join(tmpdir(), 'hermes-leases-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const leases = createContainerLeases(root);
  for (const name of ['used', 'left', 'broken']) leases.take(name, false).release();
  const { pid: gone } = spawnSync('true');
  await writeFile(join(root, 'used', 'users', 'a'), `${process.pid} `);
  await writeFile(join(root, 'left', 'users', 'a'), `${gone} `);
  await writeFile(join(root, 'broken', 'users', 'a'), 'nonsense');
  expect(leases.abandoned().map(({ name }) => name)).toEqual(['broken', 'left']);
  const lease = leases.take('used', false);
  expect(lease.release()).toBe(false);
});
